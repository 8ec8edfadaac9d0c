//! Findings about threads and loads.

pub(crate) mod load;
mod threads;

pub(crate) use threads::{USE_CASE, impossible, threads};
