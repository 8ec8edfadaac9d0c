//! Exported JSON, schema `pqlab/1`: all fields that scripts can read. Fields may be added, but not renamed or removed.
//! A field that does not apply is null, never absent. A field whose name ends in `_us` contains the time of one
//! operation in µs. `analysis::estimates` documents the computation from samples.
//!
//! [`read_run`] reads a document with samples back into a [`Run`](crate::Run). `report::document` creates documents
//! from runs.

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
    /// Time when the results were complete (RFC 3339, UTC): the end of the run's last case, or the start of a run
    /// without results. Exporting the same run again therefore gives the same bytes.
    pub generated_at: String,
    /// Facts about the run.
    pub run: RunEntry,
    /// Machine, build and counters.
    pub environment: EnvironmentEntry,
    /// Measuring rules, and the overhead of measuring.
    pub harness: HarnessEntry,
    /// Finished cases by area. Areas and cases are in the order of the plan.
    pub results: IndexMap<String, Vec<ResultEntry>>,
    /// Cases that run on several threads: throughput, speed-up, efficiency.
    pub scaling: Vec<ScalingEntry>,
    /// Cases that run in a thread pool: wall time, queueing delays, losses.
    pub loads: Vec<LoadEntry>,
    /// Tables derived from several cases, by name. An import ignores them and recomputes them from the samples.
    pub tables: IndexMap<String, TableEntry>,
}

/// Facts about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Unique id. Ids sort by time.
    pub id: String,
    /// Suite names, joined by a plus.
    pub suite: String,
    /// Command line that started the run.
    pub command: String,
    /// Seed for the order of cases and for the inputs.
    pub seed: u64,
    /// Whether every case in the plan has a record.
    pub complete: bool,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
    /// End of the last case (RFC 3339, UTC).
    pub finished_at: Option<String>,
    /// Number of cases in the plan.
    pub planned: usize,
    /// Number of finished cases.
    pub finished: usize,
    /// Number of finished cases that failed.
    pub failed: usize,
    /// Runs that contributed cases, newest first: this run, or the runs that a report combined.
    pub parts: Vec<PartEntry>,
}

/// A run that contributed cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Id of the run.
    pub id: String,
    /// Suite names, joined by a plus.
    pub suite: String,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
}
