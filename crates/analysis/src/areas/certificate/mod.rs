//! Certificates, signed by one key or by two.

pub(super) mod findings;

/// The area.
pub(crate) const AREA: &str = "certificate";
