//! Where runs are kept: one SQLite file, in which every finished case is committed by itself, raw samples and all.
//!
//! A finished case survives a killed process and a power failure: [`Store::finish_case`] returns only when its one
//! transaction has reached the disk. What was not committed leaves no trace.
//!
//! The tables (`schema.sql`) are made to be read with `sqlite3` by hand; only raw samples need [`samples::decode`].

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
pub use location::default_path;
pub use medians::{FinishedCase, FinishedRun, RunMedian};
pub use store::Store;
pub use write::Import;
