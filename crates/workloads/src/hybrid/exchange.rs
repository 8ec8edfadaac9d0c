//! Trials for key generation, encapsulation, decapsulation and all three together. A hybrid and its halves do the same
//! work in these trials. ML-KEM's time depends on the public matrix. The halves therefore use the same seeds as the
//! hybrid, in the same order, and rotate through the same number of keys.

use super::{ML_KEM, X25519};
use crate::inputs::{GivenCoins, POOL, Supply, bytes};
use crate::kem::{Decapsulate, Encapsulate, Handshake, Keygen};
use crate::{fault, missing};
use pqlab_harness::{Fault, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, Kem, Result as LibraryResult, Xof};
use pqlab_record::Case;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Length, in bytes, of X-Wing's expanded seed: `d || z` for ML-KEM, then the X25519 scalar.
const EXPANDED: usize = 96;
/// Length, in bytes, of the ML-KEM seed at the start of the expanded seed.
const ML_KEM_SEED: usize = 64;

/// A KEM, and the seeds of the keys that its trials use.
pub(super) struct Seeded {
    kem: Arc<dyn Kem>,
    seeds: Vec<Vec<u8>>,
}

impl Seeded {
    /// Generates seeds that give a hybrid and its halves the same keys. X-Wing uses 32-byte seeds. The other hybrids
    /// use the SHAKE256 expansions of these seeds (96 bytes). A half uses its part of each expansion.
    pub(super) fn new(kem: Arc<dyn Kem>, shake256: &dyn Xof, generator: &mut ChaCha8Rng) -> LibraryResult<Seeded> {
        let mut seeds = Vec::with_capacity(POOL);
        for _ in 0..POOL {
            let (seed, mut expanded) = (bytes(generator, 32), vec![0; EXPANDED]);
            shake256.digest(&seed, &mut expanded)?;
            seeds.push(match kem.info().parameters.algorithm.as_ref() {
                "X-Wing" => seed,
                X25519 => expanded[ML_KEM_SEED..].to_vec(),
                ML_KEM => expanded[..ML_KEM_SEED].to_vec(),
                _ => expanded,
            });
        }
        Ok(Seeded { kem, seeds })
    }

    /// Returns the trial for an operation. If `given` is set, keys generated in the timed call come from the seeds,
    /// otherwise from the library's own randomness.
    pub(super) fn trial(self, operation: &str, case: &Case, given: bool) -> Result<Box<dyn Trial>, Fault> {
        let keys = || self.keys().map_err(fault);
        let kem = Arc::clone(&self.kem);
        Ok(match operation {
            "keygen" => Box::new(Keygen::new(kem, self.coins(given))),
            "encapsulate" => Box::new(Encapsulate::new(kem, keys()?, false, 1, None).map_err(fault)?),
            "decapsulate" => {
                let keys = keys()?.into_iter().map(|key| (key, Vec::new())).collect();
                Box::new(Decapsulate::new(kem, None, keys, Supply::Pool).map_err(fault)?)
            }
            "handshake" => Box::new(Handshake::new(kem, self.coins(given), false)),
            _ => return Err(missing(case)),
        })
    }

    /// Returns the encoded public key for the first seed.
    pub(super) fn public_key(&self) -> LibraryResult<Vec<u8>> {
        let coins = if self.kem.info().coins.keygen { Coins::Exact(&self.seeds[0]) } else { Coins::Internal };
        let mut public = vec![0; self.kem.info().parameters.encapsulation_key];
        let length = self.kem.generate(coins)?.encode_encapsulation_key(&mut public)?;
        public.truncate(length);
        Ok(public)
    }

    fn coins(self, given: bool) -> Option<GivenCoins> {
        given.then(|| GivenCoins::seeds(self.seeds))
    }

    /// Generates all keys, from the seeds if the library accepts them.
    fn keys(&self) -> LibraryResult<Vec<Box<dyn DecapsulationKey>>> {
        let seeded = self.kem.info().coins.keygen;
        let coins = |seed| if seeded { Coins::Exact(seed) } else { Coins::Internal };
        self.seeds.iter().map(|seed| self.kem.generate(coins(seed))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{half_kem, hybrid_kem};
    use super::*;
    use crate::pairs::Pair;
    use rand_chacha::rand_core::SeedableRng;

    /// Returns the encoded public key for a KEM's first seed.
    fn public_key(kem: Arc<dyn Kem>, shake256: &dyn Xof) -> Vec<u8> {
        Seeded::new(kem, shake256, &mut ChaCha8Rng::seed_from_u64(7)).unwrap().public_key().unwrap()
    }

    #[test]
    fn the_halves_have_the_keys_of_every_hybrid() {
        let providers = pqlab_providers::providers();
        let shake256 = providers.iter().find_map(|provider| provider.xof("SHAKE256")).unwrap();
        let half = |algorithm| public_key(half_kem(algorithm, "rustcrypto", &providers).unwrap(), shake256.as_ref());
        let (x25519, ml_kem) = (half(X25519), half(ML_KEM));
        let pair = Pair { classical: "rustcrypto".into(), post_quantum: "rustcrypto".into() };
        let hybrid = |name| public_key(hybrid_kem(name, &pair, &providers).unwrap(), shake256.as_ref());
        for name in ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768"] {
            assert_eq!(hybrid(name), [ml_kem.clone(), x25519.clone()].concat(), "{name}");
        }
        // The reference implementation encodes the pair as CBOR, with X25519 first.
        let reference = hybrid("X25519+ML-KEM-768");
        assert!(reference.ends_with(&ml_kem) && reference.windows(32).any(|window| window == x25519));
    }
}
