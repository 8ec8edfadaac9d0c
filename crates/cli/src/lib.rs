//! `pqlab`: the command line of the laboratory for post-quantum cryptography. The program is a library, so that tests
//! can build the same program with an extra provider that fails on demand.

mod advice;
mod args;
mod baseline;
mod commands;
mod comparison;
mod database;
mod duration;
mod laboratory;
mod output;
mod package;
mod progress;
mod scenario;
mod signals;
mod table;

use args::{Cli, Command};
use clap::FromArgMatches;
use pqlab_lab::{LabError, Provider, report::ExportError, store::StoreError};
use pqlab_server::ServerError;
use std::io;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Exit code for success.
const DONE: u8 = 0;
/// Exit code if a case failed or an answer was wrong.
const FAILED: u8 = 1;
/// Exit code for bad usage or bad input.
const USAGE: u8 = 2;
/// Exit code if a comparison is inconclusive.
const INCONCLUSIVE: u8 = 3;
/// Exit code if `verify` found known defects of libraries and no other failure.
const KNOWN_DEFECTS: u8 = 4;
/// Exit code if the user interrupted the program. Finished cases are stored.
const INTERRUPTED: u8 = 130;

/// Function that returns extra providers, in addition to those in this build.
static MORE: OnceLock<fn() -> Vec<Provider>> = OnceLock::new();

/// Runs the program.
pub fn main() -> ExitCode {
    main_with(Vec::new)
}

/// Runs the program with extra providers, in addition to those in this build.
pub fn main_with(more: fn() -> Vec<Provider>) -> ExitCode {
    MORE.get_or_init(|| more);
    if let Some(commit) = pqlab_commit::commit() {
        pqlab_lab::set_commit(commit);
    }
    let (arguments, notes) = args::with_new_names(std::env::args_os().collect());
    let parsed = args::command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(explain_usage(&error)),
    };
    notes.iter().for_each(|note| output::talk(&format!("note: {note}")));
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if is_broken_pipe(&error) {
                // The reader closed the pipe, so it needs no more output.
                return ExitCode::from(DONE);
            }
            output::complain(&format!("{error:#}{}", advice::advice(&error)));
            ExitCode::from(code_of(&error))
        }
    }
}

fn more_providers() -> Vec<Provider> {
    MORE.get().map_or_else(Vec::new, |more| more())
}

fn run(cli: Cli) -> anyhow::Result<u8> {
    // These two verbs must work in any environment, because shells and package builds run them.
    if !matches!(cli.command, Command::Completions { .. } | Command::Man(_)) {
        pqlab_lab::check_environment()?;
    }
    let terminal = output::Terminal::new(cli.color);
    match cli.command {
        Command::Run(arguments) => commands::run::run(arguments, &terminal),
        Command::Gate(arguments) => commands::run::run(Box::new((*arguments).into()), &terminal),
        Command::List(arguments) => commands::list::run(&arguments, &terminal),
        Command::Library(arguments) => commands::library::run(&arguments, &terminal),
        Command::Verify(arguments) => commands::verify::run(&arguments, &terminal),
        Command::Inspect(arguments) => commands::inspect::run(&arguments, &terminal),
        Command::Runs(arguments) => commands::runs::run(&arguments, &terminal),
        Command::Show(arguments) => commands::show::run(&arguments, &terminal),
        Command::Compare(arguments) => commands::compare::run(&arguments, &terminal),
        Command::CompareLibraries(arguments) => commands::compare_libraries::run(&arguments, &terminal),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Stats(arguments) => commands::stats::run(&arguments, &terminal),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::NtorRelay(arguments) => commands::ntor_relay::run(&arguments),
        Command::NtorClient(arguments) => commands::ntor_client::run(&arguments),
        Command::Calibrate(arguments) => commands::calibrate::run(&arguments, &terminal),
        Command::Doctor(arguments) => commands::doctor::run(&arguments, &terminal),
        Command::Ledger(arguments) => commands::ledger::run(&arguments.command),
        Command::Fleet(arguments) => commands::fleet::run(&arguments),
        Command::Leak(arguments) => commands::leak::run(&arguments, &terminal),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Man(arguments) => commands::man::run(&arguments),
        Command::Worker { descriptor } => {
            pqlab_lab::serve_as_worker(descriptor, more_providers())?;
            Ok(DONE)
        }
    }
}

/// Returns the exit code for an error: [`USAGE`] if the user can fix it (bad input, unusable database), otherwise
/// [`FAILED`].
fn code_of(error: &anyhow::Error) -> u8 {
    let input = error.chain().any(|cause| {
        cause.downcast_ref::<LabError>().is_some_and(LabError::is_request)
            || cause.downcast_ref::<StoreError>().is_some()
            || matches!(cause.downcast_ref::<ServerError>(), Some(ServerError::Store(_) | ServerError::Address { .. }))
            || cause.downcast_ref::<output::BadInput>().is_some()
            || matches!(cause.downcast_ref::<ExportError>(), Some(ExportError::Choice(_)))
    });
    if input { USAGE } else { FAILED }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// Prints help unchanged, or a usage error as one line. Returns the exit code.
fn explain_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // If the reader of the help ends early, such as `head`, nothing has failed.
        return match error.print() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => FAILED,
            _ => DONE,
        };
    }
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let what = lines.next().unwrap_or("bad usage").trim_start_matches("error: ").to_owned();
    let details: String = lines
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.contains("as a value, use '--"))
        .map(|line| line.strip_prefix("tip: ").map_or_else(|| format!(" {line}"), |tip| format!("; {tip}")))
        .collect();
    let verb =
        std::env::args().nth(1).filter(|verb| args::is_verb(verb)).map_or(String::new(), |verb| format!(" {verb}"));
    output::complain(&format!("{what}{details} (see `pqlab{verb} --help`)"));
    USAGE
}
