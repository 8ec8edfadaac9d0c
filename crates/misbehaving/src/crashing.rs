//! ML-KEM-768 that is right and, after some decapsulations, ends its process: a half of hybrids whose library goes wrong
//! before anything of the run is measured.

use crate::altered::altered;
use pqlab_primitives::{Kem, Provider};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Decapsulations of a process that go well: enough for its known answers.
const GOOD_CALLS: u64 = 30;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// The KEM, under the standard's name. `None` where no library has it.
pub(super) fn kem(others: &[Arc<Provider>]) -> Option<Arc<dyn Kem>> {
    let kem = others.iter().find_map(|provider| provider.kem("ML-KEM-768"))?;
    Some(altered(kem, None, |key, ciphertext, secret| {
        if CALLS.fetch_add(1, Ordering::Relaxed) >= GOOD_CALLS {
            std::process::abort();
        }
        key.decapsulate(ciphertext, secret)
    }))
}
