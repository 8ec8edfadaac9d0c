//! Arguments of `pqlab runs`.

use super::{DatabaseArgs, FormatArgs};
use clap::{Args, Subcommand};

/// List, annotate or remove stored runs.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  pqlab runs                                          all runs with names and notes, newest first
  pqlab runs note last \"before the new kernel\"        annotate a run (an empty string: no note)
  pqlab runs --json                                   the list as JSON
  pqlab runs rm 20261121T185800-k3f9 last~3           remove runs and their samples

Exit codes: 0 done; 2 no such run, or a named run without --force")]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) output: FormatArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum RunsCommand {
    /// Remove runs and their samples: either all given runs, or none
    #[command(after_help = "Examples:
  pqlab runs rm last                                  the latest run
  pqlab runs rm 20261121T185800-k3f9 last~3           both, or neither if one cannot be removed
  pqlab runs rm release-1.0 --force                   a named run, and its name

Exit codes: 0 done; 2 no such run, or a named run without --force: nothing was removed")]
    Rm {
        /// Runs: ids or unique prefixes, baseline names, `last` or `last~1`
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<String>,

        /// Also remove named runs and their names
        #[arg(long)]
        force: bool,

        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Annotate a run; `pqlab runs` and `pqlab serve` show the note
    #[command(after_help = "Examples:
  pqlab runs note last \"before the new kernel\"
  pqlab runs note last~1 \"\"                           remove the note

Exit codes: 0 done; 2 no such run")]
    Note {
        /// Run: an id or unique prefix, a baseline name, `last` or `last~1`
        #[arg(value_name = "RUN")]
        run: String,

        /// Text of the note; an empty string removes the note
        #[arg(value_name = "TEXT")]
        text: String,

        #[command(flatten)]
        database: DatabaseArgs,
    },
}
