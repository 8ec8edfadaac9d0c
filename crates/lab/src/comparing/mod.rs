//! Comparisons of stored runs, of a run with a baseline, and of two libraries.

pub(crate) mod gate;
pub(crate) mod libraries;
pub(crate) mod runs;
