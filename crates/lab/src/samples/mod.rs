//! Samples from other tools.

pub(crate) mod files;
pub(crate) mod report;
