//! Arguments of `pqlab compare-libraries`.

use super::comparison::verdicts;
use super::{ComparisonArgs, DatabaseArgs, NamedLibraryArgs, patterns};
use clap::Args;
use pqlab_lab::ProtocolOverrides;

/// Measure the same cases with two libraries, in the same rounds, and compare them.
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:
  pqlab compare-libraries liboqs:/main/liboqs.so liboqs:/branch/liboqs.so
  pqlab compare-libraries liboqs new=liboqs:/opt/liboqs.so      the built-in liboqs vs another
  pqlab compare-libraries aws-lc openssl kem -a 'ML-KEM-*' --rigorous
  pqlab compare-libraries a=liboqs:/a.so b=liboqs:/b.so -f markdown > comment.md
  pqlab compare-libraries openssl 'nist:/x/lib.so?prefix=P_&algorithm=ML-KEM-768' --quick

{}
The run is stored: see `pqlab show last` or `pqlab report`.

{}

Exit codes: 0 done; 2 a library cannot be opened, or the two have no case in common; 130
interrupted: finished cases are stored. With --exit-code: 1 a case is slower, or failed only in B;
3 no case is slower, but one is inconclusive", verdicts(), patterns!()))]
pub(crate) struct CompareLibrariesArgs {
    /// Library to compare with: a provider id from `pqlab list providers`, or [LABEL=]KIND:PATH, where KIND is liboqs,
    /// openssl, nist or worker
    #[arg(value_name = "A")]
    pub(crate) first: String,

    /// Library under test, in the same form as A
    #[arg(value_name = "B")]
    pub(crate) second: String,

    /// Suites, areas, suite files or algorithms to measure [default: KEMs and signatures that both libraries offer,
    /// with prepared keys and 32-byte messages]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// Print the case ids, without measuring
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Measure faster, with wider intervals
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure longer: narrower intervals, up to 10 s for each case
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases of either library whose id matches this pattern [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    /// Seed for the order of cases and for inputs [default: random, stored with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,

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
