//! Certificates signed by one key or by two.

pub(super) mod findings;

pub(crate) const AREA: &str = "certificate";
