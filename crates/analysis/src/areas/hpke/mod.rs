//! Messages sealed with HPKE.

pub(super) mod findings;

/// The area.
const AREA: &str = "hpke";
