use crate::Case;
use serde::{Deserialize, Serialize};

/// Rules for the amount of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolKind {
    /// As many rounds as the noise in the first three rounds requires, within the time limit of the case.
    Adaptive,
    /// A requested number of samples.
    Fixed,
    /// Rules for the reference suites: 1,000 iterations after 100 warm-up iterations, with 1% trimmed at each tail.
    Reference,
}

/// Counter that the user requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterChoice {
    /// The best available counter: core cycles, otherwise TSC ticks, otherwise the wall clock.
    Best,
    /// The monotonic clock.
    Wall,
    /// The time-stamp counter.
    Tsc,
    /// Core cycles from the performance-monitoring unit.
    Cycles,
    /// Retired instructions.
    Instructions,
}

/// Spread between whole runs of the same cases on a machine, beyond the spread between processes and rounds. A run
/// keeps the values known when it began, so that its intervals never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpreads {
    /// Standard deviation of times, in percent; includes the variation of the core clock.
    pub time_pct: f64,
    /// Standard deviation of core cycles, in percent.
    pub cycles_pct: f64,
    /// Number of independent comparisons behind the estimates.
    pub degrees_of_freedom: u64,
    /// Source of the values, in words.
    pub source: String,
}

/// [Source](RunSpreads::source) of values that were not measured on the machine.
pub const ASSUMED: &str = "assumed";

impl Default for RunSpreads {
    /// Returns the values assumed for an unknown machine.
    fn default() -> RunSpreads {
        RunSpreads { time_pct: 1.5, cycles_pct: 0.15, degrees_of_freedom: 20, source: ASSUMED.into() }
    }
}

/// Pair of libraries that `fastest` chose for a run, with the trial that preceded the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fastest {
    /// The construction: `X-Wing`.
    pub construction: String,
    /// The request: `fastest+fastest`, or with one half fixed, `fastest+liboqs`.
    pub asked: String,
    /// The operations that the trial timed and added up.
    pub operations: Vec<String>,
    /// The chosen pair of libraries.
    pub provider: String,
    /// Time of the chosen pair in ns: the sum over the operations of the interquartile means of a few short visits.
    pub ns: f64,
    /// Second-fastest pair; `None` if no other pair supports all operations.
    pub runner_up: Option<RunnerUp>,
    /// Number of pairs tried.
    pub candidates: u64,
    /// The pairs that were tried.
    pub among: Vec<String>,
    /// Pairs that failed or have a known defect in a deciding operation.
    pub failed: Vec<FailedCandidate>,
}

/// The second-fastest pair of libraries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunnerUp {
    /// The pair.
    pub provider: String,
    /// Time of the pair in ns, computed like the time of the chosen pair.
    pub ns: f64,
}

/// A pair of libraries that the trial rejected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// The pair.
    pub provider: String,
    /// Reason in one line.
    pub reason: String,
}

/// Measuring rules of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Adaptive, fixed or reference.
    pub kind: ProtocolKind,
    /// Number of worker processes that measure each case. The process is the unit of repetition.
    pub processes: u32,
    /// Number of operations that each process discards before its first sample of a case.
    pub warmup: u64,
    /// Number of samples of a case, over all processes; `None` for adaptive rules.
    pub iterations: Option<u64>,
    /// Number of samples of a case that waits for a network, over all processes.
    pub handshakes: u64,
    /// Percentage of the samples trimmed at each tail.
    pub trim_pct: f64,
    /// Operations per sample; `None` to calibrate.
    pub batch: Option<u64>,
    /// Target half-width of the median's 95% interval, in percent of the median.
    pub precision_pct: f64,
    /// Maximum time for a case over all processes, in seconds.
    pub max_time_s: f64,
    /// Time per visit to a case, in seconds.
    pub visit_s: f64,
    /// Counter that was requested.
    pub counter: CounterChoice,
    /// Cores to which workers are pinned; `None` lets the harness choose.
    pub affinity: Option<Vec<u32>>,
    /// Spread between runs that the intervals assume.
    pub run_spreads: RunSpreads,
    /// Pairs of libraries that `fastest` chose, if the user requested it.
    pub fastest: Vec<Fastest>,
}

impl Protocol {
    /// Returns whether the rules measure for a target precision instead of a number of samples.
    pub fn asks_for_precision(&self, case: &Case) -> bool {
        self.iterations.is_none() && !case.waits_for_network()
    }
}

impl Default for Protocol {
    fn default() -> Protocol {
        Protocol {
            kind: ProtocolKind::Adaptive,
            processes: 8,
            warmup: 100,
            iterations: None,
            handshakes: 200,
            trim_pct: 0.0,
            batch: None,
            precision_pct: 1.0,
            max_time_s: 1.5,
            visit_s: 0.01,
            counter: CounterChoice::Best,
            affinity: None,
            run_spreads: RunSpreads::default(),
            fastest: Vec::new(),
        }
    }
}
