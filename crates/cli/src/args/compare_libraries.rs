//! The arguments of `pqlab compare-libraries`.

use super::{DatabaseArgs, MetricName, NamedLibraryArgs, patterns, verdicts};
use clap::{Args, ValueEnum};
use pqlab_lab::ProtocolOverrides;

/// What a comparison is printed as.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparedFormat {
    Text,
    Markdown,
}

/// Measure the same cases from two libraries, in the same rounds, and compare them.
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:
  pqlab compare-libraries liboqs:/main/liboqs.so liboqs:/branch/liboqs.so
  pqlab compare-libraries liboqs new=liboqs:/opt/liboqs.so      the one linked in, and another
  pqlab compare-libraries aws-lc openssl kem --algorithm 'ML-KEM-*' --rigorous
  pqlab compare-libraries a=liboqs:/a.so b=liboqs:/b.so --format markdown > comment.md
  pqlab compare-libraries openssl 'nist:/x/lib.so?prefix=P_&algorithm=ML-KEM-768' --quick

{}
The run is stored like every other: `pqlab show last`, `pqlab report`.

{}

Exit codes: 0 no case is slower or inconclusive; 1 one is slower, or failed in B alone; 2 a library
cannot be opened, or the two have no case in common; 3 none is slower, but one is inconclusive;
130 interrupted: what was finished is stored", verdicts(), patterns!()))]
pub(crate) struct CompareLibrariesArgs {
    /// The library to compare with: [LABEL=]KIND:PATH, KIND being liboqs, openssl or nist, or the id of a provider: see
    /// `pqlab list providers`
    #[arg(value_name = "A")]
    pub(crate) first: String,

    /// The library that is judged, likewise
    #[arg(value_name = "B")]
    pub(crate) second: String,

    /// Suites, areas, files of suites or algorithms to compare them by [default: the KEMs and signatures that both have, with
    /// prepared keys and messages of 32 bytes]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// A rough answer: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// A careful answer: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases whose id matches this pattern, of either library [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    /// Seed of the order and of the inputs [default: drawn, and kept with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    /// Differences within this percentage are equivalent [default: 2]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,

    /// In which unit cases are judged
    #[arg(long, value_enum, default_value_t = MetricName::Auto)]
    pub(crate) metric: MetricName,

    /// What to print: a table for people, or one for a comment on a pull request
    #[arg(long, value_enum, default_value_t = ComparedFormat::Text, conflicts_with = "json")]
    pub(crate) format: ComparedFormat,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Say nothing but what went wrong
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Most seconds that a worker may take for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,
}
