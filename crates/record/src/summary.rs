use serde::Serialize;

/// A run in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Its id.
    pub id: String,
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The command line that asked for it.
    pub command: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// When it was complete: RFC 3339, UTC.
    pub finished_at: Option<String>,
    /// Whether every case of the plan has its record.
    pub complete: bool,
    /// Whether it was measured elsewhere and imported: such a run cannot be resumed here.
    pub imported: bool,
    /// Number of cases in the plan.
    pub planned: usize,
    /// Number of cases that are finished, failed ones included.
    pub finished: usize,
    /// Number of cases that failed.
    pub failed: usize,
    /// Number of cases whose measurement was contended.
    pub contended: usize,
    /// The name of the host that measured it.
    pub host: Option<String>,
    /// The names that users gave it, by which later runs are compared with it; sorted.
    pub names: Vec<String>,
    /// What users wrote of it.
    pub note: Option<String>,
}
