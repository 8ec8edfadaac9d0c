//! SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202): EVP_MD-SHA2(7), EVP_MD-SHA3(7), EVP_MD-SHAKE(7).
//!
//! Algorithms are fetched once. Each thread keeps one context an algorithm: starting it again with the same algorithm
//! neither allocates nor looks anything up.

use super::crypto::Crypto;
use super::native::owned;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::cell::RefCell;
use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The hash functions on offer.
pub(super) const HASHES: [&str; 6] = ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"];
/// The extendable-output functions on offer.
pub(super) const XOFS: [&str; 2] = ["SHAKE128", "SHAKE256"];

/// Our names, OpenSSL's, and the length of a digest in bytes, 0 where it may be any.
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
    static CONTEXTS: RefCell<Vec<Option<MdCtx>>> = const { RefCell::new(Vec::new()) };
}

/// How many algorithms of all opened libraries were fetched.
static PLACES: AtomicUsize = AtomicUsize::new(0);

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
    pub(super) fn fetch(crypto: &'static Crypto, name: &str) -> Result<Algorithm> {
        let names = NAMES.iter().find(|(ours, ..)| *ours == name).ok_or(Error::Unsupported("no such digest"))?;
        let &(_, name, digest) = names;
        // SAFETY: null says that there are no properties; the reference that comes back is ours.
        let md = unsafe {
            let fetched = (crypto.EVP_MD_fetch)(crypto.context(), name.as_ptr(), ptr::null());
            Md::own(crypto, "EVP_MD_fetch", fetched)?
        };
        Ok(Algorithm { md, place: PLACES.fetch_add(1, Ordering::Relaxed), digest })
    }

    /// Writes the digest of `message`; `out` has exactly the digest's length.
    pub(super) fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.with_context(|ctx| self.one_shot(ctx, message, out))
    }

    /// Lends the thread's context of this algorithm. After a fault it is not kept.
    fn with_context(&self, work: impl FnOnce(&MdCtx) -> Result<()>) -> Result<()> {
        CONTEXTS.with_borrow_mut(|contexts| {
            if contexts.len() <= self.place {
                contexts.resize_with(self.place + 1, || None);
            }
            let slot = &mut contexts[self.place];
            let ctx = match slot.take() {
                Some(ctx) => ctx,
                None => MdCtx::new(self.md.crypto)?,
            };
            work(&ctx)?;
            *slot = Some(ctx);
            Ok(())
        })
    }

    fn begin(&self, ctx: &MdCtx) -> Result<()> {
        // SAFETY: the context is this thread's while we hold it; null says that there are no parameters.
        ctx.crypto.check("EVP_DigestInit_ex2", unsafe {
            (ctx.crypto.EVP_DigestInit_ex2)(ctx.as_ptr(), self.md.as_ptr(), ptr::null())
        })
    }

    fn absorb(&self, ctx: &MdCtx, message: &[u8]) -> Result<()> {
        self.begin(ctx)?;
        update(ctx, message)
    }

    fn one_shot(&self, ctx: &MdCtx, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.digest, out.len())?;
        self.absorb(ctx, message)?;
        // SAFETY: `out` has the digest's length; null says that nobody asks for it.
        ctx.crypto.check("EVP_DigestFinal_ex", unsafe {
            (ctx.crypto.EVP_DigestFinal_ex)(ctx.as_ptr(), out.as_mut_ptr(), ptr::null_mut())
        })
    }

    fn one_shot_xof(&self, ctx: &MdCtx, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.absorb(ctx, message)?;
        if ctx.crypto.EVP_DigestSqueeze.is_some() {
            return squeeze(ctx, out);
        }
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: the context is this thread's while we hold it; the length of `out` is given.
        let returned = unsafe { (ctx.crypto.EVP_DigestFinalXOF)(ctx.as_ptr(), out.as_mut_ptr(), out.len()) };
        ctx.crypto.check("EVP_DigestFinalXOF", returned)
    }
}

impl MdCtx {
    pub(super) fn new(crypto: &'static Crypto) -> Result<MdCtx> {
        // SAFETY: the context that comes back is ours.
        unsafe { MdCtx::own(crypto, "EVP_MD_CTX_new", (crypto.EVP_MD_CTX_new)()) }
    }
}

impl FixedHash {
    pub(super) fn new(crypto: &'static Crypto, name: &str) -> Result<FixedHash> {
        let info = HashParameters::of(name).ok_or(Error::Unsupported("no parameters are known"))?;
        Ok(FixedHash { info, algorithm: Algorithm::fetch(crypto, name)? })
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
        check_pool(messages, count)?;
        self.algorithm.with_context(|ctx| {
            messages.iter().cycle().take(count).try_for_each(|message| self.algorithm.one_shot(ctx, message, out))
        })
    }
}

impl Shake {
    pub(super) fn new(crypto: &'static Crypto, name: &str) -> Result<Shake> {
        let info = XofParameters::of(name).ok_or(Error::Unsupported("no parameters are known"))?;
        Ok(Shake { info, algorithm: Algorithm::fetch(crypto, name)? })
    }

    /// Before 3.3 all output is asked for at once.
    fn check_pieces(&self) -> Result<()> {
        match self.algorithm.md.crypto.EVP_DigestSqueeze {
            Some(_) => Ok(()),
            None => Err(Error::Unsupported("before OpenSSL 3.3 a XOF gives its output at once")),
        }
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
        check_pool(messages, count)?;
        self.algorithm.with_context(|ctx| {
            messages.iter().cycle().take(count).try_for_each(|message| self.algorithm.one_shot_xof(ctx, message, out))
        })
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        self.check_pieces()?;
        let ctx = MdCtx::new(self.algorithm.md.crypto)?;
        self.algorithm.absorb(&ctx, message)?;
        Ok(Box::new(Reader(ctx)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        self.check_pieces()?;
        let ctx = MdCtx::new(self.algorithm.md.crypto)?;
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

/// There is a message if any is to be digested.
fn check_pool(messages: &[Vec<u8>], count: usize) -> Result<()> {
    if messages.is_empty() && count > 0 {
        return Err(Error::Length { what: "pool of messages", expected: 1, actual: 0 });
    }
    Ok(())
}

fn update(ctx: &MdCtx, part: &[u8]) -> Result<()> {
    // SAFETY: the context is this thread's while we hold it; the part is only read.
    ctx.crypto.check("EVP_DigestUpdate", unsafe {
        (ctx.crypto.EVP_DigestUpdate)(ctx.as_ptr(), part.as_ptr().cast(), part.len())
    })
}

fn squeeze(ctx: &MdCtx, out: &mut [u8]) -> Result<()> {
    let Some(squeeze) = ctx.crypto.EVP_DigestSqueeze else {
        return Err(Error::Unsupported("before OpenSSL 3.3 a XOF gives its output at once"));
    };
    // SAFETY: the context is this thread's while we hold it; the length of `out` is given.
    ctx.crypto.check("EVP_DigestSqueeze", unsafe { squeeze(ctx.as_ptr(), out.as_mut_ptr(), out.len()) })
}
