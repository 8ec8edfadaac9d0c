//! Selects, names, removes and iterates over stored runs.

pub(crate) mod names;
pub(crate) mod selection;
pub(crate) mod timeline;
