//! Arguments of `pqlab man`.

use clap::Args;
use std::path::PathBuf;

/// Print a manual page, or write all of them into a folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab man run | man -l -             show the page of `pqlab run`
  pqlab man --out ~/.local/share/man/man1

Exit codes: 0 done; 2 no such verb, or the folder cannot be written")]
pub(crate) struct ManArgs {
    /// Verb to document, with its sub-verb if any [default: the program]
    #[arg(value_name = "VERB")]
    pub(crate) verb: Vec<String>,

    /// Write the pages of the program and all verbs into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    pub(crate) out: Option<PathBuf>,
}
