use crate::{CyclesSource, Form, MemoryPart, Metric, Offsets, Residue, Samples, SecondChance, Sizes, Status};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Result of a case: its identity, its figures and their quality.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Id of the case: `kem/ML-KEM-768/decapsulate@liboqs`.
    pub id: String,
    /// Id of the run that measured the case.
    pub run: String,
    /// Name of the case in tables: `ML-KEM-768 decapsulate`.
    pub name: String,
    /// Area of the case.
    pub workload: String,
    /// Name of the algorithm in its standard.
    pub algorithm: String,
    /// Name of the operation: `keygen`, `encapsulate`, `sign`, ...
    pub operation: String,
    /// Id of the provider, with the backend after a colon.
    pub provider: String,
    /// Parameters in the id of the case except `encoded`, by name and in the order of the id. The value is `true`, a
    /// number or a word.
    pub parameters: IndexMap<String, ParameterValue>,
    /// Outcome of the case: `ok` or `failed`.
    pub status: Status,
    /// Reason for the failure; null if the case did not fail.
    pub error: Option<String>,
    /// Whether all known-answer and round-trip tests passed.
    pub verified: bool,
    /// Whether the case is disturbed: too few visits were undisturbed, so the results include all visits.
    pub contended: bool,
    /// Whether the case became slower or faster while it was measured.
    pub drifting: bool,
    /// Whether the target precision was reached in time. If not, `imprecise` gives the reasons.
    pub precision_reached: bool,
    /// Form of the key: `prepared` or `encoded`; null if the operation has only one form.
    pub encoding: Option<Form>,
    /// Code path of the provider, such as `avx2`; null if the provider's id names none.
    pub backend: Option<String>,
    /// Operations per sample; null for a case without results. If `batch` is above 1, the fields that describe single
    /// operations are null: `stdev_us`, `cov_pct`, `min_us`, `max_us`, `p5_us` to `p99_us` and `iqm_us`.
    pub batch: Option<u64>,
    /// Number of samples that the estimates use, before trimming.
    pub n: usize,
    /// Number of processes that took the samples counted by `n`.
    pub processes: usize,
    /// Median time.
    pub median_us: Option<f64>,
    /// 95% interval of `median_us`.
    pub median_ci_us: Option<[f64; 2]>,
    /// Mean time, after trimming.
    pub mean_us: Option<f64>,
    /// 95% interval of `mean_us`.
    pub mean_ci_us: Option<[f64; 2]>,
    /// Statistic used to compare and rank the case: `mean` if the operation retries a random number of times, otherwise
    /// `median`.
    pub statistic: Option<String>,
    /// Sample standard deviation of the time.
    pub stdev_us: Option<f64>,
    /// Coefficient of variation: `stdev_us` as a percentage of the mean.
    pub cov_pct: Option<f64>,
    /// Robust coefficient of variation in percent: 0.741 times the interquartile range, divided by the median.
    pub robust_cov_pct: Option<f64>,
    /// Smallest sample.
    pub min_us: Option<f64>,
    /// Largest sample.
    pub max_us: Option<f64>,
    /// 0.05 quantile. A quantile is null if fewer than two samples lie beyond it.
    pub p5_us: Option<f64>,
    /// Lower quartile.
    pub p25_us: Option<f64>,
    /// Upper quartile.
    pub p75_us: Option<f64>,
    /// 0.95 quantile.
    pub p95_us: Option<f64>,
    /// 0.99 quantile.
    pub p99_us: Option<f64>,
    /// Interquartile mean: mean of the middle half of the samples.
    pub iqm_us: Option<f64>,
    /// Statistic of the Jarque-Bera test for normality, computed from the samples (means of batches if `batch` is above
    /// 1). Null for trimmed data and for fewer than 300 samples.
    pub jarque_bera: Option<f64>,
    /// p-value of the test: the probability of a statistic at least as large as `jarque_bera` if the samples were
    /// normally distributed. Null if `jarque_bera` is null.
    pub jarque_bera_p: Option<f64>,
    /// Operations per second if operations run one after the other: the reciprocal of `mean_us`. If `attempts` is not
    /// null, the field `ops_per_s` in `attempts` is the rate at the expected number of attempts.
    pub ops_per_s: Option<f64>,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Median number of ticks of `counter` for one operation; null for the wall clock.
    pub ticks: Option<f64>,
    /// `ticks` divided by the number of bytes that one operation processes; null if that number is unknown.
    pub ticks_per_byte: Option<f64>,
    /// Lengths of keys, ciphertexts and signatures in bytes.
    pub sizes: Sizes,
    /// Drift: change of the visits' medians from the first round to the last, in percent. Null unless at least three
    /// processes have three visits each.
    pub drift_pct: Option<f64>,
    /// Standard deviation between processes, as a percentage of the median; null if it cannot be estimated.
    pub between_processes_pct: Option<f64>,
    /// Standard deviation between the medians of one process's visits, as a percentage of the median; null if it cannot
    /// be estimated.
    pub within_processes_pct: Option<f64>,
    /// Unit of `ticks`: `tsc` (ticks at a constant rate, not cycles), `cycles` or `instructions`. `wall` if `ticks` is
    /// null. Null for a case without results.
    pub counter: Option<Metric>,
    /// Median core cycles of one operation, counted by the processor; null if the processor did not count them.
    pub cycles: Option<f64>,
    /// `core_cycles` divided by the number of bytes that one operation processes.
    pub cycles_per_byte: Option<f64>,
    /// Median number of retired instructions of one operation; null if they were not counted.
    pub instructions: Option<f64>,
    /// Half-width of the headline figure's 95% interval, as a percentage of that figure. The half-width is the distance
    /// to the farther end. The headline figure is the median or mean (see `statistic`), or the mean at the expected
    /// number of attempts if `attempts` is not null.
    pub half_width_pct: Option<f64>,
    /// Confidence level of the intervals: 0.95.
    pub confidence: Option<f64>,
    /// Method used to compute the intervals: `crossed-t`, which covers the variation between processes, rounds and
    /// runs.
    pub interval_method: Option<String>,
    /// Median time of each process, in order of process number.
    pub process_medians_us: Option<Vec<f64>>,
    /// Planned memory layout of each process, in the order of `process_medians_us`: the position of stack, heap and keys
    /// within a page, in bytes. Null for a process without a planned layout, and if no process has one.
    #[serde(default)]
    pub process_offsets: Option<Vec<Option<Offsets>>>,
    /// Core clock in Hz: the median of the estimates made during the visits.
    pub core_clock_hz: Option<f64>,
    /// Number of samples that the estimates exclude because of disturbances.
    pub left_out: usize,
    /// Disturbances of the case's visits.
    pub disturbances: DisturbancesEntry,
    /// Statistics of values that the workload itself measured, by name. A name ends in its unit.
    pub extra: IndexMap<String, ExtraEntry>,
    /// NIST security category, 1 to 5; null if the algorithm has none.
    pub category: Option<u8>,
    /// Standardization of the algorithm, as this version of pqlab knows it; null if it does not know the algorithm.
    #[serde(default)]
    pub standardization: Option<StandardizationEntry>,
    /// Known defect of the library in this operation; null if there is none.
    pub defect: Option<String>,
    /// Number of bytes that one operation processes, such as the message length of a hash; null if a rate per byte is
    /// not meaningful.
    pub bytes: Option<u64>,
    /// Bytes per second, computed from the mean; null if `bytes` is null.
    pub bytes_per_s: Option<f64>,
    /// Name of the case's block. The cases in a block were measured in the same shuffled rounds.
    pub block: String,
    /// Time when the case was finished (RFC 3339, UTC).
    pub finished_at: String,
    /// Median core cycles of one operation. Null if unknown, or if the case is not a computation by one thread.
    pub core_cycles: Option<f64>,
    /// 95% interval of `core_cycles`.
    pub core_cycles_ci: Option<[f64; 2]>,
    /// Source of the core cycles: `counter` if the processor counted them; `estimated` if they are the time multiplied
    /// by the core clock, which is probed before, during and after each visit.
    pub core_cycles_source: Option<CyclesSource>,
    /// Mean core cycles of one operation after trimming.
    pub mean_core_cycles: Option<f64>,
    /// 95% interval of `mean_core_cycles`.
    pub mean_core_cycles_ci: Option<[f64; 2]>,
    /// Time and core cycles by number of attempts. Null unless the expected number of attempts is known and the number
    /// of attempts can be read from single samples. If this field is not null, the case is compared and ranked at the
    /// expected number of attempts, not by the mean of its samples.
    #[serde(default)]
    pub attempts: Option<AttemptsEntry>,
    /// Whether the case is ranked.
    pub ranked: bool,
    /// Reason why the case is not ranked; null if it is ranked.
    pub not_ranked_because: Option<String>,
    /// Quality of the result; null for a case without results.
    pub quality: Option<QualityEntry>,
    /// Percentage of the measuring time during which another program used the core's other hardware thread.
    pub shared_pct: Option<f64>,
    /// Number of the logical processor on which the case was measured; null if there were several.
    pub processor: Option<u32>,
    /// Numbers of all logical processors on which the case was measured.
    pub processors: Option<Vec<u32>>,
    /// The two levels around which the processes' medians cluster; null if there is only one level.
    pub modes: Option<Vec<ModeEntry>>,
    /// Leftover register state: processor state that a call leaves behind. Null if it could not be read.
    pub residue: Option<Vec<Residue>>,
    /// Time of the operation's first call in a process: the median over processes.
    pub first_call_us: Option<f64>,
    /// Reasons for missing the target precision: `drifting`, `two modes`, `placement`, `few samples`, `spread`. Empty
    /// if the precision was reached.
    pub imprecise: Option<Vec<String>>,
    /// Range of the processes' figures if the processes differ far more than the visits of one process, and the offset
    /// that explains it. Null if they do not.
    #[serde(default)]
    pub placement: Option<PlacementEntry>,
    /// Mean time, reduced by the share of time that interruptions of the core take (`interruptions` in the
    /// environment). Null if interruptions were not measured or did not occur, if the operation does not compute on a
    /// single thread, or if samples were trimmed.
    pub uninterrupted_mean_us: Option<f64>,
    /// Mean core cycles, reduced in the same way as `uninterrupted_mean_us`. Also null if the processor counted the
    /// cycles, because its counters do not run during interruptions by a hypervisor.
    pub uninterrupted_mean_core_cycles: Option<f64>,
    /// Percentiles of the time that include an interruption of the core: `p75`, `p95`, `p99`. Null if interruptions
    /// were not measured.
    pub interrupted_percentiles: Option<Vec<String>>,
    /// Outcome of measuring a disturbed case again at the end of the run: `undisturbed` or `disturbed`. Null if the
    /// case was not measured again.
    pub second_chance: Option<SecondChance>,
    /// Encoding of the private key that the operation loads or writes: `seed`, `expanded`, `both`, `scalar`, `der` or
    /// `cbor`. Null if the operation neither loads nor writes a private key.
    pub key: Option<String>,
    /// Source of the operation's randomness: `internal` or `exact`; null if the operation uses no randomness.
    pub coins: Option<String>,
    /// Random generator that the operation calls; null if it calls none.
    pub generator: Option<String>,
    /// Loaded library or program that the case called. For a pair, the first one that was loaded. Null if all libraries
    /// were linked in.
    pub library: Option<LibraryEntry>,
    /// Language of a loaded provider, such as `go`. For a pair, the language of the first loaded provider. Null if all
    /// providers were linked in.
    pub language: Option<String>,
    /// Caveats about the results: messages, by the name of the caveat in `analysis::Caveat`. May be empty.
    pub caveats: IndexMap<String, String>,
    /// Raw samples: present in the format `json-samples`, null in `json`.
    pub samples: Option<Samples>,
}

