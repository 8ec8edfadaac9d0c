//! Wraps a KEM and replaces its decapsulation.

use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KemInfo, KeyEncoding, Result};
use std::sync::Arc;

/// Replacement for a decapsulation. Receives the original key, the ciphertext, and the buffer for the secret.
type Decapsulate = dyn Fn(&dyn DecapsulationKey, &[u8], &mut [u8]) -> Result<()> + Send + Sync;

/// Returns a KEM that decapsulates with `decapsulate` and otherwise behaves like `kem`. Without a `name`, the new KEM
/// keeps the name of `kem`.
pub(super) fn altered(
    kem: &Arc<dyn Kem>,
    name: Option<&'static str>,
    decapsulate: impl Fn(&dyn DecapsulationKey, &[u8], &mut [u8]) -> Result<()> + Send + Sync + 'static,
) -> Arc<dyn Kem> {
    let mut info = kem.info().clone();
    if let Some(name) = name {
        info.parameters.algorithm = name.into();
    }
    Arc::new(Altered { kem: Arc::clone(kem), info, decapsulate: Arc::new(decapsulate) })
}

struct Altered {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    decapsulate: Arc<Decapsulate>,
}

impl Altered {
    fn key(&self, key: Box<dyn DecapsulationKey>) -> Box<dyn DecapsulationKey> {
        Box::new(AlteredKey { key, decapsulate: Arc::clone(&self.decapsulate) })
    }
}

impl Kem for Altered {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.kem.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.key(self.kem.generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.kem.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.key(self.kem.load_decapsulation_key(encoding, bytes)?))
    }
}

struct AlteredKey {
    key: Box<dyn DecapsulationKey>,
    decapsulate: Arc<Decapsulate>,
}

impl DecapsulationKey for AlteredKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        (self.decapsulate)(self.key.as_ref(), ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.key.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}
