//! Storage of runs in one SQLite file. Every finished case is committed separately, with its raw samples.
//!
//! A finished case survives the death of the process and a power failure: [`Store::finish_case`] returns only when its
//! transaction has reached the disk. Uncommitted work leaves no trace.
//!
//! The tables (`schema.sql`) can be read with `sqlite3`. Only the raw samples are in a binary format, which
//! [`samples::decode`] reads.

#![warn(clippy::missing_errors_doc)]

mod error;
mod location;
mod medians;
mod read;
mod reference;
pub mod samples;
mod schema;
mod store;
#[cfg(test)]
mod tests;
mod write;
mod yardsticks;

pub use error::StoreError;
pub use location::{data_folder, default_path};
pub use medians::{FinishedCase, FinishedRun, RunMedian};
pub use store::Store;
pub use write::Import;
