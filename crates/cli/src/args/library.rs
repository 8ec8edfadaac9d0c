//! Arguments of `pqlab library`.

use super::FormatArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Add, build, update and remove libraries, which pqlab then measures like its own.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  pqlab library                                  libraries in this build, added and available
  pqlab library add openssl@3.5                  fetch, build and add a version
  pqlab library add liboqs --source ../liboqs    build a folder of sources
  pqlab library add mine=liboqs:/opt/liboqs.so   add a library as it is
  pqlab run ML-KEM-768                           now measures all of them

Adding a library is your consent to build it and to run its code. Libraries are stored in
pqlab/libraries in your data folder (~/.local/share). pqlab fetches sources with cargo.

Exit codes: 0 done; 2 no such library, or it cannot be built or opened; 130 interrupted")]
pub(crate) struct LibraryVerbArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LibraryCommand>,

    #[command(flatten)]
    pub(crate) output: FormatArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum LibraryCommand {
    /// List the libraries in this build, the added ones and the available ones
    #[command(after_help = "Examples:
  pqlab library list                             libraries in this build, added and available
  pqlab library list --json                      the same as JSON

Exit codes: 0 done; 2 the folder of added libraries cannot be read")]
    List {
        #[command(flatten)]
        output: FormatArgs,
    },
    /// Build a library, or add one as it is
    #[command(after_help = "Examples:
  pqlab library add openssl@3.5
  pqlab library add liboqs --source ../liboqs --label main
  pqlab library add branch=liboqs:/b/liboqs.so

Exit codes: 0 done; 2 no such library, or it cannot be built or opened; 130 interrupted")]
    Add {
        /// NAME, NAME@VERSION (see `pqlab library list`), or [LABEL=]KIND:PATH for a library that is already built
        #[arg(value_name = "LIBRARY")]
        what: String,

        /// Folder of sources to build [default: cargo fetches the source]
        #[arg(long, value_name = "FOLDER")]
        source: Option<PathBuf>,

        /// Name of the library in ids, filters and tables [default: NAME-VERSION]
        #[arg(long, value_name = "NAME")]
        label: Option<String>,
    },
    /// Build libraries again: the recipe's current version, or the current state of their folder. Open registered
    /// libraries again
    #[command(after_help = "Examples:
  pqlab library update                           all added libraries
  pqlab library update liboqs-main

Exit codes: 0 done; 2 no such library, or it cannot be built or opened; 130 interrupted")]
    Update {
        /// Libraries [default: all added libraries]
        #[arg(value_name = "LABEL")]
        labels: Vec<String>,
    },
    /// Remove libraries and their builds, but not a file that was registered as it is
    #[command(after_help = "Examples:
  pqlab library remove openssl-3.5
  pqlab library remove mine branch               both, or neither if one is unknown

Exit codes: 0 done; 2 no such library: nothing was removed")]
    Remove {
        /// Libraries
        #[arg(value_name = "LABEL", required = true)]
        labels: Vec<String>,
    },
    /// Show what is known about a library: versions, build, licence, code paths, defects, sources
    #[command(after_help = "Examples:
  pqlab library info liboqs                      in this build: newest version, defects
  pqlab library info openssl-3.5 --json          added: source, compiler, flags, digest

Exit codes: 0 done; 2 no such library")]
    Info {
        /// Library: a label or a name from `pqlab library list`
        #[arg(value_name = "NAME")]
        label: String,

        #[command(flatten)]
        output: FormatArgs,
    },
}
