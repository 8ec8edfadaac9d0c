use crate::{CyclesSource, Form, Metric, Residue, Samples, Sizes, Status};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// The identity in one line.
    pub id: String,
    /// Id of the run that measured it.
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
    pub mean_ci_us: Option<[f64; 2]>,
    /// `median` or `mean`: what the case is compared and ranked by. `mean` for an operation that repeats by chance.
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
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Median count of `counter`; null for the wall clock.
    pub ticks: Option<f64>,
    /// `ticks` for each byte that one operation works through; null where that is not said.
    pub ticks_per_byte: Option<f64>,
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// By how much the visits' medians change from the first round to the last, in percent; null for fewer than three
    /// processes with three visits.
    pub drift_pct: Option<f64>,
    /// Standard deviation of what tells processes apart, in percent of the median; null where it cannot be told.
    pub between_processes_pct: Option<f64>,
    /// Standard deviation of the medians of one process's visits, in percent of the median; likewise.
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
    /// What the library is known to do wrong in this operation.
    pub defect: Option<String>,
    /// Bytes that one operation works through.
    pub bytes: Option<u64>,
    /// Bytes a second at the mean; null where `bytes` is.
    pub bytes_per_s: Option<f64>,
    /// Cases of one block were measured in the same shuffled rounds.
    pub block: String,
    /// When it was finished: RFC 3339, UTC.
    pub finished_at: String,
    /// Median core cycles of one operation; null where they are not known, and for what is not the computing of one thread.
    pub core_cycles: Option<f64>,
    /// 95% interval of `core_cycles`.
    pub core_cycles_ci: Option<[f64; 2]>,
    /// `counter`: the processor counted them; `estimated`: the time by the core clock that was probed around and within each
    /// visit.
    pub core_cycles_source: Option<CyclesSource>,
    /// Mean core cycles of one operation after trimming.
    pub mean_core_cycles: Option<f64>,
    /// 95% interval of `mean_core_cycles`.
    pub mean_core_cycles_ci: Option<[f64; 2]>,
    /// Whether the case takes part in rankings.
    pub ranked: bool,
    /// Why it does not; null if it does.
    pub not_ranked_because: Option<String>,
    /// How good the figure is; null for a case without figures.
    pub quality: Option<QualityEntry>,
    /// How much of the measuring time somebody used the core's other hardware thread.
    pub shared_pct: Option<f64>,
    /// The processor on which it was measured; null if there were several.
    pub processor: Option<u32>,
    /// All processors on which it was measured.
    pub processors: Option<Vec<u32>>,
    /// The two levels on which processes settled, where they did.
    pub modes: Option<Vec<ModeEntry>>,
    /// State that outlives the call; null where there was no reading it.
    pub residue: Option<Vec<Residue>>,
    /// The operation's first call in a process, the median over processes.
    pub first_call_us: Option<f64>,
    /// Why the wanted precision was not reached: `drifting`, `two modes`, `few samples`, `spread`; empty where it was.
    pub imprecise: Option<Vec<String>>,
    /// The encoding of the private key that is loaded or written within the operation: `seed`, `expanded`, `both`, `scalar`,
    /// `der`, `cbor`; null if the operation has no private key in encoded form.
    pub key: Option<String>,
    /// Where the operation's randomness comes from: `internal` or `exact`; null where it draws none.
    pub coins: Option<String>,
    /// The random generator that the library asks within the operation; null where it asks none.
    pub generator: Option<String>,
    /// The shared library that was called, of a pair the first that was loaded; null where the provider was linked in.
    pub library: Option<LibraryEntry>,
    /// The language of a provider that was not linked in, of a pair that of the first such: `go`; null where it was.
    pub language: Option<String>,
    /// What must be known when the figures are read, by the words of `analysis::Caveat`, each with what it says of this case; empty
    /// where there is nothing.
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