/// Standardization of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandardizationEntry {
    /// Stage that the algorithm has reached: `standard`, `draft`, `selected`, `candidate`, `superseded`, `dropped` or
    /// `other`.
    pub stage: String,
    /// The standard or draft, or for other stages what happened: `FIPS 203`, `superseded by FIPS 203`.
    pub detail: String,
}

/// Range of the figures of a case's processes, and the planned offset that explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementEntry {
    /// Smallest median of a process, in `unit`.
    pub low: f64,
    /// Largest median of a process, in `unit`.
    pub high: f64,
    /// Unit of `low` and `high`: `cycles` or `ns`.
    pub unit: String,
    /// Whether the offsets were tested. They are not if they are unknown, or if there are fewer than 12 processes.
    pub tested: bool,
    /// Part of memory whose offset explains the differences: `stack`, `heap` or `keys`. Null if none does, or if the
    /// offsets were not tested. The other fields are then null too.
    pub part: Option<MemoryPart>,
    /// Modulus of the offset in bytes: 64 if the position within a cache line matters, 4096 for the position within a
    /// page.
    pub modulus: Option<u16>,
    /// Percentage of the variance between processes that the offset explains.
    pub explained_pct: Option<f64>,
    /// p-value of a permutation test, corrected for the number of tests.
    pub p: Option<f64>,
}

