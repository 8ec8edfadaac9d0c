//! Hash functions: SHA-3 (FIPS 202) from the `sha3` and `shake` crates, and SHA-2 (FIPS 180-4) from `sha2`.

use pqlab_adapters::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use sha3::digest::{Digest, ExtendableOutput, Output, Update, XofReader as SqueezingState};
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn hashes() -> Vec<Arc<dyn Hash>> {
    vec![
        FixedLength::<sha3::Sha3_224>::new("SHA3-224"),
        FixedLength::<sha3::Sha3_256>::new("SHA3-256"),
        FixedLength::<sha3::Sha3_384>::new("SHA3-384"),
        FixedLength::<sha3::Sha3_512>::new("SHA3-512"),
        FixedLength::<sha2::Sha256>::new("SHA-256"),
        FixedLength::<sha2::Sha512>::new("SHA-512"),
    ]
}

pub(super) fn xofs() -> Vec<Arc<dyn Xof>> {
    vec![Extendable::<shake::Shake128>::new("SHAKE128"), Extendable::<shake::Shake256>::new("SHAKE256")]
}

struct FixedLength<D> {
    info: HashParameters,
    function: PhantomData<fn() -> D>,
}

impl<D: Digest + 'static> FixedLength<D> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str) -> Arc<dyn Hash> {
        let info = HashParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(FixedLength::<D> { info, function: PhantomData })
    }

    fn output<'a>(&self, out: &'a mut [u8]) -> Result<&'a mut Output<D>> {
        let (expected, actual) = (self.info.digest, out.len());
        out.try_into().map_err(|_| Error::Length { what: "digest", expected, actual })
    }
}

fn digest_into<D: Digest>(message: &[u8], out: &mut Output<D>) {
    let mut state = D::new();
    Digest::update(&mut state, message);
    state.finalize_into(out);
}

impl<D: Digest + 'static> Hash for FixedLength<D> {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        digest_into::<D>(message, self.output(out)?);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        let out = self.output(out)?;
        for message in messages::in_turn(messages, count)? {
            digest_into::<D>(message, black_box(&mut *out));
        }
        Ok(())
    }
}

struct Extendable<D> {
    info: XofParameters,
    function: PhantomData<fn() -> D>,
}

impl<D: ExtendableOutput + Update + Default + Send + 'static> Extendable<D>
where
    D::Reader: Send,
{
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str) -> Arc<dyn Xof> {
        let info = XofParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(Extendable::<D> { info, function: PhantomData })
    }
}

fn extend_into<D: ExtendableOutput + Update + Default>(message: &[u8], out: &mut [u8]) {
    let mut state = D::default();
    state.update(message);
    state.finalize_xof_into(out);
}

impl<D: ExtendableOutput + Update + Default + Send + 'static> Xof for Extendable<D>
where
    D::Reader: Send,
{
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        extend_into::<D>(message, out);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for message in messages::in_turn(messages, count)? {
            extend_into::<D>(message, black_box(&mut *out));
        }
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        let mut state = D::default();
        state.update(message);
        Ok(Box::new(Streaming::<D>::Squeezing(state.finalize_xof())))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Ok(Box::new(Streaming::Absorbing(D::default())))
    }
}

/// Absorber that turns into a reader in place, so that nothing is allocated in between.
enum Streaming<D: ExtendableOutput> {
    Absorbing(D),
    Squeezing(D::Reader),
}

impl<D: ExtendableOutput + Update + Default + Send + 'static> XofAbsorber for Streaming<D>
where
    D::Reader: Send,
{
    fn update(&mut self, part: &[u8]) -> Result<()> {
        match self {
            Streaming::Absorbing(state) => state.update(part),
            Streaming::Squeezing(_) => return Err(ENDED),
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Box<dyn XofReader>> {
        let Streaming::Absorbing(state) = &mut *self else { return Err(ENDED) };
        let reader = std::mem::take(state).finalize_xof();
        *self = Streaming::Squeezing(reader);
        Ok(self)
    }
}

impl<D: ExtendableOutput + Send + 'static> XofReader for Streaming<D>
where
    D::Reader: Send,
{
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        match self {
            Streaming::Squeezing(reader) => reader.read(out),
            Streaming::Absorbing(_) => return Err(Error::Unsupported("cannot squeeze before the message is complete")),
        }
        Ok(())
    }
}

const ENDED: Error = Error::Unsupported("cannot absorb after the message was completed");
