//! Composite of ML-DSA-65 and Ed25519: id-MLDSA65-Ed25519-SHA512, OID 1.3.6.1.5.5.7.6.48
//! (draft-ietf-lamps-pq-composite-sigs-19, sections 3 and 6).
//!
//! `M' = Prefix || Label || len(ctx) || ctx || SHA-512(M)`. The signature is `ML-DSA-65.Sign(M', ctx = Label) ||
//! Ed25519.Sign(M')`. Do not use the keys outside the composite.

use super::halves::{Halves, KeyPair, VerifyingPair};
use super::length::{ED25519_KEY, ED25519_SIGNATURE, ML_DSA_65_KEY, ML_DSA_65_SIGNATURE, SEED};
use pqlab_primitives::{
    Coins, Error, Hash, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey,
    Wiped,
};
use std::sync::Arc;

const PREFIX: &[u8; 32] = b"CompositeAlgorithmSignatures2025";
const LABEL: &[u8; 30] = b"COMPSIG-MLDSA65-Ed25519-SHA512";
const DIGEST: usize = 64;
/// Maximum length of a context in bytes.
const CONTEXT: usize = 255;
const SIGNATURE: usize = ML_DSA_65_SIGNATURE + ED25519_SIGNATURE;

/// Composite signature scheme. The verifying key is 1984 bytes long: ML-DSA-65, then Ed25519. The signing key is 64
/// bytes long: two seeds in the same order. Signatures are 3373 bytes long.
pub struct CompositeSignature {
    info: SignatureInfo,
    halves: Halves,
    sha512: Arc<dyn Hash>,
}

impl CompositeSignature {
    /// Name of the algorithm.
    pub const ALGORITHM: &'static str = "MLDSA65-Ed25519-SHA512";

    /// Builds the composite from Ed25519, ML-DSA-65 and SHA-512, which may come from different libraries.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if an argument implements a different algorithm, or if the ML-DSA implementation does not
    /// support contexts.
    pub fn new(
        classical: Arc<dyn SignatureScheme>,
        post_quantum: Arc<dyn SignatureScheme>,
        sha512: Arc<dyn Hash>,
    ) -> Result<CompositeSignature> {
        let takes_context = post_quantum.info().context;
        let (halves, info) = Halves::new(classical, post_quantum, Self::ALGORITHM, KeyEncoding::Seed)?;
        if sha512.info().algorithm != "SHA-512" {
            return Err(Error::Unsupported("the composite requires SHA-512"));
        }
        if !takes_context {
            return Err(Error::Unsupported("the composite requires ML-DSA with context support"));
        }
        Ok(CompositeSignature { info: SignatureInfo { context: true, ..info }, halves, sha512 })
    }

    fn signing_key(&self, pair: KeyPair) -> Box<dyn SigningKey> {
        Box::new(CompositeSigningKey { pair, sha512: Arc::clone(&self.sha512) })
    }
}

/// `M'`, the message that both halves sign. At most 382 bytes long.
pub struct Message {
    bytes: [u8; Message::LONGEST],
    length: usize,
}

impl Message {
    const LONGEST: usize = PREFIX.len() + LABEL.len() + 1 + CONTEXT + DIGEST;

    /// ML-DSA context for signing `M'`.
    pub const ML_DSA_CONTEXT: &'static [u8] = LABEL;

    /// Builds `M'` from a message and the caller's context.
    ///
    /// # Errors
    /// [`Error::Length`] if the context has more than 255 bytes. Propagates errors from the hash.
    pub fn new(sha512: &dyn Hash, context: &[u8], message: &[u8]) -> Result<Message> {
        let length = u8::try_from(context.len()).map_err(|_| Error::Length {
            what: "context",
            expected: CONTEXT,
            actual: context.len(),
        })?;
        let mut formatted = Message { bytes: [0; Self::LONGEST], length: 0 };
        for part in [&PREFIX[..], LABEL, &[length], context] {
            formatted.bytes[formatted.length..][..part.len()].copy_from_slice(part);
            formatted.length += part.len();
        }
        sha512.digest(message, &mut formatted.bytes[formatted.length..][..DIGEST])?;
        formatted.length += DIGEST;
        Ok(formatted)
    }