/// Times of an operation that repeats attempts until one succeeds. An operation with `N` attempts takes
/// `first + (N - 1) * each`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptsEntry {
    /// Expected number of attempts.
    pub expected: f64,
    /// Core cycles of an operation that succeeds on the first attempt; null if core cycles are unknown.
    pub first_cycles: Option<f64>,
    /// Core cycles of each further attempt; null if core cycles are unknown.
    pub each_cycles: Option<f64>,
    /// Time of an operation that succeeds on the first attempt.
    pub first_us: f64,
    /// Time of each further attempt.
    pub each_us: f64,
    /// Mean time at the expected number of attempts.
    pub at_expected_us: f64,
    /// 95% interval of `at_expected_us`.
    pub at_expected_ci_us: [f64; 2],
    /// Mean core cycles at the expected number of attempts; null if core cycles are unknown.
    pub at_expected_cycles: Option<f64>,
    /// 95% interval of `at_expected_cycles`.
    pub at_expected_cycles_ci: Option<[f64; 2]>,
    /// Operations per second if operations run one after the other: the reciprocal of `at_expected_us`.
    pub ops_per_s: Option<f64>,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: Option<[f64; 2]>,
    /// Percentage of the samples from which the number of attempts can be read.
    pub readable_pct: f64,
}

