//! Comparisons: stored runs, a run with a baseline, two libraries.

pub(crate) mod gate;
pub(crate) mod libraries;
pub(crate) mod runs;
