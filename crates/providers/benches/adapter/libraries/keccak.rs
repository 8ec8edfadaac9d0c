//! The two Keccaks that are Rust crates of this project: the calls of `pqlab-cryptogams-sys` and `pqlab-keccak`, whose
//! adapters are loops over them.

use super::Bare;
use crate::interleaved::{Side, Work};
use crate::operations::hash;
use std::hint::black_box;

/// Fills its argument with the output that follows.
type Squeeze = Box<dyn FnMut(&mut [u8])>;

#[cfg(feature = "cryptogams")]
pub(crate) struct Cryptogams;

#[cfg(feature = "cryptogams")]
impl Bare for Cryptogams {
    fn library(&self) -> &'static str {
        "cryptogams"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["SHA3-256", "SHAKE128"]
    }

    fn hash(&self, provider: &str, _algorithm: &str) -> Option<Side> {
        Some(cryptogams_digest(provider, pqlab_cryptogams_sys::Parameters::SHA3_256))
    }

    fn xof(&self, provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        use pqlab_cryptogams_sys::{Parameters, Sponge};
        if operation == "digest" {
            return Some(cryptogams_digest(provider, Parameters::SHAKE128));
        }
        let code = cryptogams(provider);
        let absorb = move || {
            let mut sponge = Sponge::absorb(code, Parameters::SHAKE128, &hash::long());
            let squeeze: Squeeze = Box::new(move |out| sponge.squeeze(out));
            squeeze
        };
        (operation == "squeeze").then(|| squeezing(absorb))
    }
}

#[cfg(feature = "cryptogams")]
fn cryptogams(provider: &str) -> pqlab_cryptogams_sys::Code {
    use pqlab_cryptogams_sys::{Backend, Code};
    let backend = Backend::ALL.into_iter().find(|backend| provider.ends_with(&format!(":{}", backend.name())));
    Code::new(backend.expect("a known code path")).expect("a code path of this processor")
}

#[cfg(feature = "cryptogams")]
fn cryptogams_digest(provider: &str, parameters: pqlab_cryptogams_sys::Parameters) -> Side {
    let (code, messages, mut out) = (cryptogams(provider), hash::pool(), [0; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            pqlab_cryptogams_sys::digest(code, parameters, message, black_box(&mut out));
        }
    })
}

#[cfg(feature = "keccak")]
pub(crate) struct Keccak;

#[cfg(feature = "keccak")]
impl Bare for Keccak {
    fn library(&self) -> &'static str {
        "keccak"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["SHA3-256", "SHAKE128"]
    }

    fn hash(&self, provider: &str, _algorithm: &str) -> Option<Side> {
        Some(keccak_digest(provider, pqlab_keccak::Function::Sha3_256))
    }

    fn xof(&self, provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        use pqlab_keccak::{Function, Single};
        if operation == "digest" {
            return Some(keccak_digest(provider, Function::Shake128));
        }
        let single = Single::new(keccak(provider)).expect("a code path of this processor");
        let absorb = move || {
            let mut output = single.absorb(Function::Shake128, &hash::long());
            let squeeze: Squeeze = Box::new(move |out| output.squeeze(out));
            squeeze
        };
        (operation == "squeeze").then(|| squeezing(absorb))
    }

    fn lanes(&self, provider: &str, algorithm: &str, lanes: usize) -> Option<Side> {
        use pqlab_keccak::{Function, LANES, Lanes};
        let function = Function::ALL.into_iter().find(|function| function.name() == algorithm)?;
        let code = Lanes::new(keccak(provider)).expect("a code path of this processor");
        let (messages, mut outs) = hash::lanes(lanes, function.digest_length());
        Some(Box::new(move |batch| {
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let messages: &[&[u8]; LANES] = messages.as_slice().try_into().expect("eight lanes");
            let mut outs: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
            let outs: &mut [&mut [u8]; LANES] = outs.as_mut_slice().try_into().expect("eight lanes");
            for _ in 0..batch {
                code.digest(function, black_box(messages), outs).expect("digests");
            }
        }))
    }
}

#[cfg(feature = "keccak")]
fn keccak(provider: &str) -> pqlab_keccak::Backend {
    let mut all = pqlab_keccak::Backend::ALL.into_iter();
    all.find(|backend| provider.ends_with(&format!(":{}", backend.name()))).expect("a known code path")
}

#[cfg(feature = "keccak")]
fn keccak_digest(provider: &str, function: pqlab_keccak::Function) -> Side {
    let single = pqlab_keccak::Single::new(keccak(provider)).expect("a code path of this processor");
    let (messages, mut out) = (hash::pool(), [0; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            single.digest(function, message, black_box(&mut out)).expect("a digest");
        }
    })
}

/// What is squeezed from a state that `absorb` makes for each batch.
#[cfg(any(feature = "cryptogams", feature = "keccak"))]
fn squeezing(absorb: impl Fn() -> Squeeze + 'static) -> Side {
    let squeeze = absorb();
    Box::new(Squeezing { absorb, squeeze, out: [0; hash::OUTPUT] })
}

#[cfg(any(feature = "cryptogams", feature = "keccak"))]
struct Squeezing<A> {
    absorb: A,
    squeeze: Squeeze,
    out: [u8; hash::OUTPUT],
}

#[cfg(any(feature = "cryptogams", feature = "keccak"))]
impl<A: Fn() -> Squeeze> Work for Squeezing<A> {
    fn ready(&mut self, _batch: usize) {
        self.squeeze = (self.absorb)();
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            (self.squeeze)(black_box(&mut self.out));
        }
    }
}
