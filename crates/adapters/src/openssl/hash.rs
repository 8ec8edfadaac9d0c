//! SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202). See EVP_MD-SHA2(7), EVP_MD-SHA3(7) and EVP_MD-SHAKE(7).
//!
//! Each algorithm is fetched once. Each thread keeps one context per algorithm. Restarting a context with the same
//! algorithm requires neither an allocation nor a lookup.

use super::Calls;
use super::native::owned;
use crate::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::ffi::CStr;
use std::ptr;

/// Supported hash functions.
pub(super) const HASHES: [&str; 6] = ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"];
/// Supported extendable-output functions.
pub(super) const XOFS: [&str; 2] = ["SHAKE128", "SHAKE256"];

/// Error for reading output in pieces from OpenSSL before 3.3.
const AT_ONCE: Error = Error::Unsupported("returning XOF output in pieces requires OpenSSL 3.3");

/// Number of digest algorithms.
pub const DIGESTS: usize = 9;

/// Digest algorithms: pqlab's name, OpenSSL's name, and the digest length in bytes (0 if variable). The index
/// identifies the algorithm among a thread's contexts.
const NAMES: [(&str, &CStr, usize); DIGESTS] = [
    ("SHA3-224", c"SHA3-224", 28),
    ("SHA3-256", c"SHA3-256", 32),
    ("SHA3-384", c"SHA3-384", 48),
    ("SHA3-512", c"SHA3-512", 64),
    ("SHA-256", c"SHA2-256", 32),
    ("SHA-384", c"SHA2-384", 48),
    ("SHA-512", c"SHA2-512", 64),
    ("SHAKE128", c"SHAKE-128", 0),
    ("SHAKE256", c"SHAKE-256", 0),
];

owned! {
    /// A fetched digest algorithm.
    Md: EVP_MD, EVP_MD_free;
    /// A digest computation in progress.
    pub MdCtx: EVP_MD_CTX, EVP_MD_CTX_free;
}

// SAFETY: fetched algorithms never change, and their reference counts are atomic.
unsafe impl<C: Calls> Sync for Md<C> {}

/// A digest algorithm and its index among a thread's contexts.
pub(super) struct Algorithm<C: Calls> {
    md: Md<C>,
    place: usize,
    digest: usize,
}

/// A hash function with a fixed digest length.
pub(super) struct FixedHash<C: Calls> {
    info: HashParameters,
    algorithm: Algorithm<C>,
}

/// An extendable-output function.
pub(super) struct Shake<C: Calls> {
    info: XofParameters,
    algorithm: Algorithm<C>,
}

struct Reader<C: Calls>(MdCtx<C>);

struct Absorber<C: Calls>(MdCtx<C>);

impl<C: Calls> Algorithm<C> {
    /// Fetches an algorithm by pqlab's name.
    pub(super) fn fetch(calls: C, name: &str) -> Result<Algorithm<C>> {
        let place = NAMES.iter().position(|(ours, ..)| *ours == name).ok_or(Error::Unsupported("unknown digest"))?;
        let (_, name, digest) = NAMES[place];
        // SAFETY: null means no properties, and this code owns the returned reference.
        let md = unsafe {
            let fetched = calls.EVP_MD_fetch(calls.context(), name.as_ptr(), ptr::null());
            Md::adopt(calls, "EVP_MD_fetch", fetched)?
        };
        Ok(Algorithm { md, place, digest })
    }

