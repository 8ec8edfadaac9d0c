use crate::{Case, CounterChoice, Fastest, Protocol, ProtocolKind, RunHeader, RunSpreads};
use serde::{Deserialize, Serialize};

/// Measurement settings and measurement overhead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarnessEntry {
    /// Rules for the number of samples: `adaptive`, `fixed` or `reference`.
    pub protocol: ProtocolKind,
    /// Number of samples per case, over all processes; null for the adaptive rules.
    pub iterations: Option<u64>,
    /// Number of operations that each process discards before its first sample of a case.
    pub warmup: u64,
    /// Number of samples of each case that waits for a network, over all processes; absent if no case in the plan waits
    /// for a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshakes: Option<u64>,
    /// Percentage of the samples trimmed at each tail.
    pub outlier_trim_pct: f64,
    /// Number of worker processes that measure each case.
    pub processes: u32,
    /// Measurement overhead in ns: the median time of a case that makes the same calls but does nothing. Null if the
    /// run did not measure this case.
    pub floor_ns: Option<f64>,
    /// Requested number of operations per sample; null if the harness chose it for each case.
    pub batch: Option<u64>,
    /// Target half-width of the median's 95% interval, in percent.
    pub precision_pct: f64,
    /// Maximum time for a case over all processes, in seconds.
    pub max_time_s: f64,
    /// Target length of a visit, in seconds.
    pub visit_s: f64,
    /// Time limit in seconds for measuring disturbed cases again at the end of the run; null for the default.
    pub patience_s: Option<f64>,
    /// Counter that the user requested.
    pub counter: CounterChoice,
    /// Cores to which workers were pinned; null if the user chose none.
    pub affinity: Option<Vec<u32>>,
    /// Spread between runs that the intervals take into account.
    pub run_spreads: RunSpreads,
    /// Pairs of libraries that the request `fastest` selected, each with its runner-up. Empty if the user did not
    /// request `fastest`.
    pub fastest: Vec<Fastest>,
}

impl HarnessEntry {
    /// Returns the measurement settings of a run. `floor_ns` is the measurement overhead: the median time in ns of a
    /// case that does nothing.
    pub fn new(header: &RunHeader, floor_ns: Option<f64>) -> HarnessEntry {
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
            patience_s: protocol.patience_s,
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
            patience_s: entry.patience_s,
            counter: entry.counter,
            affinity: entry.affinity,
            run_spreads: entry.run_spreads,
            fastest: entry.fastest,
        }
    }
}
