//! Stored runs: choosing, naming and removing them, and walking through all of them.

pub(crate) mod names;
pub(crate) mod selection;
pub(crate) mod timeline;
