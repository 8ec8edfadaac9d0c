use crate::interleaved::{Side, Work};
use crate::operations::{each, hash};
use libcrux_sha3::portable;
use libcrux_sha3::portable::incremental::{Shake128Xof, Xof};
use std::hint::black_box;

pub(super) fn sha3_256() -> Side {
    let (messages, mut out) = (hash::pool(), [0; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            portable::sha256(black_box(&mut out), message);
        }
    })
}

pub(super) fn shake128(operation: &str) -> Side {
    let (messages, long, mut out) = (hash::pool(), hash::long(), vec![0; hash::OUTPUT]);
    match operation {
        "digest" => Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                portable::shake128(black_box(&mut out), message);
            }
        }),
        "absorb" => each(move || {
            let mut state = Shake128Xof::new();
            black_box(&long).chunks(hash::PART).for_each(|part| state.absorb(part));
            state.absorb_final(&[]);
            state.squeeze(black_box(&mut out));
        }),
        _ => Box::new(Squeezing { state: absorbed(&long), long, out }),
    }
}

fn absorbed(message: &[u8]) -> Shake128Xof {
    let mut state = Shake128Xof::new();
    state.absorb_final(message);
    state
}

/// Side that squeezes one state throughout a batch.
struct Squeezing {
    long: Vec<u8>,
    state: Shake128Xof,
    out: Vec<u8>,
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        self.state = absorbed(&self.long);
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.state.squeeze(black_box(&mut self.out));
        }
    }
}

/// Returns the direct calls that hash several messages with SHAKE256 concurrently, or `None` if the crate does not
/// support this number of lanes.
#[cfg(target_arch = "x86_64")]
pub(super) fn lanes(lanes: usize) -> Option<Side> {
    let (messages, mut outs) = hash::lanes(lanes, None);
    (lanes == 4).then(|| {
        each(move || {
            // SAFETY: the operation is offered only if the processor supports AVX2.
            unsafe { four(black_box(&messages), &mut outs) };
        })
    })
}

/// Hashes four messages. Enables AVX2, because the crate's functions are inlined and need this target feature in the
/// caller.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn four(messages: &[Vec<u8>], outs: &mut [Vec<u8>]) {
    let ([m0, m1, m2, m3], [o0, o1, o2, o3]) = (messages, outs) else { unreachable!("there must be four lanes") };
    libcrux_sha3::avx2::x4::shake256(m0, m1, m2, m3, o0, o1, o2, o3);
}

/// Returns the direct calls that hash several messages with SHAKE256 concurrently, or `None` if the crate does not
/// support this number of lanes.
#[cfg(target_arch = "aarch64")]
pub(super) fn lanes(lanes: usize) -> Option<Side> {
    let (messages, mut outs) = hash::lanes(lanes, None);
    (lanes == 2).then(|| {
        each(move || {
            let ([m0, m1], [o0, o1]) = (&black_box(&messages)[..], &mut outs[..]) else { unreachable!("not 2 lanes") };
            libcrux_sha3::neon::x2::shake256(m0, m1, o0, o1);
        })
    })
}

/// Returns `None`, because the crate has no vector code for this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn lanes(_lanes: usize) -> Option<Side> {
    None
}
