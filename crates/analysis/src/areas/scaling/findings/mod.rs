//! What is found of threads and of loads.

pub(crate) mod load;
mod threads;

pub(crate) use threads::{USE_CASE, impossible, threads};
