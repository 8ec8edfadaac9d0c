//! ML-KEM-768 with one wrong answer in 10,000. Decapsulation returns a wrong secret for only one ciphertext of the
//! accumulated vectors.

use crate::altered::altered;
use pqlab_primitives::{Kem, Provider};
use std::sync::Arc;

/// First bytes of the ciphertext with the wrong answer: number 7,003 in the accumulated vectors.
const BEGINNING: [u8; 4] = [0x08, 0x50, 0x57, 0x89];

/// Returns the KEM under its standard name, or `None` if no library offers ML-KEM-768 with caller-supplied randomness.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let kems = others.iter().filter_map(|provider| provider.kem("ML-KEM-768"));
    let kem = kems.into_iter().find(|kem| kem.info().coins.operation)?;
    Some(altered(kem, None, |key, ciphertext, secret| {
        key.decapsulate(ciphertext, secret)?;
        if ciphertext.starts_with(&BEGINNING) {
            secret[0] ^= 1;
        }
        Ok(())
    }))
}
