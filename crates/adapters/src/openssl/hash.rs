//! SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202): EVP_MD-SHA2(7), EVP_MD-SHA3(7), EVP_MD-SHAKE(7).
//!
//! Algorithms are fetched once. Each thread keeps one context an algorithm: starting it again with the same algorithm
//! neither allocates nor looks anything up.

use super::Calls;
use super::native::owned;
use crate::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::ffi::CStr;
use std::ptr;

/// The hash functions on offer.
pub(super) const HASHES: [&str; 6] = ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"];
/// The extendable-output functions on offer.
pub(super) const XOFS: [&str; 2] = ["SHAKE128", "SHAKE256"];

/// The answer of a library before 3.3 to a request for output in pieces.
const AT_ONCE: Error = Error::Unsupported("before OpenSSL 3.3 a XOF returns all output in one call");

/// How many digest algorithms there are.
pub const DIGESTS: usize = 9;

/// Our names, OpenSSL's, and the length of a digest in bytes, 0 where it may be any. The position is the algorithm's
/// place among a thread's contexts.
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
    /// A digest in the making.
    pub MdCtx: EVP_MD_CTX, EVP_MD_CTX_free;
}

// SAFETY: a fetched algorithm is never changed; its reference count is atomic.
unsafe impl<C: Calls> Sync for Md<C> {}

/// A digest algorithm and its place among a thread's contexts.
pub(super) struct Algorithm<C: Calls> {
    md: Md<C>,
    place: usize,
    digest: usize,
}

/// A hash function with a digest of fixed length.
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
    /// Looks an algorithm up by our name for it.
    pub(super) fn fetch(calls: C, name: &str) -> Result<Algorithm<C>> {
        let place = NAMES.iter().position(|(ours, ..)| *ours == name).ok_or(Error::Unsupported("no such digest"))?;
        let (_, name, digest) = NAMES[place];
        // SAFETY: null says that there are no properties; the reference that comes back is ours.
        let md = unsafe {
            let fetched = calls.EVP_MD_fetch(calls.context(), name.as_ptr(), ptr::null());
            Md::own(calls, "EVP_MD_fetch", fetched)?
        };
        Ok(Algorithm { md, place, digest })
    }

    /// Writes the digest of `message`; `out` has exactly the digest's length.
    pub(super) fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.with_context(|ctx| self.one_shot(ctx, message, out))
    }

    /// Lends the thread's context of this algorithm. After a fault it is not kept.
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
        // SAFETY: the context is this thread's while we hold it; null says that there are no parameters.
        let returned = unsafe { ctx.calls.EVP_DigestInit_ex2(ctx.as_ptr(), self.md.as_ptr(), ptr::null()) };
        ctx.calls.check("EVP_DigestInit_ex2", returned)
    }

    /// A context whose output is asked for in pieces.
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
        // SAFETY: `out` has the digest's length; null says that nobody asks for it.
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
        // SAFETY: the context is this thread's while we hold it; the length of `out` is given.
        let returned = unsafe { ctx.calls.EVP_DigestFinalXOF(ctx.as_ptr(), out.as_mut_ptr(), out.len()) };
        ctx.calls.check("EVP_DigestFinalXOF", returned)
    }
}

impl<C: Calls> MdCtx<C> {
    pub(super) fn new(calls: C) -> Result<MdCtx<C>> {
        // SAFETY: the context that comes back is ours.
        unsafe { MdCtx::own(calls, "EVP_MD_CTX_new", calls.EVP_MD_CTX_new()) }
    }
}

impl<C: Calls> FixedHash<C> {
    pub(super) fn new(calls: C, name: &str) -> Result<FixedHash<C>> {
        let info = HashParameters::of(name).ok_or(Error::Unsupported("unknown parameters"))?;
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
        let info = XofParameters::of(name).ok_or(Error::Unsupported("unknown parameters"))?;
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
    // SAFETY: the context is this thread's while we hold it; the part is only read.
    let returned = unsafe { ctx.calls.EVP_DigestUpdate(ctx.as_ptr(), part.as_ptr().cast(), part.len()) };
    ctx.calls.check("EVP_DigestUpdate", returned)
}

fn squeeze<C: Calls>(ctx: &MdCtx<C>, out: &mut [u8]) -> Result<()> {
    let Some(squeeze) = ctx.calls.EVP_DigestSqueeze() else { return Err(AT_ONCE) };
    // SAFETY: the context is this thread's while we hold it; the length of `out` is given.
    ctx.calls.check("EVP_DigestSqueeze", unsafe { squeeze(ctx.as_ptr(), out.as_mut_ptr(), out.len()) })
}
