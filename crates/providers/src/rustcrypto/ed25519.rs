//! Ed25519 (RFC 8032) from the `ed25519-dalek` crate. Verification uses the crate's default, `verify`, instead of
//! `verify_strict`. Like OpenSSL, `verify` accepts weak public keys and does not multiply by the cofactor.

use super::sized;
use crate::shared::bytes::{check_context, no_context, write};
use crate::shared::draw::draw;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey as SigningKeyTrait, VerifyingKey as VerifyingKeyTrait, Wiped,
};
use sha2::{Digest, Sha512};
use std::sync::Arc;

pub(super) fn signature() -> Arc<dyn SignatureScheme> {
    let info = SignatureInfo {
        parameters: SignatureParameters::find("Ed25519").expect("missing from the parameter table"),
        encodings: vec![KeyEncoding::Seed],
        coins: CoinSupport { keygen: true, operation: true },
        context: false,
        hedged: false,
    };
    Arc::new(Ed25519 { info })
}

struct Ed25519 {
    info: SignatureInfo,
}

fn generate_key(coins: Coins) -> Result<SigningKey> {
    if let Some(seed) = coins.exact::<32>()? {
        return Ok(SigningKey::from_bytes(seed));
    }
    let mut seed = Wiped::new([0; 32]);
    draw(&mut *seed)?;
    Ok(SigningKey::from_bytes(&seed))
}

impl SignatureScheme for Ed25519 {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &[Prehash::Sha512]
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = generate_key(coins)?;
        let verifying = write("verifying key", verifying_key, key.verifying_key().as_bytes())?;
        Ok((verifying, write("signing key", signing_key, key.as_bytes())?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKeyTrait>> {
        Ok(Box::new(PreparedSigningKey(generate_key(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKeyTrait>> {
        match encoding {
            KeyEncoding::Seed => {
                Ok(Box::new(PreparedSigningKey(SigningKey::from_bytes(sized("signing key", 32, bytes)?))))
            }
            _ => Err(Error::Unsupported("Ed25519 signing keys must be encoded as a seed")),
        }
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKeyTrait>> {
        let key = VerifyingKey::from_bytes(sized("verifying key", 32, bytes)?);
        Ok(Box::new(PreparedVerifyingKey(key.map_err(|_| Error::Malformed("verifying key"))?)))
    }
}

/// Signing key: the seed and the public key. The crate hashes the seed again for each signature.
struct PreparedSigningKey(SigningKey);

impl SigningKeyTrait for PreparedSigningKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        coins.exact::<0>()?;
        write("signature", out, &self.0.sign(message).to_bytes())
    }

    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        only_sha512(prehash)?;
        check_context(context)?;
        coins.exact::<0>()?;
        let signature = self.0.sign_prehashed(Sha512::new_with_prefix(message), Some(context));
        let signature = signature
            .map_err(|error| Error::Library { call: "ed25519_dalek sign_prehashed", detail: error.to_string() })?;
        write("signature", out, &signature.to_bytes())
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKeyTrait>> {
        Ok(Box::new(PreparedVerifyingKey(self.0.verifying_key())))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => write("signing key", out, self.0.as_bytes()),
            _ => Err(Error::Unsupported("Ed25519 signing keys must be encoded as a seed")),
        }
    }
}

/// Verifying key as a decompressed point.
struct PreparedVerifyingKey(VerifyingKey);

impl VerifyingKeyTrait for PreparedVerifyingKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        let signature = Signature::from_slice(signature).map_err(|_| Error::VerificationFailed)?;
        self.0.verify(message, &signature).map_err(|_| Error::VerificationFailed)
    }

    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        only_sha512(prehash)?;
        check_context(context)?;
        let signature = Signature::from_slice(signature).map_err(|_| Error::VerificationFailed)?;
        let digest = Sha512::new_with_prefix(message);
        self.0.verify_prehashed(digest, Some(context), &signature).map_err(|_| Error::VerificationFailed)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, self.0.as_bytes())
    }
}

/// Rejects hash functions other than SHA-512, which Ed25519ph requires (RFC 8032, section 5.1).
fn only_sha512(prehash: Prehash) -> Result<()> {
    match prehash {
        Prehash::Sha512 => Ok(()),
        _ => Err(Error::Unsupported("Ed25519ph supports only SHA-512 for pre-hashing")),
    }
}
