//! Each KEM is the null provider's, behaves for a while, and then does what its name says.

use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, Provider, Result};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Calls before a library goes wrong, so that it does so while it is measured and not before.
const GOOD_CALLS: u64 = 20_000;

#[derive(Clone, Copy)]
enum InjectedFault {
    Segfault,
    Hang,
    WrongAnswer,
    Fail,
    Leak,
    Print,
    ExhaustMemory,
    Panic,
}

/// One KEM a fault, named after it.
pub(super) fn kems(others: &[Arc<Provider>]) -> Vec<Arc<dyn Kem>> {
    let injected_faults = [
        ("segfault", InjectedFault::Segfault),
        ("hang", InjectedFault::Hang),
        ("wrong-answer", InjectedFault::WrongAnswer),
        ("fail", InjectedFault::Fail),
        ("leak", InjectedFault::Leak),
        ("print", InjectedFault::Print),
        ("exhaust-memory", InjectedFault::ExhaustMemory),
        ("panic", InjectedFault::Panic),
    ];
    let innocent =
        others.iter().filter(|provider| provider.library == "null").find_map(|provider| provider.kems.first());
    let corrupt = |(name, fault): (&'static str, InjectedFault)| {
        let kem = Arc::clone(innocent?);
        let mut info = kem.info().clone();
        info.parameters.algorithm = name.into();
        Some(Arc::new(BadKem { kem, info, fault }) as Arc<dyn Kem>)
    };
    injected_faults.into_iter().filter_map(corrupt).collect()
}

struct BadKem {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    fault: InjectedFault,
}

impl BadKem {
    fn corrupt(&self, key: Box<dyn DecapsulationKey>) -> Box<dyn DecapsulationKey> {
        Box::new(BadKey { key, fault: self.fault, calls: AtomicU64::new(0) })
    }
}

impl Kem for BadKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.kem.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.corrupt(self.kem.generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.kem.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.corrupt(self.kem.load_decapsulation_key(encoding, bytes)?))
    }
}

struct BadKey {
    key: Box<dyn DecapsulationKey>,
    fault: InjectedFault,
    calls: AtomicU64,
}

impl DecapsulationKey for BadKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        self.key.decapsulate(ciphertext, secret)?;
        if self.calls.fetch_add(1, Ordering::Relaxed) < GOOD_CALLS {
            return Ok(());
        }
        match self.fault {
            InjectedFault::Segfault => {
                let nowhere = std::ptr::without_provenance_mut::<u8>(8);
                // SAFETY: none. The access is invalid, on purpose: the process is to be killed by SIGSEGV.
                unsafe { nowhere.write_volatile(1) };
            }
            InjectedFault::Hang => loop {
                std::thread::park();
            },
            InjectedFault::WrongAnswer => secret[0] ^= 1,
            InjectedFault::Fail => {
                return Err(Error::Library { call: "misbehaving_decapsulate", detail: "as it was told to".into() });
            }
            InjectedFault::Leak => std::mem::forget(std::hint::black_box(vec![1_u8; 64 << 10])),
            InjectedFault::Print => {
                let mut out = std::io::stdout();
                out.write_all(b"a library should not print\n").and_then(|()| out.flush()).ok();
            }
            InjectedFault::ExhaustMemory => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(std::hint::black_box(vec![1; 256 << 20]));
                }
            }
            InjectedFault::Panic => panic!("as it was told to"),
        }
        Ok(())
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.key.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}
