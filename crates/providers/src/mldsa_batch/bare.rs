//! No direct calls, because the benchmark `mldsa_batch` measures the code that this adapter calls.

use crate::libraries::Bare;

pub(crate) const BARE: &[&dyn Bare] = &[];
