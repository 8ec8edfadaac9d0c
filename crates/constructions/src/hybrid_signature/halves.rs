//! Pairs of prepared Ed25519 and ML-DSA-65 keys, generated from two seeds or with each library's own generator.

use super::length::SEED;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, Result, SignatureInfo, SignatureParameters, SignatureScheme, SigningKey,
    VerifyingKey, Wiped,
};
use std::sync::Arc;

const NO_SEED: Error = Error::Unsupported("one of the two libraries cannot generate keys from seeds");

/// The two signature schemes in a hybrid.
#[derive(Clone)]
pub(super) struct Halves {
    pub(super) classical: Arc<dyn SignatureScheme>,
    pub(super) post_quantum: Arc<dyn SignatureScheme>,
}

/// Both seeds, `xi || seed`: ML-DSA's first, then Ed25519's, as in the composite's private key.
pub(super) type Seeds = Wiped<[u8; 2 * SEED]>;

impl Halves {
    /// Returns the two schemes and the hybrid's capabilities. The capabilities include the key encoding `encoding` only
    /// if both libraries generate keys from seeds.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a half implements a different algorithm.
    pub(super) fn new(
        classical: Arc<dyn SignatureScheme>,
        post_quantum: Arc<dyn SignatureScheme>,
        algorithm: &'static str,
        encoding: KeyEncoding,
    ) -> Result<(Halves, SignatureInfo)> {
        if classical.info().parameters.algorithm != "Ed25519" {
            return Err(Error::Unsupported("the classical half must be Ed25519"));
        }
        if post_quantum.info().parameters.algorithm != "ML-DSA-65" {
            return Err(Error::Unsupported("the post-quantum half must be ML-DSA-65"));
        }
        let parameters = SignatureParameters::find(algorithm).ok_or(Error::Unsupported(algorithm))?;
        let (hedged, operation) = (post_quantum.info().hedged, post_quantum.info().coins.operation);
        let halves = Halves { classical, post_quantum };
        let keygen = halves.seeded();
        let encodings = if keygen { vec![encoding] } else { Vec::new() };
        let coins = CoinSupport { keygen, operation };
        Ok((halves, SignatureInfo { parameters, encodings, coins, context: false, hedged }))
    }

    /// Returns whether both libraries generate keys from seeds.
    pub(super) fn seeded(&self) -> bool {
        self.classical.info().coins.keygen && makes_from_seed(self.post_quantum.as_ref())
    }

    /// Generates a key pair from seeds if both libraries support seeds. Otherwise, each library uses its own generator.
    pub(super) fn generate(&self, coins: Coins) -> Result<KeyPair> {
        if self.seeded() {
            return self.prepare(crate::coins::draw(coins)?);
        }
        match coins {
            Coins::Exact(_) => Err(NO_SEED),
            Coins::Internal => Ok(KeyPair {
                classical: self.classical.generate(Coins::Internal)?,
                post_quantum: self.post_quantum.generate(Coins::Internal)?,
                seeds: None,
            }),
        }
    }

    /// Generates a key pair from `seeds`.
    pub(super) fn prepare(&self, seeds: Seeds) -> Result<KeyPair> {
        let (xi, seed) = seeds.split_at(SEED);
        Ok(KeyPair {
            classical: self.classical.generate(Coins::Exact(seed))?,
            post_quantum: from_seed(self.post_quantum.as_ref(), xi)?,
            seeds: Some(seeds),
        })
    }

    /// Loads a pair of verifying keys.
    pub(super) fn load_verifying(&self, classical: &[u8], post_quantum: &[u8]) -> Result<VerifyingPair> {
        Ok(VerifyingPair {
            classical: self.classical.load_verifying_key(classical)?,
            post_quantum: self.post_quantum.load_verifying_key(post_quantum)?,
        })
    }
}

pub(super) struct KeyPair {
    pub(super) classical: Box<dyn SigningKey>,
    pub(super) post_quantum: Box<dyn SigningKey>,
    seeds: Option<Seeds>,
}

impl KeyPair {
    pub(super) fn verifying(&self) -> Result<VerifyingPair> {
        Ok(VerifyingPair {
            classical: self.classical.verifying_key()?,
            post_quantum: self.post_quantum.verifying_key()?,
        })
    }

    /// Returns the seeds from which the pair was generated.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the pair was not generated from seeds.
    pub(super) fn seeds(&self) -> Result<&[u8; 2 * SEED]> {
        self.seeds.as_deref().ok_or(NO_SEED)
    }
}

pub(super) struct VerifyingPair {
    pub(super) classical: Box<dyn VerifyingKey>,
    pub(super) post_quantum: Box<dyn VerifyingKey>,
}

fn makes_from_seed(scheme: &dyn SignatureScheme) -> bool {
    let info = scheme.info();
    info.coins.keygen || info.encodings.contains(&KeyEncoding::Seed)
}

fn from_seed(scheme: &dyn SignatureScheme, seed: &[u8]) -> Result<Box<dyn SigningKey>> {
    if scheme.info().coins.keygen {
        scheme.generate(Coins::Exact(seed))
    } else {
        scheme.load_signing_key(KeyEncoding::Seed, seed)
    }
}
