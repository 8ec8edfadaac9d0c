//! SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202): EVP_MD-SHA2(7), EVP_MD-SHA3(7), EVP_MD-SHAKE(7).
//!
//! Algorithms are fetched once. Each thread keeps one context an algorithm: starting it again with the same algorithm
//! neither allocates nor looks anything up.

use super::error::check;
use super::native::owned;
use crate::shared::messages;
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::cell::Cell;
use std::ffi::CStr;
use std::ptr;

/// The hash functions on offer.
pub(super) const HASHES: [&str; 6] = ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"];
/// The extendable-output functions on offer.
pub(super) const XOFS: [&str; 2] = ["SHAKE128", "SHAKE256"];

/// Our names, OpenSSL's, and the length of a digest in bytes, 0 where it may be any. The position is the algorithm's
/// place among a thread's contexts.
const NAMES: [(&str, &CStr, usize); 9] = [
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
    MdCtx: EVP_MD_CTX, EVP_MD_CTX_free;
}

// SAFETY: a fetched algorithm is never changed; its reference count is atomic.
unsafe impl Sync for Md {}

thread_local! {
    static CONTEXTS: [Cell<Option<MdCtx>>; NAMES.len()] = const { [const { Cell::new(None) }; NAMES.len()] };
}

/// A digest algorithm and its place among a thread's contexts.
pub(super) struct Algorithm {
    md: Md,
    place: usize,
    digest: usize,
}

/// A hash function with a digest of fixed length.
pub(super) struct FixedHash {
    info: HashParameters,
    algorithm: Algorithm,
}

/// An extendable-output function.
pub(super) struct Shake {
    info: XofParameters,
    algorithm: Algorithm,
}

struct Reader(MdCtx);

struct Absorber(MdCtx);

impl Algorithm {
    /// Looks an algorithm up by our name for it.
    pub(super) fn fetch(name: &str) -> Result<Algorithm> {
        let place = NAMES.iter().position(|(ours, ..)| *ours == name).ok_or(Error::Unsupported("no such digest"))?;
        let (_, name, digest) = NAMES[place];
        // SAFETY: null stands for the default library context and no properties; the reference that comes back is ours.
        let md = unsafe { Md::own("EVP_MD_fetch", sys::EVP_MD_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()))? };
        Ok(Algorithm { md, place, digest })
    }

    /// Writes the digest of `message`; `out` has exactly the digest's length.
    pub(super) fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.with_context(|ctx| self.one_shot(ctx, message, out))
    }

    /// Lends the thread's context of this algorithm. After a fault it is not kept.
    fn with_context(&self, work: impl FnOnce(&MdCtx) -> Result<()>) -> Result<()> {
        CONTEXTS.with(|contexts| {
            let ctx = match contexts[self.place].take() {
                Some(ctx) => ctx,
                None => MdCtx::new()?,
            };
            work(&ctx)?;
            contexts[self.place].set(Some(ctx));
            Ok(())
        })
    }

    fn begin(&self, ctx: &MdCtx) -> Result<()> {
        // SAFETY: the context is this thread's while we hold it; null says that there are no parameters.
        check("EVP_DigestInit_ex2", unsafe { sys::EVP_DigestInit_ex2(ctx.as_ptr(), self.md.as_ptr(), ptr::null()) })
    }

    fn absorb(&self, ctx: &MdCtx, message: &[u8]) -> Result<()> {
        self.begin(ctx)?;
        update(ctx, message)
    }

    fn one_shot(&self, ctx: &MdCtx, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.digest, out.len())?;
        self.absorb(ctx, message)?;
        // SAFETY: `out` has the digest's length; null says that nobody asks for it.
        check("EVP_DigestFinal_ex", unsafe { sys::EVP_DigestFinal_ex(ctx.as_ptr(), out.as_mut_ptr(), ptr::null_mut()) })
    }

    fn one_shot_xof(&self, ctx: &MdCtx, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.absorb(ctx, message)?;
        squeeze(ctx, out)
    }
}

impl MdCtx {
    fn new() -> Result<MdCtx> {
        // SAFETY: the context that comes back is ours.
        unsafe { MdCtx::own("EVP_MD_CTX_new", sys::EVP_MD_CTX_new()) }
    }
}

impl FixedHash {
    pub(super) fn new(name: &str) -> Result<FixedHash> {
        let info = HashParameters::of(name).ok_or(Error::Unsupported("no parameters are known"))?;
        Ok(FixedHash { info, algorithm: Algorithm::fetch(name)? })
    }
}

impl Hash for FixedHash {
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

impl Shake {
    pub(super) fn new(name: &str) -> Result<Shake> {
        let info = XofParameters::of(name).ok_or(Error::Unsupported("no parameters are known"))?;
        Ok(Shake { info, algorithm: Algorithm::fetch(name)? })
    }
}

impl Xof for Shake {
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
        let ctx = MdCtx::new()?;
        self.algorithm.absorb(&ctx, message)?;
        Ok(Box::new(Reader(ctx)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        let ctx = MdCtx::new()?;
        self.algorithm.begin(&ctx)?;
        Ok(Box::new(Absorber(ctx)))
    }
}

impl XofAbsorber for Absorber {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        update(&self.0, part)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Reader(self.0)))
    }
}

impl XofReader for Reader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        squeeze(&self.0, out)
    }
}

fn update(ctx: &MdCtx, part: &[u8]) -> Result<()> {
    // SAFETY: the context is this thread's while we hold it; the part is only read.
    check("EVP_DigestUpdate", unsafe { sys::EVP_DigestUpdate(ctx.as_ptr(), part.as_ptr().cast(), part.len()) })
}

fn squeeze(ctx: &MdCtx, out: &mut [u8]) -> Result<()> {
    // SAFETY: the context is this thread's while we hold it; the length of `out` is given.
    check("EVP_DigestSqueeze", unsafe { sys::EVP_DigestSqueeze(ctx.as_ptr(), out.as_mut_ptr(), out.len()) })
}
