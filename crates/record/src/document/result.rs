use crate::{CyclesSource, Form, Metric, Residue, Samples, Sizes, Status};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Result of measuring a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Id of the case.
    pub id: String,
    /// Id of the run that measured the case.
    pub run: String,
    /// Name of the case in tables.
    pub name: String,
    /// Area of the case.
    pub workload: String,
    /// Name of the algorithm in its standard.
    pub algorithm: String,
    /// The operation.
    pub operation: String,
    /// The provider, with its backend.
    pub provider: String,
    /// Other parameters that distinguish cases, by name, in the order of the id. The value is `true`, a number or a
    /// word.
    pub parameters: IndexMap<String, ParameterValue>,
    /// `ok` or `failed`.
    pub status: Status,
    /// Reason for the failure.
    pub error: Option<String>,
    /// Whether known answers and all round trips were right.
    pub verified: bool,
    /// Whether the results include all visits, because too few were undisturbed.
    pub contended: bool,
    /// Whether the case became slower or faster while it was measured.
    pub drifting: bool,
    /// Whether the target precision was reached in time; if not, `imprecise` says why.
    pub precision_reached: bool,
    /// `prepared` or `encoded`, if the operation has both forms.
    pub encoding: Option<Form>,
    /// Code path of the provider, if its id names one.
    pub backend: Option<String>,
    /// Operations per sample; null for a case without results. If it is above 1, the fields that describe single
    /// operations are null: `stdev_us`, `cov_pct`, `min_us`, `max_us`, `p5_us` to `p99_us` and `iqm_us`.
    pub batch: Option<u64>,
    /// Number of samples used for estimates, before trimming.
    pub n: usize,
    /// Number of processes that took these samples.
    pub processes: usize,
    /// Median of the samples.
    pub median_us: Option<f64>,
    /// 95% interval of the median.
    pub median_ci_us: Option<[f64; 2]>,
    /// Mean of the samples after trimming.
    pub mean_us: Option<f64>,
    /// 95% interval of the mean.
    pub mean_ci_us: Option<[f64; 2]>,
    /// Statistic used to compare and rank the case: `mean` if the operation repeats by chance, otherwise `median`.
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
    /// 0.05 quantile. Quantiles are null if fewer than two samples lie beyond them.
    pub p5_us: Option<f64>,
    /// Lower quartile.
    pub p25_us: Option<f64>,
    /// Upper quartile.
    pub p75_us: Option<f64>,
    /// 0.95 quantile.
    pub p95_us: Option<f64>,
    /// 0.99 quantile.
    pub p99_us: Option<f64>,
    /// Interquartile mean.
    pub iqm_us: Option<f64>,
    /// Jarque-Bera statistic of the samples (of batch means if `batch` is above 1); null for trimmed data and for fewer
    /// than 300 samples.
    pub jarque_bera: Option<f64>,
    /// Probability of a Jarque-Bera statistic at least this large if the samples were normal; null if `jarque_bera` is
    /// null.
    pub jarque_bera_p: Option<f64>,
    /// Operations per second, run one after another: the reciprocal of `mean_us`.
    pub ops_per_s: Option<f64>,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Median ticks of `counter` for one operation; null for the wall clock.
    pub ticks: Option<f64>,
    /// `ticks` per byte that one operation processes; null if the number of bytes is unknown.
    pub ticks_per_byte: Option<f64>,
    /// Lengths of keys, ciphertexts and signatures in bytes.
    pub sizes: Sizes,
    /// Change of the visit medians from the first round to the last, in percent; null if fewer than three processes
    /// have three visits.
    pub drift_pct: Option<f64>,
    /// Standard deviation between processes, in percent of the median; null if it cannot be estimated.
    pub between_processes_pct: Option<f64>,
    /// Standard deviation between the visit medians of one process, in percent of the median; null if it cannot be
    /// estimated.
    pub within_processes_pct: Option<f64>,
    /// Unit of `ticks`: `tsc` (ticks at a constant rate, not cycles), `cycles` or `instructions`; `wall` if there are
    /// none. Null for a case without results.
    pub counter: Option<Metric>,
    /// Median core cycles, if they were counted.
    pub cycles: Option<f64>,
    /// `core_cycles` per byte.
    pub cycles_per_byte: Option<f64>,
    /// Median retired instructions, if they were counted.
    pub instructions: Option<f64>,
    /// Distance from the median or mean (see `statistic`) to the farther end of its interval, in percent of the median
    /// or mean.
    pub half_width_pct: Option<f64>,
    /// Confidence level of the interval, between 0 and 1: 0.95, or for order statistics the level that their ranks
    /// give.
    pub confidence: Option<f64>,
    /// Method used to compute the interval: `crossed-t` (over processes, rounds and runs).
    pub interval_method: Option<String>,
    /// Median time of each process, in order of process number.
    pub process_medians_us: Option<Vec<f64>>,
    /// Median of the core clock estimates during the visits, in Hz.
    pub core_clock_hz: Option<f64>,
    /// Number of samples excluded with disturbed visits.
    pub left_out: usize,
    /// Disturbances of the visits.
    pub disturbances: DisturbancesEntry,
    /// Values that the workload measured itself, by name. A name ends in its unit.
    pub extra: IndexMap<String, ExtraEntry>,
    /// NIST security category.
    pub category: Option<u8>,
    /// Known defect of the library in this operation.
    pub defect: Option<String>,
    /// Number of bytes that one operation processes.
    pub bytes: Option<u64>,
    /// Bytes per second, computed from the mean; null if `bytes` is null.
    pub bytes_per_s: Option<f64>,
    /// Block of the case. Cases in one block were measured in the same shuffled rounds.
    pub block: String,
    /// Time when the case was finished (RFC 3339, UTC).
    pub finished_at: String,
    /// Median core cycles of one operation; null if unknown, and for cases that are not computations by one thread.
    pub core_cycles: Option<f64>,
    /// 95% interval of `core_cycles`.
    pub core_cycles_ci: Option<[f64; 2]>,
    /// `counter` if the processor counted the cycles. `estimated` if the cycles are the time multiplied by the core
    /// clock, which is sampled before, during and after each visit.
    pub core_cycles_source: Option<CyclesSource>,
    /// Mean core cycles of one operation after trimming.
    pub mean_core_cycles: Option<f64>,
    /// 95% interval of `mean_core_cycles`.
    pub mean_core_cycles_ci: Option<[f64; 2]>,
    /// Whether the case is ranked.
    pub ranked: bool,
    /// Reason why the case is not ranked; null if it is ranked.
    pub not_ranked_because: Option<String>,
    /// Quality of the result; null for a case without results.
    pub quality: Option<QualityEntry>,
    /// Percentage of the measuring time during which another load used the core's other hardware thread.
    pub shared_pct: Option<f64>,
    /// Processor on which the case was measured; null if there were several.
    pub processor: Option<u32>,
    /// All processors on which the case was measured.
    pub processors: Option<Vec<u32>>,
    /// The two levels at which processes settled, if there are two.
    pub modes: Option<Vec<ModeEntry>>,
    /// Processor state that the call leaves behind; null if it could not be read.
    pub residue: Option<Vec<Residue>>,
    /// Time of the operation's first call in a process: the median over processes.
    pub first_call_us: Option<f64>,
    /// Reasons for missing the target precision: `drifting`, `two modes`, `few samples`, `spread`. Empty if it was
    /// reached.
    pub imprecise: Option<Vec<String>>,
    /// Encoding of the private key that the operation loads or writes: `seed`, `expanded`, `both`, `scalar`, `der` or
    /// `cbor`. Null if the operation neither loads nor writes a private key.
    pub key: Option<String>,
    /// Source of the operation's randomness: `internal` or `exact`; null if the operation uses no randomness.
    pub coins: Option<String>,
    /// Random generator that the operation calls; null if it calls none.
    pub generator: Option<String>,
    /// Shared library that the case called. For a pair, the first loaded library. Null if all libraries were linked in.
    pub library: Option<LibraryEntry>,
    /// Language of a loaded provider, such as `go`. For a pair, the language of the first loaded provider. Null if all
    /// providers were linked in.
    pub language: Option<String>,
    /// Caveats about the results, keyed by the names in `analysis::Caveat`, each with a text for this case. May be
    /// empty.
    pub caveats: IndexMap<String, String>,
    /// All raw samples; null in the format `json`, present in `json-samples`.
    pub samples: Option<Samples>,
}

