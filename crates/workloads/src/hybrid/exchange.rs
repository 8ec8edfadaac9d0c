//! Key generation, encapsulation, decapsulation and all three, such that the parts of a decomposition do the same work:
//! ML-KEM's time depends on the public matrix, so the halves have the very seeds that the hybrid gives them, in the same
//! order, and as many keys in turn.

use super::{ML_KEM, X25519};
use crate::inputs::{POOL, Turn, bytes};
use crate::{fault, kem};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, Result as LibraryResult, Xof};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// `d || z` of ML-KEM, then X25519's scalar: what X-Wing expands its seed to, in bytes.
const EXPANDED: usize = 96;
/// Of which ML-KEM has the first, in bytes.
const ML_KEM_SEED: usize = 64;

/// A KEM and the seeds of its keys, in turn.
pub(super) struct Seeded {
    kem: Arc<dyn Kem>,
    seeds: Vec<Vec<u8>>,
    turn: Turn,
    /// Whether what is timed makes its keys from the seeds; else from the library's own randomness.
    given: bool,
}

impl Seeded {
    /// With the seeds that belong together: X-Wing's, what SHAKE256 expands it to, and each half's part of that.
    pub(super) fn new(
        kem: Arc<dyn Kem>,
        given: bool,
        shake256: &dyn Xof,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Seeded> {
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
        Ok(Seeded { turn: Turn::of(seeds.len()), kem, seeds, given })
    }

    /// The next key that is timed.
    #[inline(always)]
    fn generate(&mut self) -> LibraryResult<Box<dyn DecapsulationKey>> {
        let coins = if self.given { Coins::Exact(&self.seeds[self.turn.advance()]) } else { Coins::Internal };
        self.kem.generate(coins)
    }

    /// All keys: from the seeds where the library takes them.
    fn keys(&self) -> LibraryResult<Vec<Box<dyn DecapsulationKey>>> {
        let seeded = self.kem.info().coins.keygen;
        let coins = |seed| if seeded { Coins::Exact(seed) } else { Coins::Internal };
        self.seeds.iter().map(|seed| self.kem.generate(coins(seed))).collect()
    }

    fn ciphertext(&self) -> Vec<u8> {
        vec![0; self.kem.info().parameters.ciphertext]
    }

    fn secret(&self) -> Vec<u8> {
        vec![0; self.kem.info().parameters.shared_secret]
    }
}

/// Key generation up to a prepared key.
pub(super) struct Keygen {
    seeded: Seeded,
    keys: Vec<Box<dyn DecapsulationKey>>,
}

impl Keygen {
    pub(super) fn new(seeded: Seeded) -> Keygen {
        Keygen { seeded, keys: Vec::new() }
    }
}

impl Trial for Keygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.push(self.seeded.generate().map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.last() else {
            return Err(Fault::WrongAnswer("no key was made".into()));
        };
        let to = key.encapsulation_key().map_err(fault)?;
        kem::round_trip(self.seeded.kem.as_ref(), key.as_ref(), to.as_ref())
    }
}

/// Encapsulation to a prepared key.
pub(super) struct Encapsulate {
    keys: Vec<(Box<dyn DecapsulationKey>, Box<dyn EncapsulationKey>)>,
    turn: Turn,
    ciphertext: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Encapsulate {
    pub(super) fn new(seeded: &Seeded) -> LibraryResult<Encapsulate> {
        let with_public = |key: Box<dyn DecapsulationKey>| key.encapsulation_key().map(|to| (key, to));
        let keys: Vec<_> = seeded.keys()?.into_iter().map(with_public).collect::<LibraryResult<_>>()?;
        let (ciphertext, sent, received) = (seeded.ciphertext(), seeded.secret(), seeded.secret());
        Ok(Encapsulate { turn: Turn::of(keys.len()), keys, ciphertext, sent, received })
    }
}

impl Trial for Encapsulate {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.sent.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (_, to) = &self.keys[self.turn.advance()];
            to.encapsulate(Coins::Internal, &mut self.ciphertext, &mut self.sent).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.sent.iter().all(|&byte| byte == 0) {
            return Err(Fault::WrongAnswer("nothing was encapsulated".into()));
        }
        let (key, _) = &self.keys[self.turn.last()];
        key.decapsulate(&self.ciphertext, &mut self.received).map_err(fault)?;
        kem::same_secret(&self.sent, &self.received)
    }
}

/// A key, with a ciphertext for it and the secret in that.
type Recipient = (Box<dyn DecapsulationKey>, Vec<u8>, Vec<u8>);

/// Decapsulation with a prepared key.
pub(super) struct Decapsulate {
    keys: Vec<Recipient>,
    turn: Turn,
    received: Vec<u8>,
}

impl Decapsulate {
    pub(super) fn new(seeded: &Seeded) -> LibraryResult<Decapsulate> {
        let with_ciphertext = |key: Box<dyn DecapsulationKey>| {
            let (mut ciphertext, mut sent) = (seeded.ciphertext(), seeded.secret());
            key.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut sent)?;
            Ok((key, ciphertext, sent))
        };
        let keys: Vec<_> = seeded.keys()?.into_iter().map(with_ciphertext).collect::<LibraryResult<_>>()?;
        Ok(Decapsulate { turn: Turn::of(keys.len()), keys, received: seeded.secret() })
    }
}

impl Trial for Decapsulate {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.received.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (key, ciphertext, _) = &self.keys[self.turn.advance()];
            key.decapsulate(ciphertext, &mut self.received).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        kem::same_secret(&self.keys[self.turn.last()].2, &self.received)
    }
}

/// A whole key exchange: key generation, encapsulation, decapsulation.
pub(super) struct Handshake {
    seeded: Seeded,
    ciphertext: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Handshake {
    pub(super) fn new(seeded: Seeded) -> Handshake {
        Handshake { ciphertext: seeded.ciphertext(), sent: seeded.secret(), received: seeded.secret(), seeded }
    }
}

impl Trial for Handshake {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.sent.fill(0);
        self.received.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let key = self.seeded.generate().map_err(fault)?;
            let to = key.encapsulation_key().map_err(fault)?;
            to.encapsulate(Coins::Internal, &mut self.ciphertext, &mut self.sent).map_err(fault)?;
            key.decapsulate(&self.ciphertext, &mut self.received).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        kem::same_secret(&self.sent, &self.received)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{half_kem, hybrid_kem};
    use super::*;
    use crate::pairs::Pair;
    use rand_chacha::rand_core::SeedableRng;

    /// The first key of a KEM, encoded.
    fn public_key(kem: Arc<dyn Kem>, shake256: &dyn Xof) -> Vec<u8> {
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        let mut seeded = Seeded::new(kem, true, shake256, &mut ChaCha8Rng::seed_from_u64(7)).unwrap();
        let length = seeded.generate().unwrap().encode_encapsulation_key(&mut public).unwrap();
        public.truncate(length);
        public
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
        // A pair in CBOR, X25519 first.
        let reference = hybrid("X25519+ML-KEM-768");
        assert!(reference.ends_with(&ml_kem) && reference.windows(32).any(|window| window == x25519));
    }
}
