//! Operations measured cold: on the first call and with evicted caches, in any area.

pub(super) mod findings;
