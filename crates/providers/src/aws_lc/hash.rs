//! SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), through one-shot functions that keep the state on the stack.

use super::error::{check, library};
use super::ffi::{self, OneShotHash, OneShotXof};
use super::handle::Owned;
use aws_lc_sys as aws;
use pqlab_adapters::messages;
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::sync::Arc;

/// Returns the hash functions.
pub(super) fn hashes() -> impl Iterator<Item = Arc<dyn Hash>> {
    let functions: [(&str, OneShotHash); 6] = [
        ("SHA3-224", ffi::SHA3_224),
        ("SHA3-256", ffi::SHA3_256),
        ("SHA3-384", ffi::SHA3_384),
        ("SHA3-512", ffi::SHA3_512),
        ("SHA-256", aws::SHA256),
        ("SHA-512", aws::SHA512),
    ];
    functions.into_iter().filter_map(|(algorithm, call)| {
        Some(Arc::new(AwsHash { info: HashParameters::find(algorithm)?, call }) as Arc<dyn Hash>)
    })
}

/// Returns the extendable-output functions.
pub(super) fn xofs() -> impl Iterator<Item = Arc<dyn Xof>> {
    type Function = (&'static str, OneShotXof, unsafe extern "C" fn() -> *const aws::EVP_MD);
    let functions: [Function; 2] =
        [("SHAKE128", ffi::SHAKE128, aws::EVP_shake128), ("SHAKE256", ffi::SHAKE256, aws::EVP_shake256)];
    functions.into_iter().filter_map(|(algorithm, call, digest)| {
        Some(Arc::new(AwsXof { info: XofParameters::find(algorithm)?, call, digest }) as Arc<dyn Xof>)
    })
}

struct AwsHash {
    info: HashParameters,
    call: OneShotHash,
}

impl Hash for AwsHash {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        // SAFETY: the message is passed with its length, and `out` is as long as the digest.
        let returned = unsafe { (self.call)(message.as_ptr(), message.len(), out.as_mut_ptr()) };
        if returned.is_null() { Err(library("SHA")) } else { Ok(()) }
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        messages::check(messages, count)?;
        for message in messages.iter().cycle().take(count) {
            // SAFETY: the message is passed with its length, and `out` is as long as the digest.
            let returned = unsafe { (self.call)(message.as_ptr(), message.len(), out.as_mut_ptr()) };
            if returned.is_null() {
                return Err(library("SHA"));
            }
        }
        Ok(())
    }
}

struct AwsXof {
    info: XofParameters,
    call: OneShotXof,
    digest: unsafe extern "C" fn() -> *const aws::EVP_MD,
}

impl Xof for AwsXof {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        // SAFETY: each pointer is passed with the length of its buffer.
        let returned = unsafe { (self.call)(message.as_ptr(), message.len(), out.as_mut_ptr(), out.len()) };
        if returned.is_null() { Err(library("SHAKE")) } else { Ok(()) }
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        messages::check(messages, count)?;
        for message in messages.iter().cycle().take(count) {
            // SAFETY: each pointer is passed with the length of its buffer.
            let returned = unsafe { (self.call)(message.as_ptr(), message.len(), out.as_mut_ptr(), out.len()) };
            if returned.is_null() {
                return Err(library("SHAKE"));
            }
        }
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        let mut absorber = self.begin()?;
        absorber.update(message)?;
        Ok(Box::new(Reader(absorber.0)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Ok(Box::new(self.begin()?))
    }
}

impl AwsXof {
    fn begin(&self) -> Result<Absorber> {
        // SAFETY: the call returns null or a new context that we own.
        let context = unsafe { Owned::from_raw(aws::EVP_MD_CTX_new()) }.ok_or_else(|| library("EVP_MD_CTX_new"))?;
        // SAFETY: nothing else uses the context.
        check("EVP_DigestInit", unsafe { aws::EVP_DigestInit(context.as_ptr(), (self.digest)()) })?;
        Ok(Absorber(context))
    }
}

struct Absorber(Owned<aws::EVP_MD_CTX>);

impl XofAbsorber for Absorber {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        // SAFETY: nothing else uses the context, and the call only reads `part`.
        let returned = unsafe { aws::EVP_DigestUpdate(self.0.as_ptr(), part.as_ptr().cast(), part.len()) };
        check("EVP_DigestUpdate", returned)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Reader(self.0)))
    }
}

struct Reader(Owned<aws::EVP_MD_CTX>);

impl XofReader for Reader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        // SAFETY: nothing else uses the context, and the call writes `out.len()` bytes.
        check("EVP_DigestSqueeze", unsafe { aws::EVP_DigestSqueeze(self.0.as_ptr(), out.as_mut_ptr(), out.len()) })
    }
}
