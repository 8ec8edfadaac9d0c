//! Arguments of `pqlab calibrate`, which measures how reliable measurements on this machine are.

use super::{DatabaseArgs, FormatArgs, patterns, seconds};
use clap::Args;
use pqlab_lab::ProtocolOverrides;

/// Measure the noise of this machine, for later comparisons. Takes minutes.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab calibrate                          how often do comparisons report false differences?
  pqlab calibrate --independence kem       does measuring cases together change their figures?
  pqlab calibrate --independence standard --filter 'kem/*' --repetitions 3
  pqlab calibrate --between 16 standard -a ML-KEM-768      do intervals contain other runs' means?

", patterns!(), "

Exit codes: 0 done; 1 --independence found cases that depend on the others; 2 bad usage;
130 interrupted"))]
pub(crate) struct CalibrateArgs {
    /// Number of times to compare the case with itself, with two runs each
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with_all = ["independence", "between"], value_parser = clap::value_parser!(u32).range(5..))]
    pub(crate) comparisons: u32,

    /// Case to compare with itself, by id or pattern; only the first match is measured
    #[arg(long, value_name = "CASE", default_value = "kem/ML-KEM-768/decapsulate[]@*", conflicts_with_all = ["independence", "between"])]
    pub(crate) case: String,

    /// Measure all cases of the suite together and each case alone, and list the cases that differ
    #[arg(long, conflicts_with = "between")]
    pub(crate) independence: bool,

    /// With --independence: number of repetitions
    #[arg(long, value_name = "N", default_value_t = 2, requires = "independence", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repetitions: u32,

    /// Measure the suite N times, and count how many intervals contain the mean of the other runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(pqlab_lab::FEWEST_RUNS)..=1000))]
    pub(crate) between: Option<u32>,

    /// With --between: pause between runs
    #[arg(long, value_name = "TIME", default_value = "20s", requires = "between", value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) pause: f64,

    #[command(flatten)]
    pub(crate) measured: MeasuredArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) output: FormatArgs,
}

/// Cases and measurement settings for --independence and --between.
#[derive(Args, Debug)]
pub(crate) struct MeasuredArgs {
    /// With --independence or --between: suites, areas or suite files [default: standard]
    #[arg(value_name = "SUITE")]
    pub(crate) suites: Vec<String>,

    /// Only cases whose id matches this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only libraries whose provider id matches this name or pattern [repeatable]
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Measure faster, with wider intervals
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure longer: narrower intervals, up to 10 s for each case
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Seed for all runs [default: random; the same for all runs of --independence, different for each run of
    /// --between]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,
}
