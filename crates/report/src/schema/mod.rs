//! The exported JSON, schema `pqlab/1`: field by field what scripts read. Adding a field is free, renaming or removing one
//! is not. A field that does not apply is null, never absent. Times are in µs where the name ends in `_us`, and of one
//! operation; how they are made from samples says [`pqlab_analysis::estimates`].

mod document;
mod file;
mod import;
mod table;
mod threads;

use indexmap::IndexMap;
use pqlab_record::{
    Build, CounterChoice, Cpu, CyclesSource, Fastest, Form, Host, Metric, OperatingSystem, ProtocolKind, ProviderBuild,
    Residue, RunSpreads, Samples, Sizes, Status,
};
use serde::{Deserialize, Serialize};

pub(crate) use document::extra;
pub use file::{FileError, read_run};
pub use import::ImportError;
pub use table::{CellEntry, ColumnEntry, RowEntry, TableEntry};
pub use threads::{LoadEntry, RatioEntry, ScalingEntry};

/// A run with its estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Name and version of the schema: `pqlab/1`.
    pub schema: String,
    /// When the results came to be, RFC 3339, UTC: the end of the run's last case, or its start where there is none. The
    /// same run gives the same bytes whenever it is exported.
    pub generated_at: String,
    /// The run as a whole.
    pub run: RunEntry,
    /// Machine, build and counters.
    pub environment: EnvironmentEntry,
    /// The measuring rules, and what measuring itself costs.
    pub harness: HarnessEntry,
    /// The cases that have their record, by area, both in the order of the plan.
    pub results: IndexMap<String, Vec<ResultEntry>>,
    /// Cases on several threads: throughput, speed-up, efficiency.
    #[serde(default)]
    pub scaling: Vec<ScalingEntry>,
    /// Cases through a thread pool: wall time, queueing delays, losses.
    #[serde(default)]
    pub loads: Vec<LoadEntry>,
    /// Tables that several cases make together, by name. They follow from the samples: what a file says of them is for its readers.
    #[serde(default)]
    pub tables: IndexMap<String, TableEntry>,
}

/// The run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Unique, sorted by time.
    pub id: String,
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The command line that asked for it.
    pub command: String,
    /// Seed of the order and of the inputs.
    pub seed: u64,
    /// Whether every case of the plan has its record.
    pub complete: bool,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// When the last case was finished: RFC 3339, UTC.
    pub finished_at: Option<String>,
    /// Cases in the plan.
    pub planned: usize,
    /// Cases that have their record.
    pub finished: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// The runs that the cases are of, the newest first: itself, or those that a report put together.
    #[serde(default)]
    pub parts: Vec<PartEntry>,
}

/// A run that gave cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its id.
    pub id: String,
    /// Its suites' names, joined by a plus.
    pub suite: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
}

/// Machine, build and counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentEntry {
    /// The machine as a whole.
    pub host: Host,
    /// The processor.
    pub cpu: Cpu,
    /// The operating system.
    pub os: OperatingSystem,
    /// How the program was built.
    pub build: Build,
    /// Every provider in the build.
    pub providers: Vec<ProviderBuild>,
    /// What counted time.
    pub counters: CountersEntry,
}

/// What counted time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountersEntry {
    /// `wall`, `tsc`, `cycles` or `instructions`.
    pub primary: String,
    /// Ticks in a second of a counter of constant rate.
    pub ticks_per_second: Option<f64>,
    /// Estimated core clock in Hz when the run began. A TSC tick is not a cycle of it.
    pub core_clock_estimate_hz: Option<f64>,
    /// Smallest step between two readings in ns.
    pub resolution_ns: Option<f64>,
    /// What a pair of readings with nothing between them shows, in ns.
    pub overhead_ns: Option<f64>,
    /// Counters that are not available.
    pub unavailable: Vec<UnavailableEntry>,
}

/// A counter that is not available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnavailableEntry {
    /// Its name.
    pub counter: String,
    /// Why, and what to do about it.
    pub reason: String,
}

