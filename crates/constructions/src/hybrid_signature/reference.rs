//! The reference form of a hybrid signature, defined by an earlier system. Both algorithms sign
//! `random || message`, where `random` is 32 fresh bytes per signature. The result is the CBOR
//! array `[random, Ed25519 signature, ML-DSA-65 signature]`, 3413 bytes.
//!
//! pqlab offers this form only to reproduce the earlier system's tables. This form does not bind the two halves
//! together, because each signature on its own is valid over `random || message`. The composite prevents such a
//! separation with its context.

use super::halves::{Halves, KeyPair, VerifyingPair};
use super::length::{ED25519_KEY, ED25519_SIGNATURE, ML_DSA_65_KEY, ML_DSA_65_SIGNATURE, SEED};
use crate::cbor;
use pqlab_primitives::{
    Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey, Wiped,
};
use std::sync::Arc;

/// Length in bytes of the random prefix.
const RANDOM: usize = 32;
const SIGNATURE: [usize; 3] = [RANDOM, ED25519_SIGNATURE, ML_DSA_65_SIGNATURE];
const VERIFYING_KEY: [usize; 2] = [ED25519_KEY, ML_DSA_65_KEY];
const SIGNING_KEY: [usize; 2] = [SEED, SEED];
/// Maximum message length in bytes for assembling `random || message` on the stack.
const SHORT: usize = 1024;

/// Hybrid signature scheme in the reference form. Keys are CBOR pairs, Ed25519 first. The verifying key is 1990 bytes
/// long, and the signing key 69.
///
/// [`Coins::Exact`] with 32 bytes sets `random` and requests deterministic ML-DSA. With 64 bytes, it sets
/// `random || rnd`, where `rnd` is ML-DSA's random input (FIPS 204).
pub struct ReferenceSignature {
    info: SignatureInfo,
    halves: Halves,
}

impl ReferenceSignature {
    /// Name of the algorithm.
    pub const ALGORITHM: &'static str = "Ed25519+ML-DSA-65";

    /// Builds the scheme from Ed25519 and ML-DSA-65, which may come from different libraries.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if an argument implements a different algorithm.
    pub fn new(
        classical: Arc<dyn SignatureScheme>,
        post_quantum: Arc<dyn SignatureScheme>,
    ) -> Result<ReferenceSignature> {
        let (halves, info) = Halves::new(classical, post_quantum, Self::ALGORITHM, KeyEncoding::Cbor)?;
        Ok(ReferenceSignature { info, halves })
    }
}

impl SignatureScheme for ReferenceSignature {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let pair = self.halves.generate(coins)?;
        Ok((encode_verifying(&pair.verifying()?, verifying_key)?, encode_signing(&pair, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(ReferenceSigningKey(self.halves.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Cbor {
            return Err(Error::Unsupported("signing keys in the reference form must be CBOR"));
        }
        if !self.halves.seeded() {
            return Err(Error::Unsupported("one of the two libraries cannot generate keys from seeds"));
        }
        let [classical, post_quantum] = cbor::read("signing key", bytes, SIGNING_KEY)?;
        let mut seeds = Wiped::new([0; 2 * SEED]);
        seeds[..SEED].copy_from_slice(post_quantum);
        seeds[SEED..].copy_from_slice(classical);
        Ok(Box::new(ReferenceSigningKey(self.halves.prepare(seeds)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let [classical, post_quantum] = cbor::read("verifying key", bytes, VERIFYING_KEY)?;
        Ok(Box::new(ReferenceVerifyingKey(self.halves.load_verifying(classical, post_quantum)?)))
    }
}

struct ReferenceSigningKey(KeyPair);

impl SigningKey for ReferenceSigningKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        refuse_context(context)?;
        let mut random = [0; RANDOM];
        let rnd = match coins {
            Coins::Internal => {
                crate::coins::fill(&mut random)?;
                Coins::Internal
            }
            Coins::Exact(given) if given.len() == RANDOM || given.len() == 2 * RANDOM => {
                random.copy_from_slice(&given[..RANDOM]);
                Coins::Exact(&given[RANDOM..])
            }
            Coins::Exact(given) => {
                return Err(Error::Length { what: "coins", expected: 2 * RANDOM, actual: given.len() });
            }
        };
        let mut classical = [0; ED25519_SIGNATURE];
        let mut post_quantum = [0; ML_DSA_65_SIGNATURE];
        with_random(&random, message, |signed| {
            self.0.classical.sign(&[], signed, Coins::Internal, &mut classical)?;
            self.0.post_quantum.sign(&[], signed, rnd, &mut post_quantum)
        })?;
        cbor::write("signature", [&random, &classical, &post_quantum], out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(ReferenceVerifyingKey(self.0.verifying()?)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Cbor => encode_signing(&self.0, out),
            _ => Err(Error::Unsupported("signing keys in the reference form must be CBOR")),
        }
    }
}

struct ReferenceVerifyingKey(VerifyingPair);

impl VerifyingKey for ReferenceVerifyingKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        refuse_context(context)?;
        let parts = cbor::read("signature", signature, SIGNATURE).map_err(|_| Error::VerificationFailed)?;
        let [random, classical, post_quantum] = parts;
        with_random(random, message, |signed| {
            self.0.classical.verify(&[], signed, classical)?;
            self.0.post_quantum.verify(&[], signed, post_quantum)
        })
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        encode_verifying(&self.0, out)
    }
}

/// Calls `call` with `random || message`.
fn with_random<T>(random: &[u8], message: &[u8], call: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    if message.len() > SHORT {
        return call(&[random, message].concat());
    }
    let mut buffer = [0; RANDOM + SHORT];
    buffer[..RANDOM].copy_from_slice(random);
    buffer[RANDOM..][..message.len()].copy_from_slice(message);
    call(&buffer[..RANDOM + message.len()])
}

fn refuse_context(context: &[u8]) -> Result<()> {
    if context.is_empty() { Ok(()) } else { Err(Error::Unsupported("the reference form does not support contexts")) }
}

fn encode_verifying(pair: &VerifyingPair, out: &mut [u8]) -> Result<usize> {
    let (mut classical, mut post_quantum) = ([0; ED25519_KEY], [0; ML_DSA_65_KEY]);
    pair.classical.encode(&mut classical)?;
    pair.post_quantum.encode(&mut post_quantum)?;
    cbor::write("verifying key", [&classical, &post_quantum], out)
}

fn encode_signing(pair: &KeyPair, out: &mut [u8]) -> Result<usize> {
    let (xi, seed) = pair.seeds()?.split_at(SEED);
    cbor::write("signing key", [seed, xi], out)
}
