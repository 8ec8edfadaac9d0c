//! What is made of a run: [`Exporter`]s, one file per format, and what the [`terminal`] shows.
//!
//! Everything here is a pure function of stored runs. It knows no harness and no cryptographic library and reads no clock,
//! so an old run renders again, byte for byte. [`estimates`] says how figures come from samples; every format takes them
//! from there.

pub mod bundle;
pub mod caveats;
pub mod charts;
pub mod comparison;
pub mod decomposition;
pub mod estimates;
pub mod exporters;
pub mod findings;
pub mod histogram;
pub mod history;
pub mod ledger;
pub mod ntor;
pub mod number;
pub mod scaling;
pub mod schema;
pub mod sheet;
pub mod templates;
pub mod terminal;

#[cfg(test)]
mod fixtures;

pub use caveats::{Caveat, Caveats};
pub use decomposition::{Decomposition, decompositions};
pub use estimates::{Disturbances, Estimates, crossed_of, estimate, harness_floor_ns};
pub use exporters::{ExportError, ExportOptions, Exporter, exporter, exporters, exporters_with};
