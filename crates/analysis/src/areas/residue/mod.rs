//! State that a call leaves behind in the processor.

pub(super) mod findings;

/// The area.
const AREA: &str = "residue";
