//! No direct calls: the `mldsa_batch` benchmark already measures the code that this adapter calls.

use crate::libraries::Bare;

pub(crate) const BARE: &[&dyn Bare] = &[];