/// The measuring rules, and what measuring itself costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarnessEntry {
    /// `adaptive`, `fixed` or `reference`.
    pub protocol: ProtocolKind,
    /// Samples of a case over all processes; null for the adaptive rules.
    pub iterations: Option<u64>,
    /// Operations discarded in each process before its first sample of a case.
    pub warmup: u64,
    /// Samples of a case that waits for a network, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshakes: Option<u64>,
    /// Percentage of the samples left out at each tail.
    pub outlier_trim_pct: f64,
    /// Worker processes.
    pub processes: u32,
    /// Median in ns of a case that does nothing through the same calls; null where the run has none.
    pub floor_ns: Option<f64>,
    /// Operations in a sample; null where they were calibrated.
    pub batch: Option<u64>,
    /// Wanted half-width of the median's interval in percent.
    pub precision_pct: f64,
    /// Most seconds for a case.
    pub max_time_s: f64,
    /// Seconds of a visit to a case.
    pub visit_s: f64,
    /// Which counter was asked for.
    pub counter: CounterChoice,
    /// Cores to which workers were pinned.
    pub affinity: Option<Vec<u32>>,
    /// What intervals take the spread between runs for. An import without it is taken.
    #[serde(default)]
    pub run_spreads: RunSpreads,
    /// What `fastest` stands for, where it was asked for, with its runner-up. An import without it is taken.
    #[serde(default)]
    pub fastest: Vec<Fastest>,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// The identity in one line.
    pub id: String,
    /// Id of the run that measured it.
    #[serde(default)]
    pub run: String,
    /// What a table's row is called.
    pub name: String,
    /// The area.
    pub workload: String,
    /// The standard's name of the algorithm.
    pub algorithm: String,
    /// The operation.
    pub operation: String,
    /// The provider, with its backend.
    pub provider: String,
    /// What else tells cases apart, in the order of the id: `true`, a number or a word by name.
    pub parameters: IndexMap<String, ParameterValue>,
    /// `ok` or `failed`.
    pub status: Status,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether known answers and every round trip were right.
    pub verified: bool,
    /// Whether too few visits were left undisturbed, so that the figures count all of them.
    pub contended: bool,
    /// Whether the case became slower or faster while it was measured.
    #[serde(default)]
    pub drifting: bool,
    /// Whether the wanted precision was reached in the time given: else `imprecise` says why not.
    pub precision_reached: bool,
    /// `prepared` or `encoded`, where the operation has both forms.
    pub encoding: Option<Form>,
    /// The provider's code path, where it names one.
    pub backend: Option<String>,
    /// Operations in a sample; null for a case without figures. Above 1, the fields that speak of single operations are
    /// null: `stdev_us`, `cov_pct`, `min_us`, `max_us`, `p5_us` to `p99_us` and `iqm_us`.
    pub batch: Option<u64>,
    /// Samples that estimates are made from, before trimming.
    pub n: usize,
    /// Processes that took them.
    pub processes: usize,
    /// Median of the samples.
    pub median_us: Option<f64>,
    /// 95% interval of the median.
    pub median_ci_us: Option<[f64; 2]>,
    /// Mean of the samples after trimming.
    pub mean_us: Option<f64>,
    /// 95% interval of the mean.
    #[serde(default)]
    pub mean_ci_us: Option<[f64; 2]>,
    /// `median` or `mean`: what the case is compared and ranked by. `mean` for an operation that repeats by chance.
    #[serde(default)]
    pub statistic: Option<String>,
    /// Sample standard deviation.
    pub stdev_us: Option<f64>,
    /// Standard deviation in percent of the mean.
    pub cov_pct: Option<f64>,
    /// Robust coefficient of variation in percent: 0.741 times the interquartile range over the median.
    #[serde(default)]
    pub robust_cov_pct: Option<f64>,
    /// Smallest sample.
    pub min_us: Option<f64>,
    /// Largest sample.
    pub max_us: Option<f64>,
    /// Quantile of order 0.05. It and the other quantiles are null where fewer than two samples lie beyond them.
    pub p5_us: Option<f64>,
    /// Lower quartile.
    pub p25_us: Option<f64>,
    /// Upper quartile.
    pub p75_us: Option<f64>,
    /// Quantile of order 0.95.
    pub p95_us: Option<f64>,
    /// Quantile of order 0.99.
    pub p99_us: Option<f64>,
    /// Interquartile mean.
    pub iqm_us: Option<f64>,
    /// Jarque and Bera's statistic of the samples (of batch means where `batch` is above 1); null for trimmed data and for
    /// fewer than 300 samples.
    pub jarque_bera: Option<f64>,
    /// Probability of a statistic at least as large, were the samples normal; null where `jarque_bera` is.
    pub jarque_bera_p: Option<f64>,
    /// Operations a second, one after the other: the reciprocal of `mean_us`.
    pub ops_per_s: Option<f64>,
    /// 95% interval of `ops_per_s`.
    #[serde(default)]
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Median count of `counter`; null for the wall clock.
    pub ticks: Option<f64>,
    /// `ticks` for each byte that one operation works through; null where that is not said.
    pub ticks_per_byte: Option<f64>,
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// By how much the visits' medians change from the first round to the last, in percent; null for fewer than three
    /// processes with three visits.
    #[serde(default)]
    pub drift_pct: Option<f64>,
    /// Standard deviation of what tells processes apart, in percent of the median; null where it cannot be told.
    #[serde(default)]
    pub between_processes_pct: Option<f64>,
    /// Standard deviation of the medians of one process's visits, in percent of the median; likewise.
    #[serde(default)]
    pub within_processes_pct: Option<f64>,
    /// What `ticks` count: `tsc` (ticks of constant rate, not cycles), `cycles`, `instructions`; `wall` counts none. Null
    /// for a case without figures.
    pub counter: Option<Metric>,
    /// Median core cycles, where these were counted.
    pub cycles: Option<f64>,
    /// `core_cycles` for each byte.
    pub cycles_per_byte: Option<f64>,
    /// Median retired instructions, where these were counted.
    pub instructions: Option<f64>,
    /// Distance in percent of the median or mean, as `statistic` says, to the farther end of its interval.
    pub half_width_pct: Option<f64>,
    /// Confidence of the interval as a share: 0.95, or for order statistics what their ranks give.
    pub confidence: Option<f64>,
    /// `crossed-t`: over processes, rounds and runs.
    pub interval_method: Option<String>,
    /// Median of each process, in the order of their numbers.
    pub process_medians_us: Option<Vec<f64>>,
    /// Median of the core clock that was estimated during the visits, in Hz.
    pub core_clock_hz: Option<f64>,
    /// Samples of disturbed visits that were left out.
    pub left_out: usize,
    /// What disturbed the visits.
    pub disturbances: DisturbancesEntry,
    /// What the workload measured itself, by name, in the unit that the name ends in.
    pub extra: IndexMap<String, ExtraEntry>,
    /// NIST security category.
    pub category: Option<u8>,
    /// What the library is known to do wrong in this operation. An import without it is taken.
    #[serde(default)]
    pub defect: Option<String>,
    /// Bytes that one operation works through.
    pub bytes: Option<u64>,
    /// Bytes a second at the mean; null where `bytes` is. An import without it is taken.
    #[serde(default)]
    pub bytes_per_s: Option<f64>,
    /// Cases of one block were measured in the same shuffled rounds.
    pub block: String,
    /// When it was finished: RFC 3339, UTC.
    pub finished_at: String,
    /// Median core cycles of one operation; null where they are not known, and for what is not the computing of one thread.
    #[serde(default)]
    pub core_cycles: Option<f64>,
    /// 95% interval of `core_cycles`.
    #[serde(default)]
    pub core_cycles_ci: Option<[f64; 2]>,
    /// `counter`: the processor counted them; `estimated`: the time by the core clock that was probed around and within each
    /// visit.
    #[serde(default)]
    pub core_cycles_source: Option<CyclesSource>,
    /// Mean core cycles of one operation after trimming.
    #[serde(default, alias = "core_cycles_mean")]
    pub mean_core_cycles: Option<f64>,
    /// 95% interval of `mean_core_cycles`.
    #[serde(default)]
    pub mean_core_cycles_ci: Option<[f64; 2]>,
    /// Whether the case takes part in rankings.
    #[serde(default)]
    pub ranked: bool,
    /// Why it does not; null if it does.
    #[serde(default)]
    pub not_ranked_because: Option<String>,
    /// How good the figure is; null for a case without figures.
    #[serde(default)]
    pub quality: Option<QualityEntry>,
    /// How much of the measuring time somebody used the core's other hardware thread.
    #[serde(default)]
    pub shared_pct: Option<f64>,
    /// The processor on which it was measured; null if there were several.
    #[serde(default)]
    pub processor: Option<u32>,
    /// All processors on which it was measured.
    #[serde(default)]
    pub processors: Option<Vec<u32>>,
    /// The two levels on which processes settled, where they did.
    #[serde(default)]
    pub modes: Option<Vec<ModeEntry>>,
    /// State that outlives the call; null where there was no reading it.
    #[serde(default)]
    pub residue: Option<Vec<Residue>>,
    /// The operation's first call in a process, the median over processes.
    #[serde(default)]
    pub first_call_us: Option<f64>,
    /// Why the wanted precision was not reached: `drifting`, `two modes`, `few samples`, `spread`; empty where it was.
    #[serde(default)]
    pub imprecise: Option<Vec<String>>,
    /// The encoding of the private key that is loaded or written within the operation: `seed`, `expanded`, `both`, `scalar`,
    /// `der`, `cbor`; null where no private key is, and in runs of before, whose ids did not say.
    #[serde(default)]
    pub key: Option<String>,
    /// Where the operation's randomness comes from: `internal` or `exact`; null where it draws none.
    #[serde(default)]
    pub coins: Option<String>,
    /// The random generator that the library asks within the operation; null where it asks none.
    #[serde(default)]
    pub generator: Option<String>,
    /// The shared library that was called, of a pair the first that was loaded; null where the provider was linked in.
    #[serde(default)]
    pub library: Option<LibraryEntry>,
    /// The language of a provider that was not linked in, of a pair that of the first such: `go`; null where it was.
    #[serde(default)]
    pub language: Option<String>,
    /// What must be known when the figures are read, by the words of [`Caveat`](pqlab_analysis::caveats::Caveat), each with what it says of
    /// this case; empty where there is nothing.
    #[serde(default)]
    pub caveats: IndexMap<String, String>,
    /// Every raw sample; null in the format `json`, given in `json-samples`.
    pub samples: Option<Samples>,
}

