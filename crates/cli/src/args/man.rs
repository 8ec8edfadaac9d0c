//! The arguments of `pqlab man`.

use clap::Args;
use std::path::PathBuf;

/// Print a manual page, or write all of them into a folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab man run | man -l -             that of `pqlab run`
  pqlab man --out ~/.local/share/man/man1

Exit codes: 0 done; 2 no such verb, or the folder cannot be written")]
pub(crate) struct ManArgs {
    /// The verb, with the one below it where there is one [default: the program]
    #[arg(value_name = "VERB")]
    pub(crate) verb: Vec<String>,

    /// Write the pages of the program and of all verbs into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    pub(crate) out: Option<PathBuf>,
}
