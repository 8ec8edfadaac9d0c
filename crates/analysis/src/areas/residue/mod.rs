//! Leftover register state: processor state that a call leaves behind.

pub(super) mod findings;

const AREA: &str = "residue";
