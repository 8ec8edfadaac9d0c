//! Selects, names, removes and visits stored runs.

pub(crate) mod names;
pub(crate) mod selection;
pub(crate) mod timeline;
