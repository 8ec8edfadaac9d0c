//! Signed tokens.

pub(super) mod findings;
pub(super) mod tables;

const AREA: &str = "token";
