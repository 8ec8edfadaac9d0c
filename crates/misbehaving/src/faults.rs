//! KEMs that behave like the null provider's KEM for a while, and then fail as their names describe.

use crate::altered::altered;
use pqlab_primitives::{Error, Kem, Result};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of successful calls per process. Large enough that the fault occurs during a measurement, not before it. A
/// measurement makes several times as many calls, even on a busy machine.
const GOOD_CALLS: u64 = 5_000;

/// Fault of a decapsulation. Receives the correct secret, which it can change.
type InjectedFault = fn(&mut [u8]) -> Result<()>;

const FAULTS: [(&str, InjectedFault); 8] = [
    ("segfault", segfault),
    ("hang", hang),
    ("wrong-answer", wrong_answer),
    ("fail", fail),
    ("leak", leak),
    ("print", print),
    ("exhaust-memory", exhaust_memory),
    ("panic", |_| panic!("on request")),
];

/// Returns one KEM per fault, named after the fault.
pub(super) fn kems(null: &Arc<dyn Kem>) -> impl Iterator<Item = Arc<dyn Kem>> {
    FAULTS.into_iter().map(|(name, fault)| {
        let calls = AtomicU64::new(0);
        altered(null, Some(name), move |key, ciphertext, secret| {
            key.decapsulate(ciphertext, secret)?;
            if calls.fetch_add(1, Ordering::Relaxed) < GOOD_CALLS { Ok(()) } else { fault(secret) }
        })
    })
}

fn segfault(_secret: &mut [u8]) -> Result<()> {
    let nowhere = std::ptr::without_provenance_mut::<u8>(8);
    // SAFETY: none. The access is invalid on purpose, so that SIGSEGV kills the process.
    unsafe { nowhere.write_volatile(1) };
    Ok(())
}

fn hang(_secret: &mut [u8]) -> Result<()> {
    loop {
        std::thread::park();
    }
}

fn wrong_answer(secret: &mut [u8]) -> Result<()> {
    secret[0] ^= 1;
    Ok(())
}

fn fail(_secret: &mut [u8]) -> Result<()> {
    Err(Error::Library { call: "misbehaving_decapsulate", detail: "on request".into() })
}

fn leak(_secret: &mut [u8]) -> Result<()> {
    std::mem::forget(std::hint::black_box(vec![1_u8; 64 << 10]));
    Ok(())
}

fn print(_secret: &mut [u8]) -> Result<()> {
    let mut out = std::io::stdout();
    out.write_all(b"a library should not print\n").and_then(|()| out.flush()).ok();
    Ok(())
}

fn exhaust_memory(_secret: &mut [u8]) -> Result<()> {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        hoard.push(std::hint::black_box(vec![1; 256 << 20]));
    }
}
