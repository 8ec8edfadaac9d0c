use crate::interleaved::{Side, Work};
use crate::operations::{each, hash};
use sha3::Sha3_256;
use sha3::digest::{Digest, ExtendableOutput, Output, Update, XofReader};
use shake::Shake128;
use std::hint::black_box;

pub(super) fn sha3_256() -> Side {
    let (messages, mut out) = (hash::pool(), Output::<Sha3_256>::default());
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            let mut state = Sha3_256::new();
            Digest::update(&mut state, message);
            state.finalize_into(black_box(&mut out));
        }
    })
}

pub(super) fn xof(algorithm: &str, operation: &str) -> Option<Side> {
    if algorithm != "SHAKE128" {
        return None;
    }
    let (messages, long, mut out) = (hash::pool(), hash::long(), vec![0; hash::OUTPUT]);
    Some(match operation {
        "digest" => Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                let mut state = Shake128::default();
                state.update(message);
                state.finalize_xof_into(black_box(&mut out));
            }
        }),
        "absorb" => each(move || {
            let mut state = Shake128::default();
            black_box(&long).chunks(hash::PART).for_each(|part| state.update(part));
            state.finalize_xof().read(black_box(&mut out));
        }),
        _ => Box::new(Squeezing { reader: reader(&long), long, out }),
    })
}

type Reader = <Shake128 as ExtendableOutput>::Reader;

fn reader(message: &[u8]) -> Reader {
    let mut state = Shake128::default();
    state.update(message);
    state.finalize_xof()
}

/// Side that squeezes one reader throughout a batch.
struct Squeezing {
    long: Vec<u8>,
    reader: Reader,
    out: Vec<u8>,
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        self.reader = reader(&self.long);
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.reader.read(black_box(&mut self.out));
        }
    }
}
