//! Arguments of `pqlab compare-libraries`.

use super::{DatabaseArgs, MetricName, NamedLibraryArgs, patterns, verdicts};
use clap::{Args, ValueEnum};
use pqlab_lab::ProtocolOverrides;

/// Output format of a comparison.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparedFormat {
    Text,
    Markdown,
}

/// Measure the same cases with two libraries, in the same rounds, and compare them.
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:
  pqlab compare-libraries liboqs:/main/liboqs.so liboqs:/branch/liboqs.so
  pqlab compare-libraries liboqs new=liboqs:/opt/liboqs.so      the built-in build, and another
  pqlab compare-libraries aws-lc openssl kem --algorithm 'ML-KEM-*' --rigorous
  pqlab compare-libraries a=liboqs:/a.so b=liboqs:/b.so --format markdown > comment.md
  pqlab compare-libraries openssl 'nist:/x/lib.so?prefix=P_&algorithm=ML-KEM-768' --quick

{}
The run is stored: see `pqlab show last` or `pqlab report`.

{}

Exit codes: 0 no case is slower or inconclusive; 1 a case is slower, or failed only in B; 2 a
library cannot be opened, or the two have no case in common; 3 no case is slower, but one is
inconclusive; 130 interrupted: finished cases are stored", verdicts(), patterns!()))]
pub(crate) struct CompareLibrariesArgs {
    /// Library to compare with: a provider id from `pqlab list providers`, or [LABEL=]KIND:PATH, where KIND is liboqs,
    /// openssl or nist
    #[arg(value_name = "A")]
    pub(crate) first: String,

    /// Library to judge, in the same form as A
    #[arg(value_name = "B")]
    pub(crate) second: String,

    /// Suites, areas, suite files or algorithms to measure [default: KEMs and signatures that both libraries offer,
    /// with prepared keys and 32-byte messages]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// Measure roughly: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure carefully: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases of either library whose id matches this pattern [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    /// Seed for the order of cases and for inputs [default: random, stored with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    /// Margin within which cases are equivalent, in percent [default: 2]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,

    /// Unit in which cases are judged
    #[arg(long, value_enum, default_value_t = MetricName::Auto)]
    pub(crate) metric: MetricName,

    /// Output: a table for the terminal, or Markdown for a pull request
    #[arg(long, value_enum, default_value_t = ComparedFormat::Text, conflicts_with = "json")]
    pub(crate) format: ComparedFormat,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Print only errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Time limit for one answer from a worker, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,
}
