use crate::Case;
use serde::{Deserialize, Serialize};

/// Which rules decide how much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolKind {
    /// As many rounds as the noise of the first three calls for, or until the case's time is spent.
    Adaptive,
    /// A number of iterations that was asked for.
    Fixed,
    /// The rules of the reference suites: 1,000 iterations after 100 for warm-up, 1% trimmed at each tail.
    Reference,
}

/// Which counter the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterChoice {
    /// The best that this machine offers: core cycles, else TSC ticks, else the wall clock.
    Best,
    /// The monotonic clock.
    Wall,
    /// The time-stamp counter.
    Tsc,
    /// Core cycles of the performance-monitoring unit.
    Cycles,
    /// Retired instructions.
    Instructions,
}

/// By how much whole runs of the same thing differ on a machine beyond what their processes and rounds show, as it was known
/// when a run began. It is kept with the run, so that the same run always has the same intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpreads {
    /// Standard deviation of times, in percent: the core's clock is in it.
    pub time_pct: f64,
    /// Standard deviation of core cycles, in percent.
    pub cycles_pct: f64,
    /// How many independent comparisons they were estimated from.
    pub degrees_of_freedom: u64,
    /// Where they come from, in words.
    pub source: String,
}

/// The [source](RunSpreads::source) of a spread between runs that was not measured on the machine.
pub const ASSUMED: &str = "assumed";

impl Default for RunSpreads {
    /// What is assumed of a machine of which nothing is known.
    fn default() -> RunSpreads {
        RunSpreads { time_pct: 1.5, cycles_pct: 0.15, degrees_of_freedom: 20, source: ASSUMED.into() }
    }
}

/// For which pair of libraries `fastest` stands in a run, and how that was found before the run was planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fastest {
    /// The construction: `X-Wing`.
    pub construction: String,
    /// What was asked for: `fastest+fastest`, or with the half that was given: `fastest+liboqs`.
    pub asked: String,
    /// The operations that decided; their times were added up.
    pub operations: Vec<String>,
    /// The pair of libraries that was chosen.
    pub provider: String,
    /// Its time in ns: the interquartile mean of a few short visits, added up over the operations.
    pub ns: f64,
    /// The next one; `None` where no other pair can do all that the construction needs.
    pub runner_up: Option<RunnerUp>,
    /// How many pairs were tried.
    pub candidates: u64,
    /// Which they were.
    pub among: Vec<String>,
    /// Those that failed or have a known defect in what decided.
    pub failed: Vec<FailedCandidate>,
}

/// The second fastest pair of libraries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunnerUp {
    /// The pair.
    pub provider: String,
    /// Its time in ns, as that of the fastest.
    pub ns: f64,
}

/// A pair of libraries that could not be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// The pair.
    pub provider: String,
    /// What went wrong, in one line.
    pub reason: String,
}

/// The measuring rules of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Adaptive, fixed or the reference's.
    pub kind: ProtocolKind,
    /// Worker processes that measure each case; the process is the unit of repetition.
    pub processes: u32,
    /// Operations run and discarded in each process before its first sample of a case.
    pub warmup: u64,
    /// Samples of a case over all processes; `None` for the adaptive rules.
    pub iterations: Option<u64>,
    /// Samples of a case that waits for a network, over all processes.
    pub handshakes: u64,
    /// Percentage of the samples left out at each tail.
    pub trim_pct: f64,
    /// Operations in a sample; `None` to calibrate.
    pub batch: Option<u64>,
    /// Wanted half-width of the 95% interval of the median, in percent of the median.
    pub precision_pct: f64,
    /// Most seconds that a case may take, over all processes.
    pub max_time_s: f64,
    /// Seconds of one visit to a case in a round.
    pub visit_s: f64,
    /// Which counter was asked for.
    pub counter: CounterChoice,
    /// Cores to which workers are pinned; `None` leaves the choice to the harness.
    pub affinity: Option<Vec<u32>>,
    /// What intervals take the spread between runs for.
    pub run_spreads: RunSpreads,
    /// What `fastest` stands for, where it was asked for.
    pub fastest: Vec<Fastest>,
}

impl Protocol {
    /// Whether a case is measured until it is as precise as asked for; else for a number of samples.
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
