//! State that a call leaves behind in the processor.

pub(super) mod findings;

const AREA: &str = "residue";
