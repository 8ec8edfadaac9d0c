use serde::Serialize;

/// Summary of a run in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Its id.
    pub id: String,
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The command line that started it.
    pub command: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// When it was complete: RFC 3339, UTC.
    pub finished_at: Option<String>,
    /// Whether every case of the plan has its record.
    pub complete: bool,
    /// Whether it was measured elsewhere and imported. Such a run cannot be resumed here.
    pub imported: bool,
    /// Number of cases in the plan.
    pub planned: usize,
    /// Number of finished cases, including failed ones.
    pub finished: usize,
    /// Number of cases that failed.
    pub failed: usize,
    /// Number of contended cases.
    pub contended: usize,
    /// Name of the host that measured it.
    pub host: Option<String>,
    /// Names that users gave it, to compare later runs with it; sorted.
    pub names: Vec<String>,
    /// Note that users wrote about it.
    pub note: Option<String>,
}