    /// Returns the bytes of `M'`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl SignatureScheme for CompositeSignature {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let pair = self.halves.generate(coins)?;
        Ok((encode_verifying(&pair.verifying()?, verifying_key)?, encode_signing(&pair, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(self.signing_key(self.halves.generate(coins)?))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Seed {
            return Err(Error::Unsupported("composite signing keys must be encoded as two seeds"));
        }
        if !self.halves.seeded() {
            return Err(Error::Unsupported("one of the two libraries cannot generate keys from seeds"));
        }
        let seeds: [u8; 2 * SEED] = bytes.try_into().map_err(|_| Error::Length {
            what: "signing key",
            expected: 2 * SEED,
            actual: bytes.len(),
        })?;
        Ok(self.signing_key(self.halves.prepare(Wiped::new(seeds))?))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Error::check_length("verifying key", ML_DSA_65_KEY + ED25519_KEY, bytes.len())?;
        let (post_quantum, classical) = bytes.split_at(ML_DSA_65_KEY);
        let pair = self.halves.load_verifying(classical, post_quantum)?;
        Ok(Box::new(CompositeVerifyingKey { pair, sha512: Arc::clone(&self.sha512) }))
    }
}

struct CompositeSigningKey {
    pair: KeyPair,
    sha512: Arc<dyn Hash>,
}

impl SigningKey for CompositeSigningKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let actual = out.len();
        let out = out.get_mut(..SIGNATURE).ok_or(Error::Length { what: "signature", expected: SIGNATURE, actual })?;
        let message = Message::new(self.sha512.as_ref(), context, message)?;
        let (post_quantum, classical) = out.split_at_mut(ML_DSA_65_SIGNATURE);
        let written = self.pair.post_quantum.sign(LABEL, message.as_bytes(), coins, post_quantum)?;
        Error::check_length("post-quantum signature", ML_DSA_65_SIGNATURE, written)?;
        let written = self.pair.classical.sign(&[], message.as_bytes(), Coins::Internal, classical)?;
        Error::check_length("classical signature", ED25519_SIGNATURE, written)?;
        Ok(SIGNATURE)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(CompositeVerifyingKey { pair: self.pair.verifying()?, sha512: Arc::clone(&self.sha512) }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => encode_signing(&self.pair, out),
            _ => Err(Error::Unsupported("composite signing keys must be encoded as two seeds")),
        }
    }
}

struct CompositeVerifyingKey {
    pair: VerifyingPair,
    sha512: Arc<dyn Hash>,
}

impl VerifyingKey for CompositeVerifyingKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        if signature.len() != SIGNATURE {
            return Err(Error::VerificationFailed);
        }
        let message = Message::new(self.sha512.as_ref(), context, message)?;
        let (post_quantum, classical) = signature.split_at(ML_DSA_65_SIGNATURE);
        self.pair.post_quantum.verify(LABEL, message.as_bytes(), post_quantum)?;
        self.pair.classical.verify(&[], message.as_bytes(), classical)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        encode_verifying(&self.pair, out)
    }
}

fn encode_verifying(pair: &VerifyingPair, out: &mut [u8]) -> Result<usize> {
    const LENGTH: usize = ML_DSA_65_KEY + ED25519_KEY;
    let actual = out.len();
    let out = out.get_mut(..LENGTH).ok_or(Error::Length { what: "verifying key", expected: LENGTH, actual })?;
    let (post_quantum, classical) = out.split_at_mut(ML_DSA_65_KEY);
    pair.post_quantum.encode(post_quantum)?;
    pair.classical.encode(classical)?;
    Ok(LENGTH)
}

fn encode_signing(pair: &KeyPair, out: &mut [u8]) -> Result<usize> {
    let seeds = pair.seeds()?;
    let actual = out.len();
    let out = out.get_mut(..seeds.len()).ok_or(Error::Length { what: "signing key", expected: 2 * SEED, actual })?;
    out.copy_from_slice(seeds);
    Ok(seeds.len())
}
