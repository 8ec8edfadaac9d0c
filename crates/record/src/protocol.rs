use crate::Case;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rules that determine the number of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolKind {
    /// As many rounds as the target precision requires, given the noise in the first three rounds. The time limit of
    /// the case may end the measurement earlier.
    Adaptive,
    /// A fixed number of samples, requested by the user.
    Fixed,
    /// Rules of the reference suites: 1,000 iterations after 100 warm-up iterations, with 1% of the samples trimmed at
    /// each tail.
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

/// Spread between runs of the same cases on one machine, in addition to the spread between processes and rounds. A run
/// stores the values known when it began, so that its intervals never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpreads {
    /// Standard deviation of times, in percent. Includes the variation of the core clock.
    pub time_pct: f64,
    /// Standard deviation of core cycles, in percent.
    pub cycles_pct: f64,
    /// Degrees of freedom of the standard deviations: the number of independent comparisons from which they were
    /// estimated.
    pub degrees_of_freedom: u64,
    /// Source of the values, in words; [`ASSUMED`] if they were not measured on the machine.
    pub source: String,
    /// Spreads of single cases, by id. All other cases have the values above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cases: BTreeMap<String, CaseSpread>,
}

/// Spread between the runs of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseSpread {
    /// Standard deviation of times, in percent.
    pub time_pct: f64,
    /// Standard deviation of core cycles, in percent.
    pub cycles_pct: f64,
    /// Degrees of freedom of the standard deviations.
    pub degrees_of_freedom: u64,
}

impl RunSpreads {
    /// Returns the spreads of a case: its own, or those of all cases together.
    pub fn of_case(&self, id: &str) -> RunSpreads {
        let (time_pct, cycles_pct, degrees_of_freedom) = match self.cases.get(id) {
            Some(case) => (case.time_pct, case.cycles_pct, case.degrees_of_freedom),
            None => (self.time_pct, self.cycles_pct, self.degrees_of_freedom),
        };
        RunSpreads { time_pct, cycles_pct, degrees_of_freedom, source: self.source.clone(), cases: BTreeMap::new() }
    }
}

/// [Source](RunSpreads::source) of values that were not measured on the machine.
pub const ASSUMED: &str = "assumed";

impl RunSpreads {
    /// Returns the values assumed for a machine without earlier runs. On a virtual machine, the load of its neighbours
    /// changes the core's clock, so times differ more from run to run.
    pub fn assumed(virtualized: bool) -> RunSpreads {
        RunSpreads {
            time_pct: if virtualized { 3.0 } else { 1.5 },
            cycles_pct: 0.15,
            degrees_of_freedom: 20,
            source: ASSUMED.into(),
            cases: BTreeMap::new(),
        }
    }
}

impl Default for RunSpreads {
    /// Returns the values assumed for a machine that is not virtual.
    fn default() -> RunSpreads {
        RunSpreads::assumed(false)
    }
}

/// Pair of libraries that the request `fastest` selected for a construction, with the results of the trial that
/// preceded the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fastest {
    /// Name of the construction: `X-Wing`.
    pub construction: String,
    /// The user's request: `fastest+fastest`, or `fastest+liboqs` if one half is fixed.
    pub asked: String,
    /// Operations whose times the trial added up.
    pub operations: Vec<String>,
    /// Provider id of the selected pair: the ids of both libraries, joined by a plus.
    pub provider: String,
    /// Time of the selected pair in ns: the sum of its times for all operations. The time of an operation is the
    /// interquartile mean of a few short visits.
    pub ns: f64,
    /// Second-fastest pair; `None` if no other pair supports all operations.
    pub runner_up: Option<RunnerUp>,
    /// Number of pairs tried.
    pub candidates: u64,
    /// Provider ids of the pairs that were tried.
    pub among: Vec<String>,
    /// Pairs that failed, or that have a known defect in one of the timed operations.
    pub failed: Vec<FailedCandidate>,
}

/// The second-fastest pair of libraries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunnerUp {
    /// Provider id of the pair.
    pub provider: String,
    /// Time of the pair in ns, computed as in [`Fastest::ns`].
    pub ns: f64,
}

/// A pair of libraries that the trial rejected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// Provider id of the pair.
    pub provider: String,
    /// Reason for the rejection, in one line.
    pub reason: String,
}

/// Measurement settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Rules that determine the number of samples.
    pub kind: ProtocolKind,
    /// Number of worker processes that measure each case. Intervals cover the variation between processes.
    pub processes: u32,
    /// Number of operations that each process discards before its first sample of a case.
    pub warmup: u64,
    /// Number of samples of a case, over all processes; `None` for the adaptive rules.
    pub iterations: Option<u64>,
    /// Number of samples of a case that waits for a network, over all processes.
    pub handshakes: u64,
    /// Percentage of the samples trimmed at each tail.
    pub trim_pct: f64,
    /// Number of operations per sample; `None` lets the harness choose it for each case.
    pub batch: Option<u64>,
    /// Target half-width of the median's 95% interval, as a percentage of the median.
    pub precision_pct: f64,
    /// Maximum time for a case over all processes, in seconds.
    pub max_time_s: f64,
    /// Target length of a visit, in seconds.
    pub visit_s: f64,
    /// Time limit in seconds for measuring all disturbed cases again at the end of the run; 0 disables this. `None`
    /// means the run's time, but at least 30 s and at most ten times the total time limit of the disturbed cases.
    pub patience_s: Option<f64>,
    /// Counter that the user requested.
    pub counter: CounterChoice,
    /// Cores to which workers are pinned; `None` lets the harness choose.
    pub affinity: Option<Vec<u32>>,
    /// Spread between runs that the intervals take into account.
    pub run_spreads: RunSpreads,
    /// Pairs of libraries that the request `fastest` selected. Empty if the user did not request `fastest`.
    pub fastest: Vec<Fastest>,
}

impl Protocol {
    /// Returns whether `case` is measured until it reaches the target precision, rather than for a fixed number of
    /// samples.
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
            patience_s: None,
            counter: CounterChoice::Best,
            affinity: None,
            run_spreads: RunSpreads::default(),
            fastest: Vec::new(),
        }
    }
}
