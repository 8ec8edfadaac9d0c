//! A correct ML-KEM-768 that aborts its process after some decapsulations. A hybrid with this KEM fails before the run
//! measures anything.

use crate::altered::altered;
use pqlab_primitives::{Kem, Provider};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of successful decapsulations per process, enough for the known answers.
const GOOD_CALLS: u64 = 30;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Returns the KEM under its standard name, or `None` if no library offers ML-KEM-768.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let kem = others.iter().find_map(|provider| provider.kem("ML-KEM-768"))?;
    Some(altered(kem, None, |key, ciphertext, secret| {
        if CALLS.fetch_add(1, Ordering::Relaxed) >= GOOD_CALLS {
            std::process::abort();
        }
        key.decapsulate(ciphertext, secret)
    }))
}