/// A shared library or program that the user loaded under a label. The environment lists its file, version and build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryEntry {
    /// Interface through which the library is called: `liboqs`, `openssl`, `nist`, `worker`.
    pub kind: String,
    /// Label that the user gave the library.
    pub label: String,
}

/// One of the two levels around which the medians of a case's processes cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeEntry {
    /// Median of the medians of the processes at this level.
    pub median_us: f64,
    /// Number of processes at this level.
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
    /// Whether the target precision was reached: `reached` or `missed`. `not asked` if the user requested a fixed
    /// number of samples.
    pub precision: String,
    /// Whether the estimates include disturbed visits, because too few visits were undisturbed.
    pub disturbed: bool,
    /// Source of the spread between runs that the intervals take into account: `measured` on this machine, or
    /// `assumed`.
    pub run_spread: String,
}

/// Disturbances of a case's visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbancesEntry {
    /// Number of visits.
    pub visits: usize,
    /// Number of visits whose last attempt was disturbed.
    pub disturbed: usize,
    /// Number of times that a disturbed visit was discarded and repeated.
    pub repeats: u64,
    /// Disturbances by kind.
    pub kinds: Vec<DisturbanceEntry>,
}

/// Disturbances of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceEntry {
    /// Name of the kind: `steal`, `involuntary-switches`, `cpu-share`, `pressure`, `clock-drift`, `shared-core` or
    /// `other-tasks`.
    pub kind: String,
    /// Number of visits with this disturbance.
    pub visits: usize,
    /// Worst value in any visit: a percentage, or a count for `involuntary-switches` and `other-tasks`.
    pub worst: Option<f64>,
    /// Worst value in words.
    pub text: String,
}

/// Statistics of a value that the workload itself measured. The name of the value ends in its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraEntry {
    /// Number of recorded values.
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
