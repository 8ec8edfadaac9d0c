//! Key encapsulation.

pub(super) mod findings;
pub(super) mod tables;

/// The area.
pub(crate) const AREA: &str = "kem";