/// Shared library that was loaded at run time. The environment lists its file, version and build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryEntry {
    /// Interface through which the library is called: `liboqs`, `openssl`, `nist`.
    pub kind: String,
    /// Label that the user gave the library.
    pub label: String,
}

/// Level at which processes settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeEntry {
    /// Median of the processes' medians.
    pub median_us: f64,
    /// Number of processes.
    pub processes: usize,
}

/// Value of a parameter.
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

/// Quality of a case's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityEntry {
    /// Target precision: `reached`, `missed`, or `not asked` for a fixed number of samples.
    pub precision: String,
    /// Whether disturbed visits are included, because too few were undisturbed.
    pub disturbed: bool,
    /// Source of the spread between runs that the intervals assume: `measured` on this machine, or `assumed`.
    pub run_spread: String,
}

/// Disturbances of a case's visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbancesEntry {
    /// Number of visits.
    pub visits: usize,
    /// Number of visits that stayed disturbed.
    pub disturbed: usize,
    /// Number of times that a visit was repeated.
    pub repeats: u64,
    /// Disturbances by kind.
    pub kinds: Vec<DisturbanceEntry>,
}

/// Kind of disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceEntry {
    /// `steal`, `involuntary-switches`, `cpu-share`, `pressure`, `clock-drift`, `shared-core` or `other-tasks`.
    pub kind: String,
    /// Number of visits with this disturbance.
    pub visits: usize,
    /// Worst value: a percentage or a count.
    pub worst: Option<f64>,
    /// Description of the worst value.
    pub text: String,
}

/// Statistics of a value that the workload measured itself.
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
    /// 0.05 quantile.
    pub p5: f64,
    /// Median.
    pub median: f64,
    /// 0.95 quantile.
    pub p95: f64,
    /// 0.99 quantile.
    pub p99: f64,
    /// Largest value.
    pub max: f64,
}
