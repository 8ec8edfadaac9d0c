use serde::{Deserialize, Serialize};

/// Noise of a machine, measured by comparing repeated runs of one case with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineNoise {
    /// Name of the host; `None` if unknown.
    pub host: Option<String>,
    /// Model of the processor.
    pub cpu: String,
    /// Time of the measurement (RFC 3339, UTC).
    pub measured_at: String,
    /// Id of the case that was measured.
    pub case: String,
    /// Number of comparisons between two runs.
    pub comparisons: u64,
    /// Number of comparisons with a false verdict: faster or slower, although both runs measured the same case.
    pub false_verdicts: u64,
    /// Run-to-run standard deviation of the time, in percent.
    pub run_spread_pct: f64,
    /// Run-to-run standard deviation of the core cycles, in percent; `None` if the case has no cycles. If the case has
    /// cycles, the comparisons, the margin and the smallest difference are computed from cycles instead of times.
    pub run_spread_cycles_pct: Option<f64>,
    /// Margin, in percent, at which at least 19 of 20 comparisons of the case with itself should be equivalent.
    pub margin_pct: f64,
    /// Smallest difference in percent that 19 of 20 comparisons detect.
    pub smallest_difference_pct: f64,
}
