//! The arguments of `pqlab doctor`: what disturbs measuring, and tests of the measuring itself.

use super::{DatabaseArgs, patterns, positive};
use clap::Args;
use pqlab_lab::ProtocolOverrides;

/// What of this machine disturbs measuring; and with --aa, --independence or --between tests of how far its figures can be
/// trusted.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab doctor
  pqlab doctor --aa                       how often comparisons are false here
  pqlab doctor --independence kem         each case in company and alone: does it differ?
  pqlab doctor --independence standard --filter 'kem/*' --repetitions 3
  pqlab doctor --between 16 standard --algorithm ML-KEM-768    do intervals hold?

", patterns!(), "

Exit codes: 0 done; 1 --independence found cases that the company of others changes; 2 bad usage;
130 interrupted"))]
pub(crate) struct DoctorArgs {
    /// Compare a case with itself, again and again, and keep for later verdicts what this says of the machine
    #[arg(long, conflicts_with_all = ["independence", "between"])]
    pub(crate) aa: bool,

    /// With --aa: how many comparisons, of two runs each
    #[arg(long, value_name = "N", default_value_t = 20, requires = "aa", value_parser = clap::value_parser!(u32).range(5..))]
    pub(crate) comparisons: u32,

    /// With --aa: the case; of a pattern, the first that matches
    #[arg(long, value_name = "CASE", default_value = "kem/ML-KEM-768/decapsulate@*", requires = "aa")]
    pub(crate) case: String,

    /// Measure the suite whole and each of its cases alone, and list the cases that company changes
    #[arg(long, conflicts_with = "between")]
    pub(crate) independence: bool,

    /// With --independence: how often everything is measured
    #[arg(long, value_name = "N", default_value_t = 2, requires = "independence", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repetitions: u32,

    /// Measure the suite so often, and count how many intervals contain what the other runs find
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(pqlab_lab::FEWEST_RUNS)..=1000))]
    pub(crate) between: Option<u32>,

    /// With --between: seconds between two runs
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, requires = "between", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) pause: f64,

    #[command(flatten)]
    pub(crate) measured: MeasuredArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What --independence and --between measure, and how.
#[derive(Args, Debug)]
pub(crate) struct MeasuredArgs {
    /// With --independence or --between: suites, areas, or files of suites [default: standard]
    #[arg(value_name = "SUITE")]
    pub(crate) suites: Vec<String>,

    /// Only cases whose id matches this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only this provider [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Seed of all runs [default: with --independence one is drawn for all, with --between one for each]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,
}

/// Reads a number that is zero or above.
fn not_negative(text: &str) -> Result<f64, String> {
    if text.trim() == "0" { Ok(0.0) } else { positive(text) }
}
