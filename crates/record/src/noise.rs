use serde::{Deserialize, Serialize};

/// Noise of a machine, found by comparing a case with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineNoise {
    /// Name of the host.
    pub host: Option<String>,
    /// Model of the processor.
    pub cpu: String,
    /// Time of the measurement (RFC 3339, UTC).
    pub measured_at: String,
    /// Id of the case.
    pub case: String,
    /// Number of comparisons between two runs.
    pub comparisons: u64,
    /// Number of comparisons that gave the verdict faster or slower.
    pub false_verdicts: u64,
    /// Standard deviation of time between whole runs, in percent.
    pub run_spread_pct: f64,
    /// Standard deviation of core cycles between whole runs, in percent, if the case has cycles. The comparisons, the
    /// margin and the smallest difference then use cycles.
    pub run_spread_cycles_pct: Option<f64>,
    /// Margin in percent that makes 19 of 20 comparisons equivalent.
    pub margin_pct: f64,
    /// Smallest difference that 19 of 20 comparisons detect, in percent.
    pub smallest_difference_pct: f64,
}
