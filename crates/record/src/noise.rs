use serde::{Deserialize, Serialize};

/// What comparisons of a case with itself showed of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineNoise {
    /// The host's name.
    pub host: Option<String>,
    /// Model of the processor.
    pub cpu: String,
    /// When it was measured: RFC 3339, UTC.
    pub measured_at: String,
    /// Id of the case.
    pub case: String,
    /// Comparisons of two runs each.
    pub comparisons: u64,
    /// How many of them were called faster or slower.
    pub false_verdicts: u64,
    /// Standard deviation of what tells the times of whole runs apart, in percent.
    pub run_spread_pct: f64,
    /// Likewise of their core cycles, where the case has them: then the comparisons were made in cycles, and the margin and the
    /// smallest difference are of cycles.
    pub run_spread_cycles_pct: Option<f64>,
    /// The margin within which nineteen of twenty comparisons are equivalent, in percent.
    pub margin_pct: f64,
    /// The difference that is found nineteen times of twenty, in percent.
    pub smallest_difference_pct: f64,
}
