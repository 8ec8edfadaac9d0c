use serde::Serialize;

/// One-line summary of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Id of the run.
    pub id: String,
    /// Names of the suites, joined by a plus.
    pub suite: String,
    /// Command line that started the run.
    pub command: String,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
    /// Time when the run was completed (RFC 3339, UTC); `None` for an incomplete run.
    pub finished_at: Option<String>,
    /// Whether every case in the plan has a record.
    pub complete: bool,
    /// Whether the run was measured elsewhere and imported. pqlab cannot resume an imported run.
    pub imported: bool,
    /// Number of cases in the plan, without measurement overhead.
    pub planned: usize,
    /// Number of finished cases, including failed ones, without measurement overhead.
    pub finished: usize,
    /// Number of cases that failed.
    pub failed: usize,
    /// Number of disturbed cases.
    pub contended: usize,
    /// Name of the host that measured the run; `None` if unknown.
    pub host: Option<String>,
    /// Names under which the run is stored as a baseline, sorted.
    pub names: Vec<String>,
    /// The user's note on the run; `None` without a note.
    pub note: Option<String>,
}