/// A shared library that was loaded at run time; its file, version and build stand in the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryEntry {
    /// By which interface it is called: `liboqs`, `openssl`, `nist`.
    pub kind: String,
    /// The name that the user gave it.
    pub label: String,
}

/// A level on which processes settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeEntry {
    /// Median of their medians.
    pub median_us: f64,
    /// How many processes.
    pub processes: usize,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// A flag, always `true`.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A word.
    Word(String),
}

/// How good the figure of a case is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityEntry {
    /// `reached` or `missed`, the target precision; `not asked` for a fixed number of samples.
    pub precision: String,
    /// Whether disturbed visits count, because too few were undisturbed.
    pub disturbed: bool,
    /// Where the spread between runs in the intervals comes from: `measured` on this machine, or `assumed`.
    pub run_spread: String,
}

/// What disturbed the visits of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbancesEntry {
    /// Visits.
    pub visits: usize,
    /// Visits that stayed disturbed.
    pub disturbed: usize,
    /// How often visits were measured again.
    pub repeats: u64,
    /// By kind.
    pub kinds: Vec<DisturbanceEntry>,
}

/// A kind of disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceEntry {
    /// `steal`, `involuntary-switches`, `cpu-share`, `pressure`, `clock-drift`, `shared-core` or `other-tasks`.
    pub kind: String,
    /// Visits that it disturbed.
    pub visits: usize,
    /// The worst of it: percent, or a number of switches.
    pub worst: Option<f64>,
    /// The worst of it in words.
    pub text: String,
}

/// A figure that a workload measured itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraEntry {
    /// Number of values.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation.
    pub stdev: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Quantile of order 0.05.
    pub p5: f64,
    /// Median.
    pub median: f64,
    /// Quantile of order 0.95.
    pub p95: f64,
    /// Quantile of order 0.99.
    pub p99: f64,
    /// Largest value.
    pub max: f64,
}
