//! Signed tokens.

pub(super) mod findings;
pub(super) mod tables;

/// The area.
const AREA: &str = "token";
