//! ML-KEM-768 that is right but for one answer of 10,000: of all ciphertexts that the accumulated vectors draw, it decapsulates
//! one wrongly, and none of those that anything else asks for.

use crate::altered::altered;
use pqlab_primitives::{Kem, Provider};
use std::sync::Arc;

/// What the ciphertext begins with: the one that is drawn for answer 7,003.
const BEGINNING: [u8; 4] = [0x08, 0x50, 0x57, 0x89];

/// The KEM, under the standard's name. `None` where no library has it that takes coins.
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
