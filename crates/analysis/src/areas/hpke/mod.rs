//! Messages sealed with HPKE.

pub(super) mod findings;

const AREA: &str = "hpke";
