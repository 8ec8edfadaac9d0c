//! Direct calls to this project's Keccak in `pqlab-keccak`. The adapter adds only a loop.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::hash;
use pqlab_keccak::{Backend, Function, LANES, Lanes, Single};
use std::hint::black_box;

pub(crate) const BARE: &[&dyn Bare] = &[&Keccak];

struct Keccak;

impl Bare for Keccak {
    fn library(&self) -> &'static str {
        "keccak"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["SHA3-256", "SHAKE128"]
    }

    fn hash(&self, provider: &str, _algorithm: &str) -> Option<Side> {
        Some(digest(provider, Function::Sha3_256))
    }

    fn xof(&self, provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        if operation == "digest" {
            return Some(digest(provider, Function::Shake128));
        }
        let single = Single::new(backend(provider)).expect("this processor must support the code path");
        let absorb = move || {
            let mut output = single.absorb(Function::Shake128, &hash::long());
            let squeeze: hash::Squeeze = Box::new(move |out| output.squeeze(out));
            squeeze
        };
        (operation == "squeeze").then(|| hash::squeezing(absorb))
    }

    fn lanes(&self, provider: &str, algorithm: &str, lanes: usize) -> Option<Side> {
        let function = Function::ALL.into_iter().find(|function| function.name() == algorithm)?;
        let code = Lanes::new(backend(provider)).expect("this processor must support the code path");
        let (messages, mut outs) = hash::lanes(lanes, function.digest_length());
        Some(Box::new(move |batch| {
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let messages: &[&[u8]; LANES] = messages.as_slice().try_into().expect("there must be eight lanes");
            let mut outs: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
            let outs: &mut [&mut [u8]; LANES] = outs.as_mut_slice().try_into().expect("there must be eight lanes");
            for _ in 0..batch {
                code.digest(function, black_box(messages), outs).expect("hashing failed");
            }
        }))
    }
}

fn backend(provider: &str) -> Backend {
    let mut all = Backend::ALL.into_iter();
    all.find(|backend| provider.ends_with(&format!(":{}", backend.name()))).expect("unknown code path")
}

fn digest(provider: &str, function: Function) -> Side {
    let single = Single::new(backend(provider)).expect("this processor must support the code path");
    let (messages, mut out) = (hash::pool(), [0; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            single.digest(function, message, black_box(&mut out)).expect("hashing failed");
        }
    })
}
