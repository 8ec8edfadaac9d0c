use crate::{Case, CounterChoice, Fastest, Protocol, ProtocolKind, RunHeader, RunSpreads};
use serde::{Deserialize, Serialize};

/// Measuring rules, and the overhead of measuring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarnessEntry {
    /// `adaptive`, `fixed` or `reference`.
    pub protocol: ProtocolKind,
    /// Number of samples per case, over all processes; null for adaptive rules.
    pub iterations: Option<u64>,
    /// Number of operations that each process discards before its first sample of a case.
    pub warmup: u64,
    /// Number of samples per case that waits for a network; absent if the plan has no such case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshakes: Option<u64>,
    /// Percentage of the samples trimmed at each tail.
    pub outlier_trim_pct: f64,
    /// Number of worker processes.
    pub processes: u32,
    /// Median time in ns of a case that makes the same calls but does nothing; null if the run has no such case.
    pub floor_ns: Option<f64>,
    /// Operations per sample; null if they were calibrated.
    pub batch: Option<u64>,
    /// Target half-width of the median's 95% interval, in percent.
    pub precision_pct: f64,
    /// Maximum time for a case, in seconds.
    pub max_time_s: f64,
    /// Time per visit to a case, in seconds.
    pub visit_s: f64,
    /// Counter that was requested.
    pub counter: CounterChoice,
    /// Cores to which workers were pinned.
    pub affinity: Option<Vec<u32>>,
    /// Spread between runs that the intervals assume.
    pub run_spreads: RunSpreads,
    /// Pairs of libraries that `fastest` chose, each with its runner-up; null if the user did not request `fastest`.
    pub fastest: Vec<Fastest>,
}

impl HarnessEntry {
    /// Returns the rules of a run. `floor_ns` is the median time in ns of a case that does nothing.
    pub fn of(header: &RunHeader, floor_ns: Option<f64>) -> HarnessEntry {
        let protocol = &header.protocol;
        HarnessEntry {
            protocol: protocol.kind,
            iterations: protocol.iterations,
            warmup: protocol.warmup,
            handshakes: header.plan.iter().any(Case::waits_for_network).then_some(protocol.handshakes),
            outlier_trim_pct: protocol.trim_pct,
            processes: protocol.processes,
            floor_ns,
            batch: protocol.batch,
            precision_pct: protocol.precision_pct,
            max_time_s: protocol.max_time_s,
            visit_s: protocol.visit_s,
            counter: protocol.counter,
            affinity: protocol.affinity.clone(),
            run_spreads: protocol.run_spreads.clone(),
            fastest: protocol.fastest.clone(),
        }
    }
}

impl From<HarnessEntry> for Protocol {
    fn from(entry: HarnessEntry) -> Protocol {
        Protocol {
            kind: entry.protocol,
            processes: entry.processes,
            warmup: entry.warmup,
            iterations: entry.iterations,
            handshakes: entry.handshakes.unwrap_or(Protocol::default().handshakes),
            trim_pct: entry.outlier_trim_pct,
            batch: entry.batch,
            precision_pct: entry.precision_pct,
            max_time_s: entry.max_time_s,
            visit_s: entry.visit_s,
            counter: entry.counter,
            affinity: entry.affinity,
            run_spreads: entry.run_spreads,
            fastest: entry.fastest,
        }
    }
}
