//! No bare calls: the benchmark `mldsa_batch` measures the code under this adapter.

use crate::libraries::Bare;

pub(crate) const BARE: &[&dyn Bare] = &[];
