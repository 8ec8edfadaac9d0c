//! Direct calls to CRYPTOGAMS' Keccak through `pqlab-cryptogams-sys`. The adapter adds only a loop.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::hash;
use pqlab_cryptogams_sys::{Backend, Code, Parameters, Sponge};
use std::hint::black_box;

pub(crate) const BARE: &[&dyn Bare] = &[&Cryptogams];

struct Cryptogams;

impl Bare for Cryptogams {
    fn library(&self) -> &'static str {
        "cryptogams"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["SHA3-256", "SHAKE128"]
    }

    fn hash(&self, provider: &str, _algorithm: &str) -> Option<Side> {
        Some(digest(provider, Parameters::SHA3_256))
    }

    fn xof(&self, provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        if operation == "digest" {
            return Some(digest(provider, Parameters::SHAKE128));
        }
        let code = code(provider);
        let absorb = move || {
            let mut sponge = Sponge::absorb(code, Parameters::SHAKE128, &hash::long());
            let squeeze: hash::Squeeze = Box::new(move |out| sponge.squeeze(out));
            squeeze
        };
        (operation == "squeeze").then(|| hash::squeezing(absorb))
    }
}

fn code(provider: &str) -> Code {
    let backend = Backend::ALL.into_iter().find(|backend| provider.ends_with(&format!(":{}", backend.name())));
    Code::new(backend.expect("unknown code path")).expect("this processor must support the code path")
}

fn digest(provider: &str, parameters: Parameters) -> Side {
    let (code, messages, mut out) = (code(provider), hash::pool(), [0; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            pqlab_cryptogams_sys::digest(code, parameters, message, black_box(&mut out));
        }
    })
}
