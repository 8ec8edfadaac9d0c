//! SHA-3 and SHAKE (FIPS 202) from the `libcrux-sha3` crate.

use libcrux_sha3::portable;
use libcrux_sha3::portable::incremental::{Shake128Xof, Shake256Xof, Xof as Sponge};
use pqlab_adapters::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn hashes() -> Vec<Arc<dyn Hash>> {
    vec![
        FixedLength::<Sha3_224>::new("SHA3-224"),
        FixedLength::<Sha3_256>::new("SHA3-256"),
        FixedLength::<Sha3_384>::new("SHA3-384"),
        FixedLength::<Sha3_512>::new("SHA3-512"),
    ]
}

pub(super) fn xofs() -> Vec<Arc<dyn Xof>> {
    vec![Extendable::<Shake128>::new("SHAKE128"), Extendable::<Shake256>::new("SHAKE256")]
}

/// Type that represents one of the crate's functions. A batch can therefore call the function directly instead of
/// through a pointer.
trait Function: Send + Sync + 'static {
    fn digest(message: &[u8], out: &mut [u8]);
}

/// An extendable-output function with its state.
trait Extending: Function {
    type State: Send;
    fn begin() -> Self::State;
    fn update(state: &mut Self::State, part: &[u8]);
    /// Absorbs the last part of the message.
    fn finish(state: &mut Self::State, part: &[u8]);
    fn squeeze(state: &mut Self::State, out: &mut [u8]);
}

macro_rules! function {
    ($name:ident, $digest:path) => {
        struct $name;

        impl Function for $name {
            fn digest(message: &[u8], out: &mut [u8]) {
                $digest(out, message);
            }
        }
    };
    ($name:ident, $digest:path, $state:ty) => {
        function!($name, $digest);

        impl Extending for $name {
            type State = $state;

            fn begin() -> Self::State {
                <$state>::new()
            }

            fn update(state: &mut Self::State, part: &[u8]) {
                Sponge::absorb(state, part);
            }

            fn finish(state: &mut Self::State, part: &[u8]) {
                Sponge::absorb_final(state, part);
            }

            fn squeeze(state: &mut Self::State, out: &mut [u8]) {
                Sponge::squeeze(state, out);
            }
        }
    };
}

function!(Sha3_224, portable::sha224);
function!(Sha3_256, portable::sha256);
function!(Sha3_384, portable::sha384);
function!(Sha3_512, portable::sha512);
function!(Shake128, portable::shake128, Shake128Xof);
function!(Shake256, portable::shake256, Shake256Xof);

struct FixedLength<F> {
    info: HashParameters,
    function: PhantomData<F>,
}

impl<F: Function> FixedLength<F> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str) -> Arc<dyn Hash> {
        let info = HashParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(FixedLength::<F> { info, function: PhantomData })
    }
}

impl<F: Function> Hash for FixedLength<F> {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        F::digest(message, out);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        for message in messages::in_turn(messages, count)? {
            F::digest(message, black_box(&mut *out));
        }
        Ok(())
    }
}

struct Extendable<F> {
    info: XofParameters,
    function: PhantomData<F>,
}

impl<F: Extending> Extendable<F> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str) -> Arc<dyn Xof> {
        let info = XofParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(Extendable::<F> { info, function: PhantomData })
    }
}

impl<F: Extending> Xof for Extendable<F> {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        F::digest(message, out);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for message in messages::in_turn(messages, count)? {
            F::digest(message, black_box(&mut *out));
        }
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        let mut state = F::begin();
        F::finish(&mut state, message);
        Ok(Box::new(Streaming::<F>(state)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Ok(Box::new(Streaming::<F>(F::begin())))
    }
}

/// Absorber that becomes the reader. The crate uses the same state for both, so nothing is allocated in between.
struct Streaming<F: Extending>(F::State);

impl<F: Extending> XofAbsorber for Streaming<F> {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        F::update(&mut self.0, part);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Box<dyn XofReader>> {
        F::finish(&mut self.0, &[]);
        Ok(self)
    }
}

impl<F: Extending> XofReader for Streaming<F> {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        F::squeeze(&mut self.0, out);
        Ok(())
    }
}
