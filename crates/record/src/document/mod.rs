//! Exported JSON, schema `pqlab/1`: field by field what scripts read. Fields may be added, but not renamed or removed.
//! A field that does not apply is null, never absent. A field whose name ends in `_us` is the time of one operation in
//! µs; `analysis::estimates` says how it is computed from samples.
//!
//! A document with its samples can be read back as a [`Run`](crate::Run) ([`read_run`]). `report::document` makes
//! documents from runs.

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
    /// When the results were complete, RFC 3339, UTC: the end of the run's last case, or its start if it has none. The
    /// same run gives the same bytes whenever it is exported.
    pub generated_at: String,
    /// The run as a whole.
    pub run: RunEntry,
    /// Machine, build and counters.
    pub environment: EnvironmentEntry,
    /// Measuring rules, and the cost of measuring itself.
    pub harness: HarnessEntry,
    /// Finished cases by area, both in the order of the plan.
    pub results: IndexMap<String, Vec<ResultEntry>>,
    /// Cases on several threads: throughput, speed-up, efficiency.
    pub scaling: Vec<ScalingEntry>,
    /// Cases through a thread pool: wall time, queueing delays, losses.
    pub loads: Vec<LoadEntry>,
    /// Tables derived from several cases, by name. They follow from the samples, so an import ignores them.
    pub tables: IndexMap<String, TableEntry>,
}

/// The run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Unique id; ids sort by time.
    pub id: String,
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The command line that started it.
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
    /// Finished cases.
    pub finished: usize,
    /// Finished cases that failed.
    pub failed: usize,
    /// Runs that the cases come from, newest first: this run, or those that a report combined.
    pub parts: Vec<PartEntry>,
}

/// Run that contributed cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its id.
    pub id: String,
    /// Its suites' names, joined by a plus.
    pub suite: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
}
