use serde::{Deserialize, Serialize};

/// Noise of a machine, from comparisons of a case with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineNoise {
    /// Name of the host.
    pub host: Option<String>,
    /// Model of the processor.
    pub cpu: String,
    /// When it was measured: RFC 3339, UTC.
    pub measured_at: String,
    /// Id of the case.
    pub case: String,
    /// Number of comparisons, each of two runs.
    pub comparisons: u64,
    /// Number of comparisons with the verdict faster or slower.
    pub false_verdicts: u64,
    /// Standard deviation between the times of whole runs, in percent.
    pub run_spread_pct: f64,
    /// Standard deviation between the core cycles of whole runs, in percent, if the case has cycles. Then the
    /// comparisons were made in cycles, and the margin and the smallest difference are of cycles.
    pub run_spread_cycles_pct: Option<f64>,
    /// Margin within which 19 of 20 comparisons are equivalent, in percent.
    pub margin_pct: f64,
    /// Difference that is found 19 times out of 20, in percent.
    pub smallest_difference_pct: f64,
}
