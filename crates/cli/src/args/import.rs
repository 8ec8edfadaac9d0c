//! Arguments of `pqlab import`.

use super::DatabaseArgs;
use clap::Args;
use std::path::PathBuf;

/// Import runs that were exported as json-samples.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export last --format json-samples --out run.json      on the other machine
  pqlab import run.json                                       here; then `pqlab show last`
  pqlab import a.json b.json --db both.db                     two runs, into a separate database

Exit codes: 0 done, even if a run was already stored; 2 a file is not a json-samples export:
nothing is imported")]
pub(crate) struct ImportArgs {
    /// Files in the json-samples format
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}
