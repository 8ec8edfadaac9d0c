//! Ed25519 (RFC 8032). The library's functions need no context object. Every verification decodes the public key.
//! Verification, not loading, therefore rejects a key that is not a point on the curve.

use super::error::{check, verification_failed};
use crate::shared::bytes::{front_of, no_context, sized, sized_mut};
use aws_lc_sys as aws;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey, VerifyingKey, Wiped,
};
use std::sync::Arc;

/// Returns Ed25519, the pure variant without a context string.
pub(super) fn scheme() -> Option<Arc<dyn SignatureScheme>> {
    let info = SignatureInfo {
        parameters: SignatureParameters::find("Ed25519")?,
        encodings: vec![KeyEncoding::Seed],
        coins: CoinSupport { keygen: true, operation: true },
        context: false,
        hedged: false,
    };
    Some(Arc::new(Ed25519 { info }))
}

/// Length of a seed and of a public key in bytes (RFC 8032, section 5.1.5).
const KEY: usize = 32;
/// Length of a signature in bytes (RFC 8032, section 5.1.6).
const SIGNATURE: usize = 64;
/// Length of the library's private key in bytes: the seed followed by the public key.
const KEY_PAIR: usize = 64;

const ENCODING: Error = Error::Unsupported("Ed25519 signing keys must be encoded as a seed");

struct Ed25519 {
    info: SignatureInfo,
}

impl SignatureScheme for Ed25519 {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &[Prehash::Sha512]
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let public = sized_mut::<KEY>("verifying key", verifying_key)?;
        let seed = sized_mut::<KEY>("signing key", signing_key)?;
        let pair = PrivateKey::generate(coins)?;
        *public = pair.public;
        seed.copy_from_slice(pair.seed());
        Ok((KEY, KEY))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PrivateKey::generate(coins)?))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Seed {
            return Err(ENCODING);
        }
        Ok(Box::new(PrivateKey::from_seed(sized("signing key", bytes)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PublicKey(*sized("verifying key", bytes)?)))
    }
}

struct PrivateKey {
    pair: Wiped<[u8; KEY_PAIR]>,
    public: [u8; KEY],
}

impl PrivateKey {
    fn generate(coins: Coins) -> Result<PrivateKey> {
        if let Some(seed) = coins.exact()? {
            return Ok(PrivateKey::from_seed(seed));
        }
        let mut key = PrivateKey { pair: Wiped::new([0; KEY_PAIR]), public: [0; KEY] };
        // SAFETY: the arrays hold the 32-byte public key and the 64-byte key pair that the call
        // writes.
        unsafe { aws::ED25519_keypair(key.public.as_mut_ptr(), key.pair.as_mut_ptr()) };
        Ok(key)
    }

    fn from_seed(seed: &[u8; KEY]) -> PrivateKey {
        let mut key = PrivateKey { pair: Wiped::new([0; KEY_PAIR]), public: [0; KEY] };
        // SAFETY: the arrays have the lengths that the call expects: 32 bytes for the seed and the
        // public key, 64 bytes for the key pair.
        unsafe { aws::ED25519_keypair_from_seed(key.public.as_mut_ptr(), key.pair.as_mut_ptr(), seed.as_ptr()) };
        key
    }

    fn seed(&self) -> &[u8] {
        &self.pair[..KEY]
    }
}

impl SigningKey for PrivateKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        // The scheme is deterministic, so internal coins and empty exact coins give the same signature.
        coins.exact::<0>()?;
        let out = front_of("signature", out, SIGNATURE)?;
        // SAFETY: the message is passed with its length, the key pair is 64 bytes long, and `out`
        // holds the 64 bytes that the call writes.
        let returned =
            unsafe { aws::ED25519_sign(out.as_mut_ptr(), message.as_ptr(), message.len(), self.pair.as_ptr()) };
        check("ED25519_sign", returned)?;
        Ok(SIGNATURE)
    }

    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        check_prehash(prehash, context)?;
        coins.exact::<0>()?;
        let out = front_of("signature", out, SIGNATURE)?;
        // SAFETY: the message and the context string are passed with their lengths. The key pair is
        // 64 bytes long, and `out` holds the 64 bytes that the call writes.
        let returned = unsafe {
            aws::ED25519ph_sign(
                out.as_mut_ptr(),
                message.as_ptr(),
                message.len(),
                self.pair.as_ptr(),
                context.as_ptr(),
                context.len(),
            )
        };
        check("ED25519ph_sign", returned)?;
        Ok(SIGNATURE)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PublicKey(self.public)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Seed {
            return Err(ENCODING);
        }
        front_of("signing key", out, KEY)?.copy_from_slice(self.seed());
        Ok(KEY)
    }
}

struct PublicKey([u8; KEY]);

impl VerifyingKey for PublicKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        if signature.len() != SIGNATURE {
            return Err(Error::VerificationFailed);
        }
        // SAFETY: the message is passed with its length, the signature is 64 bytes long, and the
        // key is 32 bytes long.
        let returned =
            unsafe { aws::ED25519_verify(message.as_ptr(), message.len(), signature.as_ptr(), self.0.as_ptr()) };
        if returned == 1 { Ok(()) } else { Err(verification_failed()) }
    }

    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        check_prehash(prehash, context)?;
        if signature.len() != SIGNATURE {
            return Err(Error::VerificationFailed);
        }
        // SAFETY: the message and the context string are passed with their lengths. The signature
        // is 64 bytes long, and the key is 32 bytes long.
        let returned = unsafe {
            aws::ED25519ph_verify(
                message.as_ptr(),
                message.len(),
                signature.as_ptr(),
                self.0.as_ptr(),
                context.as_ptr(),
                context.len(),
            )
        };
        if returned == 1 { Ok(()) } else { Err(verification_failed()) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        front_of("verifying key", out, KEY)?.copy_from_slice(&self.0);
        Ok(KEY)
    }
}

/// Checks that the hash function is SHA-512 and that the context string is at most 255 bytes long (RFC 8032, section
/// 5.1).
fn check_prehash(prehash: Prehash, context: &[u8]) -> Result<()> {
    if prehash != Prehash::Sha512 {
        return Err(Error::Unsupported("Ed25519ph supports only SHA-512 for pre-hashing"));
    }
    if context.len() > 255 {
        return Err(Error::Length { what: "context", expected: 255, actual: context.len() });
    }
    Ok(())
}
