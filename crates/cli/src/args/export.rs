//! The arguments of `pqlab export`.

use super::{DatabaseArgs, JobArgs, NamesName, ScenarioArgs, parse_digits};
use clap::Args;
use std::path::PathBuf;

/// Write a run in another format.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export last --format csv --out results.csv
  pqlab export last --format samples-csv | head
  pqlab export last --format latex --table decomposition
  pqlab export last --format sha3-csv --provider openssl --digits 2
  pqlab export last --format google-benchmark-csv --names reference

Reference: one of the five earlier systems whose suites pqlab reproduces, see `pqlab run --help`

Exit codes: 0 done; 2 no such run, format or table, or the file cannot be written")]
pub(crate) struct ExportArgs {
    /// An id, a unique beginning of one, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// The format: see `pqlab list exporters`
    #[arg(long, value_name = "F")]
    pub(crate) format: String,

    /// Whose figures, for a format that holds those of one provider
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Decimals of a format that rounds [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// One table of several cases alone, as csv, json, latex or markdown: decomposition, scaling, load, signatures, kems, sizes,
    /// ledger-blocks, ntor-steps, claims, ...; a wrong name lists those that the run has
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// What the formats of Google Benchmark call their rows: ids of cases, or the names of the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids)]
    pub(crate) names: NamesName,

    /// The file; `-` is standard output, a pipe or device is written to [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}
