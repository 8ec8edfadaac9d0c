//! Arguments of `pqlab export`.

use super::{DatabaseArgs, JobArgs, NamesName, ScenarioArgs, parse_digits};
use clap::Args;
use std::path::PathBuf;

/// Write a run in another format.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export -f csv -o results.csv                the latest run
  pqlab export last --format samples-csv | head
  pqlab export last --format latex --table decomposition
  pqlab export last --format methods                text for the methods section of a paper
  pqlab export last --format sha3-csv --provider openssl --digits 2
  pqlab export last --format google-benchmark-csv --names reference
  pqlab export last --format json --for-record -o run.json

Reference: one of five earlier systems whose suites pqlab reproduces (see `pqlab run --help`)

Exit codes: 0 done; 2 no such run, format or table, the run does not qualify for the record, or the
file cannot be written")]
pub(crate) struct ExportArgs {
    /// Run: an id or unique prefix, a baseline name, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// Export format: see `pqlab list exporters`
    #[arg(short, long, value_name = "F")]
    pub(crate) format: String,

    /// Provider to export, for formats that contain only one provider
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Number of decimal places, for formats that round [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// Export only this summary table, in csv, json, latex or markdown format: decomposition, scaling, load,
    /// signatures, kems, sizes, ledger-blocks, ntor-steps, claims, ... An unknown name prints the tables of the run
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// Write the run for pqlab's published record, in json format. Refuse it if it is incomplete, has wrong answers or
    /// too many disturbed cases, was measured with --quick, or was not built from a commit. Remove the host's name and
    /// the folders in paths, and print them
    #[arg(long, conflicts_with = "table")]
    pub(crate) for_record: bool,

    /// Row names in Google Benchmark formats: case ids, or the names from the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids)]
    pub(crate) names: NamesName,

    /// Output file, pipe or device; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}
