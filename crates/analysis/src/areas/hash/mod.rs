//! Hash functions.

pub(super) mod findings;
pub(super) mod keccak_share;
mod permutations;
pub(super) mod tables;

pub(crate) const AREA: &str = "hash";
