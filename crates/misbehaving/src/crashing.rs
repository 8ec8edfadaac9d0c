//! ML-KEM-768 that is right and, after some decapsulations, ends its process: a half of hybrids whose library goes wrong
//! before anything of the run is measured.

use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KemInfo, KeyEncoding, Provider, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Decapsulations of a process that go well: enough for its known answers.
const GOOD_CALLS: u64 = 30;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// The KEM, under the standard's name. `None` where no library has it.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let kem = others.iter().find_map(|provider| provider.kem("ML-KEM-768"))?;
    Some(Arc::new(Crashing(Arc::clone(kem))))
}

struct Crashing(Arc<dyn Kem>);

impl Kem for Crashing {
    fn info(&self) -> &KemInfo {
        self.0.info()
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.0.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(CrashingKey(self.0.generate(coins)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.0.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(CrashingKey(self.0.load_decapsulation_key(encoding, bytes)?)))
    }
}

struct CrashingKey(Box<dyn DecapsulationKey>);

impl DecapsulationKey for CrashingKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        if CALLS.fetch_add(1, Ordering::Relaxed) >= GOOD_CALLS {
            std::process::abort();
        }
        self.0.decapsulate(ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.0.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.0.encode(encoding, out)
    }
}
