use crate::{CyclesSource, Form, Metric, Residue, Samples, Sizes, Status};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Result of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Id of the case.
    pub id: String,
    /// Id of the run that measured it.
    pub run: String,
    /// Name of its row in tables.
    pub name: String,
    /// The area.
    pub workload: String,
    /// Name of the algorithm in its standard.
    pub algorithm: String,
    /// The operation.
    pub operation: String,
    /// The provider, with its backend.
    pub provider: String,
    /// Other parameters that distinguish cases, in the order of the id: `true`, a number or a word by name.
    pub parameters: IndexMap<String, ParameterValue>,
    /// `ok` or `failed`.
    pub status: Status,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether known answers and every round trip were right.
    pub verified: bool,
    /// Whether too few visits were undisturbed, so that the figures count all of them.
    pub contended: bool,
    /// Whether the case became slower or faster while it was measured.
    pub drifting: bool,
    /// Whether the target precision was reached in time; if not, `imprecise` says why.
    pub precision_reached: bool,
    /// `prepared` or `encoded`, if the operation has both forms.
    pub encoding: Option<Form>,
    /// The provider's code path, if it names one.
    pub backend: Option<String>,
    /// Operations per sample; null for a case without figures. Above 1, the fields that describe single operations are
    /// null: `stdev_us`, `cov_pct`, `min_us`, `max_us`, `p5_us` to `p99_us` and `iqm_us`.
    pub batch: Option<u64>,
    /// Samples used for estimates, before trimming.
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
    pub mean_ci_us: Option<[f64; 2]>,
    /// Statistic by which the case is compared and ranked: `mean` if the operation repeats by chance, else `median`.
    pub statistic: Option<String>,
    /// Sample standard deviation.
    pub stdev_us: Option<f64>,
    /// Standard deviation in percent of the mean.
    pub cov_pct: Option<f64>,
    /// Robust coefficient of variation in percent: 0.741 times the interquartile range over the median.
    pub robust_cov_pct: Option<f64>,
    /// Smallest sample.
    pub min_us: Option<f64>,
    /// Largest sample.
    pub max_us: Option<f64>,
    /// Quantile of order 0.05. This and the other quantiles are null if fewer than two samples lie beyond them.
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
    /// Jarque-Bera statistic of the samples (of batch means if `batch` is above 1); null for trimmed data and for fewer
    /// than 300 samples.
    pub jarque_bera: Option<f64>,
    /// Probability of a statistic at least as large if the samples were normal; null if `jarque_bera` is.
    pub jarque_bera_p: Option<f64>,
    /// Operations per second, one after the other: the reciprocal of `mean_us`.
    pub ops_per_s: Option<f64>,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Median count of `counter`; null for the wall clock.
    pub ticks: Option<f64>,
    /// `ticks` per byte that one operation processes; null if that number is unknown.
    pub ticks_per_byte: Option<f64>,
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// Change of the visits' medians from the first round to the last, in percent; null for fewer than three processes
    /// with three visits.
    pub drift_pct: Option<f64>,
    /// Standard deviation between processes, in percent of the median; null if it cannot be estimated.
    pub between_processes_pct: Option<f64>,
    /// Standard deviation between the visit medians of one process, in percent of the median; null if it cannot be
    /// estimated.
    pub within_processes_pct: Option<f64>,
    /// What `ticks` count: `tsc` (ticks of constant rate, not cycles), `cycles`, `instructions`; `wall` counts none.
    /// Null for a case without figures.
    pub counter: Option<Metric>,
    /// Median core cycles, if they were counted.
    pub cycles: Option<f64>,
    /// `core_cycles` per byte.
    pub cycles_per_byte: Option<f64>,
    /// Median retired instructions, if they were counted.
    pub instructions: Option<f64>,
    /// Distance from the median or mean (see `statistic`) to the farther end of its interval, in percent of it.
    pub half_width_pct: Option<f64>,
    /// Confidence of the interval as a fraction: 0.95, or for order statistics what their ranks give.
    pub confidence: Option<f64>,
    /// Method of the interval: `crossed-t` (over processes, rounds and runs).
    pub interval_method: Option<String>,
    /// Median of each process, in order of process number.
    pub process_medians_us: Option<Vec<f64>>,
    /// Median of the core clock estimated during the visits, in Hz.
    pub core_clock_hz: Option<f64>,
    /// Samples excluded with the disturbed visits.
    pub left_out: usize,
    /// Disturbances of the visits.
    pub disturbances: DisturbancesEntry,
    /// Figures that the workload measured itself, by name. The name ends in the unit.
    pub extra: IndexMap<String, ExtraEntry>,
    /// NIST security category.
    pub category: Option<u8>,
    /// Known defect of the library in this operation.
    pub defect: Option<String>,
    /// Bytes that one operation processes.
    pub bytes: Option<u64>,
    /// Bytes per second at the mean; null if `bytes` is.
    pub bytes_per_s: Option<f64>,
    /// Block of the case. Cases of one block were measured in the same shuffled rounds.
    pub block: String,
    /// When the case was finished: RFC 3339, UTC.
    pub finished_at: String,
    /// Median core cycles of one operation; null if unknown, and for cases that are not the computation of one thread.
    pub core_cycles: Option<f64>,
    /// 95% interval of `core_cycles`.
    pub core_cycles_ci: Option<[f64; 2]>,
    /// `counter`: counted by the processor; `estimated`: the time multiplied by the core clock, which was probed around
    /// and within each visit.
    pub core_cycles_source: Option<CyclesSource>,
    /// Mean core cycles of one operation after trimming.
    pub mean_core_cycles: Option<f64>,
    /// 95% interval of `mean_core_cycles`.
    pub mean_core_cycles_ci: Option<[f64; 2]>,
    /// Whether the case is ranked.
    pub ranked: bool,
    /// Why the case is not ranked; null if it is.
    pub not_ranked_because: Option<String>,
    /// Quality of the figure; null for a case without figures.
    pub quality: Option<QualityEntry>,
    /// Percentage of the measuring time in which another load used the core's other hardware thread.
    pub shared_pct: Option<f64>,
    /// The processor on which it was measured; null if there were several.
    pub processor: Option<u32>,
    /// All processors on which it was measured.
    pub processors: Option<Vec<u32>>,
    /// The two levels on which the processes settled, if they did.
    pub modes: Option<Vec<ModeEntry>>,
    /// Processor state that the call leaves behind; null if it could not be read.
    pub residue: Option<Vec<Residue>>,
    /// First call of the operation in a process: the median over processes.
    pub first_call_us: Option<f64>,
    /// Why the target precision was missed: `drifting`, `two modes`, `few samples`, `spread`; empty if it was reached.
    pub imprecise: Option<Vec<String>>,
    /// The encoding of the private key that the operation loads or writes: `seed`, `expanded`, `both`, `scalar`, `der`,
    /// `cbor`; null if the operation has no private key in encoded form.
    pub key: Option<String>,
    /// Source of the operation's randomness: `internal` or `exact`; null if it draws none.
    pub coins: Option<String>,
    /// The random generator that the operation asks; null if it asks none.
    pub generator: Option<String>,
    /// The shared library that was called, for a pair the first that was loaded; null if the provider was linked in.
    pub library: Option<LibraryEntry>,
    /// Language of a provider that was not linked in, for a pair of the first such: `go`; null if it was linked in.
    pub language: Option<String>,
    /// Caveats for reading the figures, by the words of `analysis::Caveat`, each with its text for this case; may be
    /// empty.
    pub caveats: IndexMap<String, String>,
    /// Every raw sample; null in the format `json`, given in `json-samples`.
    pub samples: Option<Samples>,
}

