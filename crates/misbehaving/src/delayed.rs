//! ML-KEM-768 from AWS-LC with a slower decapsulation, to test whether comparisons detect the slowdown.

use crate::altered::altered;
use pqlab_primitives::{Kem, Provider};
use std::hint::black_box;
use std::sync::Arc;

/// Environment variable with the number of steps added to a decapsulation. The default is 0. A step is a multiplication
/// that depends on the previous step.
const STEPS: &str = "PQLAB_DELAY_STEPS";

/// Returns the KEM under the name `delayed`, or `None` if the build does not include AWS-LC.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let steps = std::env::var(STEPS).ok().and_then(|steps| steps.parse().ok()).unwrap_or(0);
    prompt(others).map(|kem| delayed(kem, steps))
}

fn prompt(others: &[Arc<Provider>]) -> Option<&Arc<dyn Kem>> {
    others.iter().find(|provider| provider.library == "aws-lc")?.kem("ML-KEM-768")
}

fn delayed(kem: &Arc<dyn Kem>, steps: u64) -> Arc<dyn Kem> {
    altered(kem, Some("delayed"), move |key, ciphertext, secret| {
        key.decapsulate(ciphertext, secret)?;
        let product = (0..steps).fold(1_u64, |product, _| black_box(product).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        black_box(product);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::Coins;

    #[test]
    fn delayed_keys_give_the_same_secret() {
        let providers = pqlab_providers::providers();
        let Some(kem) = prompt(&providers) else { return };
        let delayed = delayed(kem, 1000);
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
