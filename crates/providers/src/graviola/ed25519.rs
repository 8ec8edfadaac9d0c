//! Ed25519 (RFC 8032), without pre-hashing and without context strings.

use super::library;
use crate::shared::bytes::{no_context, sized, write};
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey, Wiped,
};
use std::sync::Arc;

const NO_SUCH_ENCODING: Error = Error::Unsupported("Ed25519 signing keys must be encoded as a seed");

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

fn generate_key(coins: Coins) -> Result<Ed25519SigningKey> {
    match coins.exact::<32>()? {
        Some(seed) => Ed25519SigningKey::from_bytes(seed).map_err(library("Ed25519SigningKey::from_bytes")),
        None => Ed25519SigningKey::generate().map_err(library("Ed25519SigningKey::generate")),
    }
}

impl SignatureScheme for Ed25519 {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = generate_key(coins)?;
        let verifying = write("verifying key", verifying_key, &key.public_key().as_bytes())?;
        Ok((verifying, write("signing key", signing_key, &*Wiped::new(key.as_seed()))?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PreparedSigningKey(generate_key(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        match encoding {
            KeyEncoding::Seed => self.generate(Coins::Exact(sized::<32>("signing key", bytes)?)),
            _ => Err(NO_SUCH_ENCODING),
        }
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let key = Ed25519VerifyingKey::from_bytes(sized::<32>("verifying key", bytes)?);
        Ok(Box::new(PreparedVerifyingKey(key.map_err(|_| Error::Malformed("verifying key"))?)))
    }
}

/// Signing key: the seed, the hash of the seed, and the public key.
struct PreparedSigningKey(Ed25519SigningKey);

impl SigningKey for PreparedSigningKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        coins.exact::<0>()?;
        write("signature", out, &self.0.sign(message))
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey(self.0.public_key())))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => write("signing key", out, &*Wiped::new(self.0.as_seed())),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

/// Verifying key as a decompressed point.
struct PreparedVerifyingKey(Ed25519VerifyingKey);

impl VerifyingKey for PreparedVerifyingKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        self.0.verify(signature, message).map_err(|_| Error::VerificationFailed)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, &self.0.as_bytes())
    }
}
