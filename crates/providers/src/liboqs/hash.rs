//! SHA-3 and SHAKE (FIPS 202), through the functions that liboqs's schemes use. The code is XKCP's, under names from
//! liboqs. Each call allocates and frees a state.

use super::fips202::*;
use pqlab_adapters::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::ptr;
use std::sync::Arc;

pub(super) fn hashes() -> Vec<Arc<dyn Hash>> {
    let hash = |algorithm, digest| -> Arc<dyn Hash> {
        let info = HashParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(FixedLength { info, digest })
    };
    vec![hash("SHA3-256", OQS_SHA3_sha3_256), hash("SHA3-384", OQS_SHA3_sha3_384), hash("SHA3-512", OQS_SHA3_sha3_512)]
}

pub(super) fn xofs() -> Vec<Arc<dyn Xof>> {
    let xof = |algorithm, functions| -> Arc<dyn Xof> {
        let info = XofParameters::find(algorithm).expect("missing from the parameter table");
        Arc::new(Shake { info, functions })
    };
    vec![xof("SHAKE128", &SHAKE128), xof("SHAKE256", &SHAKE256)]
}

struct FixedLength {
    info: HashParameters,
    /// Function that hashes a message. The arguments are the output buffer (`info.digest` bytes), the message, and the
    /// message's length in bytes.
    digest: unsafe extern "C" fn(*mut u8, *const u8, usize),
}

impl Hash for FixedLength {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        // SAFETY: `out` is as long as the digest, and the message is passed with its length.
        unsafe { (self.digest)(out.as_mut_ptr(), message.as_ptr(), message.len()) };
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        messages::in_turn(messages, count)?.try_for_each(|message| self.digest(message, out))
    }
}

/// The functions for SHAKE128 or for SHAKE256.
struct Functions {
    digest: unsafe extern "C" fn(*mut u8, usize, *const u8, usize),
    init: unsafe extern "C" fn(*mut State),
    absorb: unsafe extern "C" fn(*mut State, *const u8, usize),
    finalize: unsafe extern "C" fn(*mut State),
    squeeze: unsafe extern "C" fn(*mut u8, usize, *mut State),
    release: unsafe extern "C" fn(*mut State),
}

static SHAKE128: Functions = Functions {
    digest: OQS_SHA3_shake128,
    init: OQS_SHA3_shake128_inc_init,
    absorb: OQS_SHA3_shake128_inc_absorb,
    finalize: OQS_SHA3_shake128_inc_finalize,
    squeeze: OQS_SHA3_shake128_inc_squeeze,
    release: OQS_SHA3_shake128_inc_ctx_release,
};

static SHAKE256: Functions = Functions {
    digest: OQS_SHA3_shake256,
    init: OQS_SHA3_shake256_inc_init,
    absorb: OQS_SHA3_shake256_inc_absorb,
    finalize: OQS_SHA3_shake256_inc_finalize,
    squeeze: OQS_SHA3_shake256_inc_squeeze,
    release: OQS_SHA3_shake256_inc_ctx_release,
};

struct Shake {
    info: XofParameters,
    functions: &'static Functions,
}

impl Xof for Shake {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        // The library does not accept an empty output.
        if !out.is_empty() {
            // SAFETY: each pointer is passed with the length of its buffer.
            unsafe { (self.functions.digest)(out.as_mut_ptr(), out.len(), message.as_ptr(), message.len()) };
        }
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        messages::in_turn(messages, count)?.try_for_each(|message| self.digest(message, out))
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        let mut absorber = self.absorber()?;
        absorber.update(message)?;
        absorber.finish()
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        let mut state = State(ptr::null_mut());
        // SAFETY: `init` initializes the whole state.
        unsafe { (self.functions.init)(&raw mut state) };
        Ok(Box::new(Absorber(Reader { state, functions: self.functions })))
    }
}

/// Absorber: a reader whose state is not yet finalized.
struct Absorber(Reader);

impl XofAbsorber for Absorber {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        // SAFETY: the state is initialized and not yet finalized. The pointer and length describe
        // `part`.
        unsafe { (self.0.functions.absorb)(&raw mut self.0.state, part.as_ptr(), part.len()) };
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Box<dyn XofReader>> {
        // SAFETY: the state is initialized and is finalized only here.
        unsafe { (self.0.functions.finalize)(&raw mut self.0.state) };
        Ok(Box::new(self.0))
    }
}

struct Reader {
    state: State,
    functions: &'static Functions,
}

// SAFETY: the reader owns the memory behind the state, and this memory is not bound to a thread.
unsafe impl Send for Reader {}

impl XofReader for Reader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        // SAFETY: the state is finalized, and the call writes `out.len()` bytes.
        unsafe { (self.functions.squeeze)(out.as_mut_ptr(), out.len(), &raw mut self.state) };
        Ok(())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: the pointer in the state comes from `init` and is released only here.
        unsafe { (self.functions.release)(&raw mut self.state) };
    }
}
