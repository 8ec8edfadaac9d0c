//! Stored runs: choosing, naming and removing them, and visiting all of them.

pub(crate) mod names;
pub(crate) mod selection;
pub(crate) mod timeline;
