//! Verification in batches has a benchmark of its own, `mldsa_batch`, which calls the code under the adapter.

use crate::libraries::Bare;

pub(crate) const BARE: &[&dyn Bare] = &[];