    /// Writes the digest of `message` to `out`, which must be exactly as long as the digest.
    pub(super) fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.with_context(|ctx| self.one_shot(ctx, message, out))
    }

    /// Calls `work` with the thread's context for this algorithm. Drops the context after an error.
    fn with_context(&self, work: impl FnOnce(&MdCtx<C>) -> Result<()>) -> Result<()> {
        let calls = self.md.calls;
        calls.with_digest_context(self.place, |kept| {
            let ctx = match kept.take() {
                Some(ctx) => ctx,
                None => MdCtx::new(calls)?,
            };
            work(&ctx)?;
            kept.set(Some(ctx));
            Ok(())
        })
    }

    fn begin(&self, ctx: &MdCtx<C>) -> Result<()> {
        // SAFETY: only this thread uses the context during the call. Null means no parameters.
        let returned = unsafe { ctx.calls.EVP_DigestInit_ex2(ctx.as_ptr(), self.md.as_ptr(), ptr::null()) };
        ctx.calls.check("EVP_DigestInit_ex2", returned)
    }

    /// Returns a context whose output can be read in pieces.
    fn in_pieces(&self) -> Result<MdCtx<C>> {
        let calls = self.md.calls;
        if calls.EVP_DigestSqueeze().is_none() {
            return Err(AT_ONCE);
        }
        MdCtx::new(calls)
    }

    fn absorb(&self, ctx: &MdCtx<C>, message: &[u8]) -> Result<()> {
        self.begin(ctx)?;
        update(ctx, message)
    }

    fn one_shot(&self, ctx: &MdCtx<C>, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.digest, out.len())?;
        self.absorb(ctx, message)?;
        // SAFETY: `out` is as long as the digest. Null means that the length is not returned.
        let returned = unsafe { ctx.calls.EVP_DigestFinal_ex(ctx.as_ptr(), out.as_mut_ptr(), ptr::null_mut()) };
        ctx.calls.check("EVP_DigestFinal_ex", returned)
    }

    fn one_shot_xof(&self, ctx: &MdCtx<C>, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.absorb(ctx, message)?;
        if ctx.calls.EVP_DigestSqueeze().is_some() {
            return squeeze(ctx, out);
        }
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: only this thread uses the context during the call, and the length of `out` is passed.
        let returned = unsafe { ctx.calls.EVP_DigestFinalXOF(ctx.as_ptr(), out.as_mut_ptr(), out.len()) };
        ctx.calls.check("EVP_DigestFinalXOF", returned)
    }
}

impl<C: Calls> MdCtx<C> {
    pub(super) fn new(calls: C) -> Result<MdCtx<C>> {
        // SAFETY: this code owns the returned context.
        unsafe { MdCtx::adopt(calls, "EVP_MD_CTX_new", calls.EVP_MD_CTX_new()) }
    }
}

impl<C: Calls> FixedHash<C> {
    pub(super) fn new(calls: C, name: &str) -> Result<FixedHash<C>> {
        let info = HashParameters::find(name).ok_or(Error::Unsupported("unknown parameters"))?;
        Ok(FixedHash { info, algorithm: Algorithm::fetch(calls, name)? })
    }
}

impl<C: Calls> Hash for FixedHash<C> {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.algorithm.digest(message, out)
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        messages::check(messages, count)?;
        self.algorithm.with_context(|ctx| {
            messages.iter().cycle().take(count).try_for_each(|message| self.algorithm.one_shot(ctx, message, out))
        })
    }
}

impl<C: Calls> Shake<C> {
    pub(super) fn new(calls: C, name: &str) -> Result<Shake<C>> {
        let info = XofParameters::find(name).ok_or(Error::Unsupported("unknown parameters"))?;
        Ok(Shake { info, algorithm: Algorithm::fetch(calls, name)? })
    }
}

impl<C: Calls> Xof for Shake<C> {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.algorithm.with_context(|ctx| self.algorithm.one_shot_xof(ctx, message, out))
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        messages::check(messages, count)?;
        self.algorithm.with_context(|ctx| {
            messages.iter().cycle().take(count).try_for_each(|message| self.algorithm.one_shot_xof(ctx, message, out))
        })
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        let ctx = self.algorithm.in_pieces()?;
        self.algorithm.absorb(&ctx, message)?;
        Ok(Box::new(Reader(ctx)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        let ctx = self.algorithm.in_pieces()?;
        self.algorithm.begin(&ctx)?;
        Ok(Box::new(Absorber(ctx)))
    }
}

impl<C: Calls> XofAbsorber for Absorber<C> {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        update(&self.0, part)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Reader(self.0)))
    }
}

impl<C: Calls> XofReader for Reader<C> {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        squeeze(&self.0, out)
    }
}

fn update<C: Calls>(ctx: &MdCtx<C>, part: &[u8]) -> Result<()> {
    // SAFETY: only this thread uses the context during the call, and `part` is only read.
    let returned = unsafe { ctx.calls.EVP_DigestUpdate(ctx.as_ptr(), part.as_ptr().cast(), part.len()) };
    ctx.calls.check("EVP_DigestUpdate", returned)
}

fn squeeze<C: Calls>(ctx: &MdCtx<C>, out: &mut [u8]) -> Result<()> {
    let Some(squeeze) = ctx.calls.EVP_DigestSqueeze() else { return Err(AT_ONCE) };
    // SAFETY: only this thread uses the context during the call, and the length of `out` is passed.
    ctx.calls.check("EVP_DigestSqueeze", unsafe { squeeze(ctx.as_ptr(), out.as_mut_ptr(), out.len()) })
}
