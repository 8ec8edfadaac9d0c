//! Hybrids that combine a classical and a post-quantum half, and the halves alone.

mod decomposition;
pub(super) mod findings;
pub(super) mod tables;

pub use decomposition::{Decomposition, decompositions};
pub(crate) use findings::{OF_REFERENCE, in_parts};

pub(crate) const AREA: &str = "hybrid";
