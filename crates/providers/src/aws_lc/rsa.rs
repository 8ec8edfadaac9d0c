//! RSA-2048 with PKCS #1 v1.5 and SHA-256 (RFC 8017, section 8.2), for comparison with other schemes. The length of
//! encoded keys varies by a few bytes.

use super::error::{check, library, malformed, verification_failed};
use super::handle::Owned;
use crate::shared::bytes::{front_of, no_context};
use aws_lc_sys as aws;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::ptr::null_mut;
use std::sync::Arc;

/// Returns RSA-2048.
pub(super) fn scheme() -> Option<Arc<dyn SignatureScheme>> {
    let info = SignatureInfo {
        parameters: SignatureParameters::find("RSA-2048")?,
        encodings: vec![KeyEncoding::Der],
        coins: CoinSupport { keygen: false, operation: true },
        context: false,
        hedged: false,
    };
    Some(Arc::new(Rsa { info }))
}

/// Length of the modulus in bits.
const BITS: u32 = 2048;
/// Length of a signature in bytes.
const SIGNATURE: usize = 256;
/// Length of a SHA-256 digest in bytes.
const DIGEST: usize = 32;

const ENCODING: Error = Error::Unsupported("RSA signing keys must be encoded in DER");

struct Rsa {
    info: SignatureInfo,
}

