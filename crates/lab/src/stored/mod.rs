//! Selection, names, removal and traversal of stored runs.

pub(crate) mod names;
pub(crate) mod selection;
pub(crate) mod timeline;
