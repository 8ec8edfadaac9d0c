//! Exported JSON, schema `pqlab/1`: all fields that scripts can read. Future versions may add fields, but never rename
//! or remove one. A field that does not apply is null, unless its documentation says that it is absent. Times in fields
//! that end in `_us` are in µs and, unless a field says otherwise, for one operation. `analysis::estimates` documents
//! how figures are computed from samples.
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
    AttemptsEntry, DisturbanceEntry, DisturbancesEntry, ExtraEntry, LibraryEntry, ModeEntry, ParameterValue,
    PlacementEntry, QualityEntry, ResultEntry, StandardizationEntry,
};
pub use scaling::{LoadEntry, RatioInterval, ScalingEntry};
pub use table::{CellEntry, ColumnEntry, RowEntry, TableEntry};

/// A run with its estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Name and version of the schema: `pqlab/1`.
    pub schema: String,
    /// Time when the run was completed, or when it started if it is incomplete (RFC 3339, UTC). Does not depend on the
    /// time of the export, so exporting a run again gives the same bytes.
    pub generated_at: String,
    /// Facts about the run.
    pub run: RunEntry,
    /// Machine, build and counters.
    pub environment: EnvironmentEntry,
    /// Measurement settings and measurement overhead.
    pub harness: HarnessEntry,
    /// Results of the finished cases, by area. Areas and cases are in the order of the plan.
    pub results: IndexMap<String, Vec<ResultEntry>>,
    /// Figures of cases that run on several threads: throughput, speed-up, efficiency.
    pub scaling: Vec<ScalingEntry>,
    /// Figures of cases that run in a thread pool: wall time, queueing delays, losses of throughput.
    pub loads: Vec<LoadEntry>,
    /// Tables derived from several cases, by name. An import ignores these and recomputes them from the samples.
    pub tables: IndexMap<String, TableEntry>,
}

/// Facts about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Unique id. Ids sort by the start of the run.
    pub id: String,
    /// Names of the suites, joined by a plus.
    pub suite: String,
    /// Command line that started the run.
    pub command: String,
    /// Seed for the order of cases and for the inputs.
    pub seed: u64,
    /// Whether every case in the plan has a record.
    pub complete: bool,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
    /// Time when the run was completed (RFC 3339, UTC); null for an incomplete run.
    pub finished_at: Option<String>,
    /// Number of cases in the plan.
    pub planned: usize,
    /// Number of finished cases, including failed ones.
    pub finished: usize,
    /// Number of cases that failed.
    pub failed: usize,
    /// Number of disturbed cases that were measured again at the end of the run.
    #[serde(default)]
    pub second_chances: usize,
    /// Number of cases that were measured again at the end of the run and are no longer disturbed.
    #[serde(default)]
    pub second_chances_undisturbed: usize,
    /// Runs that contributed cases, newest first. Only this run, unless a report combined several.
    pub parts: Vec<PartEntry>,
}

/// A run that contributed cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Id of the run.
    pub id: String,
    /// Names of the suites, joined by a plus.
    pub suite: String,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
}