/// Shared library that was loaded at run time. The environment has its file, version and build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryEntry {
    /// Interface by which it is called: `liboqs`, `openssl`, `nist`.
    pub kind: String,
    /// Label that the user gave it.
    pub label: String,
}

/// Level on which processes settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeEntry {
    /// Median of the processes' medians.
    pub median_us: f64,
    /// Number of processes.
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

/// Quality of a case's figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityEntry {
    /// Target precision: `reached`, `missed`, or `not asked` for a fixed number of samples.
    pub precision: String,
    /// Whether disturbed visits count, because too few were undisturbed.
    pub disturbed: bool,
    /// Source of the spread between runs in the intervals: `measured` on this machine, or `assumed`.
    pub run_spread: String,
}

/// Disturbances of a case's visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbancesEntry {
    /// Number of visits.
    pub visits: usize,
    /// Visits that stayed disturbed.
    pub disturbed: usize,
    /// Number of times that visits were measured again.
    pub repeats: u64,
    /// Disturbances by kind.
    pub kinds: Vec<DisturbanceEntry>,
}

/// Kind of disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceEntry {
    /// `steal`, `involuntary-switches`, `cpu-share`, `pressure`, `clock-drift`, `shared-core` or `other-tasks`.
    pub kind: String,
    /// Visits that it disturbed.
    pub visits: usize,
    /// Its worst value: percent, or a number of switches.
    pub worst: Option<f64>,
    /// Its worst value in words.
    pub text: String,
}

/// Figure that a workload measured itself.
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
