//! ML-KEM-768 of AWS-LC with a decapsulation that takes longer: for finding out whether comparisons see that it does.

use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KemInfo, KeyEncoding, Provider, Result};
use std::hint::black_box;
use std::sync::Arc;

/// The variable that says how many steps a decapsulation is longer: a step is a multiplication that waits for the one
/// before. None where it is not set.
const STEPS: &str = "PQLAB_DELAY_STEPS";

/// The KEM, by a name of its own: `delayed`. `None` where AWS-LC is not in the build.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let kem = prompt(others)?;
    let mut info = kem.info().clone();
    info.parameters.algorithm = "delayed".into();
    let steps = std::env::var(STEPS).ok().and_then(|steps| steps.parse().ok()).unwrap_or(0);
    Some(Arc::new(Delayed { kem, info, steps }))
}

fn prompt(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    others.iter().find(|provider| provider.library == "aws-lc")?.kem("ML-KEM-768").cloned()
}

struct Delayed {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    steps: u64,
}

impl Delayed {
    fn delay(&self, key: Box<dyn DecapsulationKey>) -> Box<dyn DecapsulationKey> {
        Box::new(DelayedKey { key, steps: self.steps })
    }
}

impl Kem for Delayed {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.kem.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.delay(self.kem.generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.kem.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.delay(self.kem.load_decapsulation_key(encoding, bytes)?))
    }
}

struct DelayedKey {
    key: Box<dyn DecapsulationKey>,
    steps: u64,
}

impl DecapsulationKey for DelayedKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        self.key.decapsulate(ciphertext, secret)?;
        let product = (0..self.steps).fold(1_u64, |product, _| black_box(product).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        black_box(product);
        Ok(())
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.key.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delayed_key_gives_the_secret_all_the_same() {
        let Some(kem) = prompt(&pqlab_providers::providers()) else { return };
        let delayed = Delayed { info: kem.info().clone(), kem, steps: 1000 };
        let key = delayed.generate(Coins::Internal).unwrap();
        let mut ciphertext = vec![0; delayed.info().parameters.ciphertext];
        let mut secrets = [[0; 32], [1; 32]];
        key.encapsulation_key().unwrap().encapsulate(Coins::Internal, &mut ciphertext, &mut secrets[0]).unwrap();
        key.decapsulate(&ciphertext, &mut secrets[1]).unwrap();
        assert_eq!(secrets[0], secrets[1]);
        ciphertext[0] ^= 1;
        key.decapsulate(&ciphertext, &mut secrets[1]).unwrap();
        assert_ne!(secrets[0], secrets[1]);
    }
}
