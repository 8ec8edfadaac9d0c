//! The arguments of `pqlab runs`.

use super::DatabaseArgs;
use clap::{Args, Subcommand};

/// List past runs, remove them, write a word on them.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  pqlab runs                                          all runs with names and notes, newest first
  pqlab runs note last \"before the new kernel\"       write a word on a run; an empty one removes it
  pqlab runs --json                                   the same for programs
  pqlab runs rm 20261121T185800-k3f9 last~3           remove runs with all their samples

Exit codes: 0 done; 2 no such run, or one that has a name and is kept")]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum RunsCommand {
    /// Remove runs with all their samples: all of those that are named, or none
    #[command(after_help = "Examples:
  pqlab runs rm last                                  the latest run
  pqlab runs rm 20261121T185800-k3f9 last~3           two, or none where one of them cannot be
  pqlab runs rm release-1.0 --force                   one that has a name, and the name with it

Exit codes: 0 done; 2 no such run, or one that has a name and is kept: nothing was removed")]
    Rm {
        /// Ids, unique beginnings of them, `last` or `last~1`
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<String>,

        /// Also those that have a name, which goes with them
        #[arg(long)]
        force: bool,

        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Write a word on a run, which `pqlab runs` and the list of `pqlab serve` show
    #[command(after_help = "Examples:
  pqlab runs note last \"before the new kernel\"
  pqlab runs note last~1 \"\"                           take the word away again

Exit codes: 0 done; 2 no such run")]
    Note {
        /// An id, a unique beginning of one, `last` or `last~1`
        #[arg(value_name = "RUN")]
        run: String,

        /// What to say of it; nothing removes what was said
        #[arg(value_name = "TEXT")]
        text: String,

        #[command(flatten)]
        database: DatabaseArgs,
    },
}
