//! The arguments of `pqlab import`.

use super::DatabaseArgs;
use clap::Args;
use std::path::PathBuf;

/// Take in runs that were exported as json-samples.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export last --format json-samples --out run.json      there
  pqlab import run.json                                       here; then `pqlab show last`
  pqlab import a.json b.json --db both.db                     two, into a database of their own

Exit codes: 0 done, also where a run was there already; 2 a file is no such export: none is taken")]
pub(crate) struct ImportArgs {
    /// Files of the format json-samples
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}