impl SignatureScheme for Rsa {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = generate(coins)?;
        Ok((write_public(&key, verifying_key)?, write_private(&key, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PrivateKey(generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Der {
            return Err(ENCODING);
        }
        // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we
        // own.
        let key = unsafe { Owned::from_raw(aws::RSA_private_key_from_bytes(bytes.as_ptr(), bytes.len())) };
        // The library also accepts stripped keys, in which every field except the modulus and the
        // private exponent is zero. RFC 8017 does not define such keys.
        let key = key.filter(has_right_size).filter(has_factors);
        Ok(Box::new(PrivateKey(key.ok_or_else(|| malformed("RSA-2048 signing key"))?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we
        // own.
        let key = unsafe { Owned::from_raw(aws::RSA_public_key_from_bytes(bytes.as_ptr(), bytes.len())) };
        let key = key.filter(has_right_size);
        Ok(Box::new(PublicKey(key.ok_or_else(|| malformed("RSA-2048 verifying key"))?)))
    }
}

struct PrivateKey(Owned<aws::RSA>);

impl SigningKey for PrivateKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        // The scheme is deterministic, so the caller may supply only empty coins.
        coins.exact::<0>()?;
        let out = front_of("signature", out, SIGNATURE)?;
        let digest = hash(message)?;
        let mut length = 0;
        // SAFETY: `out` holds the 256 bytes that the call writes, the length of the modulus. The
        // call takes a mutable key, but `rsa.h` allows several threads to sign with the same key.
        let returned = unsafe {
            aws::RSA_sign(
                aws::NID_sha256,
                digest.as_ptr(),
                digest.len(),
                out.as_mut_ptr(),
                &raw mut length,
                self.0.as_ptr(),
            )
        };
        check("RSA_sign", returned)?;
        Ok(SIGNATURE)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        // SAFETY: the first call adds the reference that the new owner releases. It cannot fail for
        // a live key.
        let key = unsafe {
            aws::RSA_up_ref(self.0.as_ptr());
            Owned::from_raw(self.0.as_ptr())
        };
        Ok(Box::new(PublicKey(key.ok_or_else(|| library("RSA_up_ref"))?)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Der {
            return Err(ENCODING);
        }
        write_private(&self.0, out)
    }
}

struct PublicKey(Owned<aws::RSA>);

impl VerifyingKey for PublicKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        let digest = hash(message)?;
        // SAFETY: the digest and the signature are passed with their lengths. `rsa.h` allows
        // several threads to verify with the same key.
        let returned = unsafe {
            aws::RSA_verify(
                aws::NID_sha256,
                digest.as_ptr(),
                digest.len(),
                signature.as_ptr(),
                signature.len(),
                self.0.as_ptr(),
            )
        };
        if returned == 1 { Ok(()) } else { Err(verification_failed()) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write_public(&self.0, out)
    }
}

fn generate(coins: Coins) -> Result<Owned<aws::RSA>> {
    if let Coins::Exact(_) = coins {
        return Err(Error::Unsupported("no standard defines how RSA key generation uses randomness"));
    }
    // SAFETY: each call returns null or a new object that we own.
    let (key, exponent) = unsafe { (Owned::from_raw(aws::RSA_new()), Owned::from_raw(aws::BN_new())) };
    let key = key.ok_or_else(|| library("RSA_new"))?;
    let exponent = exponent.ok_or_else(|| library("BN_new"))?;
    // SAFETY: nothing else uses the two objects.
    unsafe {
        check("BN_set_word", aws::BN_set_word(exponent.as_ptr(), aws::RSA_F4 as aws::BN_ULONG))?;
        let returned = aws::RSA_generate_key_ex(key.as_ptr(), BITS as i32, exponent.as_ptr(), null_mut());
        check("RSA_generate_key_ex", returned)?;
    }
    Ok(key)
}

fn has_right_size(key: &Owned<aws::RSA>) -> bool {
    // SAFETY: the call only reads the key.
    unsafe { aws::RSA_bits(key.as_ptr()) == BITS }
}

fn has_factors(key: &Owned<aws::RSA>) -> bool {
    // SAFETY: the call only reads the key.
    unsafe { !aws::RSA_get0_p(key.as_ptr()).is_null() && !aws::RSA_get0_e(key.as_ptr()).is_null() }
}

fn hash(message: &[u8]) -> Result<[u8; DIGEST]> {
    let mut digest = [0; DIGEST];
    // SAFETY: the message is passed with its length, and `digest` holds the 32 bytes that the call
    // writes.
    let returned = unsafe { aws::SHA256(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
    if returned.is_null() { Err(library("SHA256")) } else { Ok(digest) }
}

fn write_public(key: &Owned<aws::RSA>, out: &mut [u8]) -> Result<usize> {
    let mut encoding = Der::empty();
    // SAFETY: the call only reads the key. It allocates the encoding, which `Der` frees.
    let returned =
        unsafe { aws::RSA_public_key_to_bytes(&raw mut encoding.start, &raw mut encoding.length, key.as_ptr()) };
    check("RSA_public_key_to_bytes", returned)?;
    encoding.write("verifying key", out)
}

fn write_private(key: &Owned<aws::RSA>, out: &mut [u8]) -> Result<usize> {
    let mut encoding = Der::empty();
    // SAFETY: the call only reads the key. It allocates the encoding, which `Der` frees.
    let returned =
        unsafe { aws::RSA_private_key_to_bytes(&raw mut encoding.start, &raw mut encoding.length, key.as_ptr()) };
    check("RSA_private_key_to_bytes", returned)?;
    encoding.write("signing key", out)
}

/// An encoded key in memory that the library allocated. The library wipes this memory before freeing it.
struct Der {
    start: *mut u8,
    length: usize,
}

impl Der {
    fn empty() -> Der {
        Der { start: null_mut(), length: 0 }
    }

    fn write(&self, what: &'static str, out: &mut [u8]) -> Result<usize> {
        let out = front_of(what, out, self.length)?;
        // SAFETY: the library set `start` and `length` to memory that nothing else uses.
        out.copy_from_slice(unsafe { std::slice::from_raw_parts(self.start, self.length) });
        Ok(self.length)
    }
}

impl Drop for Der {
    fn drop(&mut self) {
        // SAFETY: `start` is null or points to memory that the library allocated for us.
        unsafe { aws::OPENSSL_free(self.start.cast()) };
    }
}
