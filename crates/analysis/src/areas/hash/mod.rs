//! Hash functions.

pub(super) mod findings;
pub(super) mod tables;

pub(crate) const AREA: &str = "hash";
