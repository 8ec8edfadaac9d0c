//! The exported JSON, schema `pqlab/1`: field by field what scripts read. Adding a field is free, renaming or removing one
//! is not. A field that does not apply is null, never absent. Times are in µs if the name ends in `_us`, and of one
//! operation; `analysis::estimates` says how they are computed from samples.
//!
//! A document with its samples becomes a [`Run`](crate::Run) again ([`read_run`]). `report::document` makes documents of runs.

mod environment;
mod harness;
mod read;
mod result;
mod scaling;
mod table;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use environment::{CountersEntry, EnvironmentEntry, UnavailableEntry};
pub use harness::HarnessEntry;
pub use read::{FileError, ImportError, read_run};
pub use result::{
    DisturbanceEntry, DisturbancesEntry, ExtraEntry, LibraryEntry, ModeEntry, ParameterValue, QualityEntry, ResultEntry,
};
pub use scaling::{LoadEntry, RatioInterval, ScalingEntry};
pub use table::{CellEntry, ColumnEntry, RowEntry, TableEntry};

/// A run with its estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Name and version of the schema: `pqlab/1`.
    pub schema: String,
    /// When the results came to be, RFC 3339, UTC: the end of the run's last case, or its start where there is none. The
    /// same run gives the same bytes whenever it is exported.
    pub generated_at: String,
    /// The run as a whole.
    pub run: RunEntry,
    /// Machine, build and counters.
    pub environment: EnvironmentEntry,
    /// The measuring rules, and what measuring itself costs.
    pub harness: HarnessEntry,
    /// The cases that have their record, by area, both in the order of the plan.
    pub results: IndexMap<String, Vec<ResultEntry>>,
    /// Cases on several threads: throughput, speed-up, efficiency.
    pub scaling: Vec<ScalingEntry>,
    /// Cases through a thread pool: wall time, queueing delays, losses.
    pub loads: Vec<LoadEntry>,
    /// Tables that several cases make together, by name. They follow from the samples: what a file says of them is for its readers.
    pub tables: IndexMap<String, TableEntry>,
}

/// The run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Unique, sorted by time.
    pub id: String,
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The command line that asked for it.
    pub command: String,
    /// Seed of the order and of the inputs.
    pub seed: u64,
    /// Whether every case of the plan has its record.
    pub complete: bool,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// When the last case was finished: RFC 3339, UTC.
    pub finished_at: Option<String>,
    /// Cases in the plan.
    pub planned: usize,
    /// Cases that have their record.
    pub finished: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// The runs that the cases are of, the newest first: itself, or those that a report put together.
    pub parts: Vec<PartEntry>,
}

/// A run that gave cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its id.
    pub id: String,
    /// Its suites' names, joined by a plus.
    pub suite: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
}
