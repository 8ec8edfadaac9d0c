//! The command line, one file a verb.

mod compare;
mod compare_libraries;
mod doctor;
mod export;
mod fleet;
mod import;
mod inspect;
mod job;
mod leak;
mod ledger;
mod library;
mod list;
mod man;
mod metric;
mod names;
mod ntor;
mod report;
mod run;
mod runs;
mod show;
mod stats;
mod verify;

pub(crate) use compare::CompareArgs;
pub(crate) use compare_libraries::{CompareLibrariesArgs, ComparedFormat};
pub(crate) use doctor::{DoctorArgs, MeasuredArgs};
pub(crate) use export::ExportArgs;
pub(crate) use fleet::{FleetArgs, FleetCommand, FleetPageArgs, FleetRunArgs};
pub(crate) use import::ImportArgs;
pub(crate) use inspect::InspectArgs;
pub(crate) use job::JobArgs;
pub(crate) use leak::LeakArgs;
pub(crate) use ledger::{
    BlockFormatName, FormName, GenerateArgs, LedgerArgs, LedgerCommand, ScalingArgs, VerifyBlockArgs,
};
pub(crate) use library::{LibraryArgs, NamedLibraryArgs, SharedLibraryArgs};
pub(crate) use list::{ListArgs, Listed, Listing};
pub(crate) use man::ManArgs;
pub(crate) use metric::MetricName;
pub(crate) use names::NamesName;
pub(crate) use ntor::{ClientArgs, RelayArgs};
pub(crate) use report::{ReportArgs, ServeArgs};
pub(crate) use run::RunArgs;
pub(crate) use runs::{RunsArgs, RunsCommand};
pub(crate) use show::{ScenarioArgs, ShowArgs};
pub(crate) use stats::StatsArgs;
pub(crate) use verify::{VerifyArgs, VerifyFormat};

use crate::{DONE, FAILED, INCONCLUSIVE};
use clap::{Args, Parser, Subcommand, ValueEnum};
use pqlab_lab::stats::{VERDICT_SIGNIFICANCE, Verdict};
use std::path::PathBuf;

/// What the help says of patterns wherever one is taken.
macro_rules! patterns {
    () => {
        "Patterns of ids: `*` stands for any text and `?` for any one character. All else stands for
itself, and so do brackets, which are a part of the id:
  'signature/ML-DSA-65/verify[len=32]@*'   that length, of every library
  'signature/ML-DSA-65/verify[*'           every length; `verify@*` is only what has no brackets
Quote them: a shell takes stars and brackets for names of files."
    };
}
use patterns;

/// What the help says of verdicts, with the exit code of each.
fn verdicts() -> String {
    let line = |(verdict, code): (Verdict, u8)| format!("  {:14} {:62} {code}\n", verdict.name(), verdict.meaning());
    let codes = [
        (Verdict::Slower, FAILED),
        (Verdict::Inconclusive, INCONCLUSIVE),
        (Verdict::Equivalent, DONE),
        (Verdict::Faster, DONE),
    ];
    format!(
        "Verdicts on B against A, with the exit code if there is one such case:\n{}Of the verdicts faster and slower at most \
         {}% are expected to be false.\n",
        codes.map(line).concat(),
        100.0 * VERDICT_SIGNIFICANCE
    )
}

/// With how to cite it, as CITATION.cff does.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\n\nTo cite it: The pqlab developers, \"pqlab: a laboratory for post-quantum cryptography\", version ",
    env!("CARGO_PKG_VERSION"),
    ".\nA figure is cited with its run: `pqlab show RUN` and the exports name its id, build, machine and libraries.",
    "\nLicence: MIT or Apache-2.0, at your choice."
);

/// A laboratory for post-quantum cryptography: verified, interleaved, honest measurements of hashes, KEMs and signatures
/// from several libraries side by side.
#[derive(Parser, Debug)]
#[command(name = "pqlab", version, long_version = LONG_VERSION, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  pqlab run                                  the standard suite, in one to two minutes
  pqlab run ML-KEM-768                       one algorithm from every library
  pqlab show last                            the table of the latest run
  pqlab report --out report                  a page, pictures and tables to publish
  pqlab export last --format json            the same for programs

Exit codes: 0 done; 1 a case failed, an answer was wrong, a transaction was rejected, or something
is slower; 2 bad usage or bad input; 3 a comparison does not tell; 4 only known defects of a library
(verify); 130 interrupted. Each verb's --help says what they mean there.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Colour the output
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Measure
    Run(Box<RunArgs>),
    /// List what there is to measure, and with what
    List(ListArgs),
    /// Are the answers right? Known answers, published vectors, every library against every other
    Verify(VerifyArgs),
    /// Lengths, bytes and checks of one algorithm's keys and signatures or ciphertexts
    Inspect(InspectArgs),
    /// List past runs
    Runs(RunsArgs),
    /// Show a run's table, or one case in full
    Show(ShowArgs),
    /// Compare two runs, or cases of one run
    Compare(CompareArgs),
    /// Measure the same cases from two libraries, in the same rounds, and compare them
    CompareLibraries(Box<CompareLibrariesArgs>),
    /// Make the report: a page, pictures and tables to publish
    Report(ReportArgs),
    /// Serve the report's pages over the whole store
    Serve(ServeArgs),
    /// Statistics of your own samples: one file, or one against another
    Stats(StatsArgs),
    /// Write a run in another format
    Export(ExportArgs),
    /// Answer circuit handshakes over TCP
    NtorRelay(RelayArgs),
    /// Do circuit handshakes with such a relay
    NtorClient(ClientArgs),
    /// Take in runs that were exported elsewhere
    Import(ImportArgs),
    /// What of this machine disturbs measuring, and what to do about it
    Doctor(DoctorArgs),
    /// Block files of signed transactions: make them, verify them
    Ledger(LedgerArgs),
    /// The same suite on many machines, through Ray
    Fleet(FleetArgs),
    /// Does the time depend on the secret?
    Leak(LeakArgs),
    /// Print a shell's completion script
    #[command(after_help = "Examples:
  pqlab completions bash > ~/.local/share/bash-completion/completions/pqlab
  pqlab completions zsh > ~/.zfunc/_pqlab

Exit codes: 0 done; 2 no such shell")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write all of them
    Man(ManArgs),
    /// Serve a coordinator: started by a laboratory, never by hand
    #[command(name = "worker", hide = true)]
    Worker {
        /// Number of the inherited file descriptor
        descriptor: i32,
    },
}

/// Reads a number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("it must be a number above zero".into()),
    }
}

/// Where results are kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results and output")]
pub(crate) struct DatabaseArgs {
    /// The database [default: pqlab.db in the platform's data folder]
    #[arg(long, value_name = "FILE", env = "PQLAB_DB", hide_env_values = true)]
    pub(crate) db: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// More decimals than a double has digits say nothing.
fn parse_digits(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(digits) if digits <= 15 => Ok(digits),
        _ => Err("it must be a number from 0 to 15".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// Every verb and sub-verb that a user can type, with its name.
    fn verbs(command: &clap::Command, before: &str) -> Vec<(String, clap::Command)> {
        let of = |verb: &clap::Command| {
            let name = format!("{before}{}", verb.get_name());
            let below = verbs(verb, &format!("{name} "));
            [(name, verb.clone())].into_iter().chain(below).collect::<Vec<_>>()
        };
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).flat_map(of).collect()
    }

    #[test]
    fn every_verb_has_examples_and_says_its_exit_codes() {
        let command = Cli::command();
        let verbs = verbs(&command, "pqlab ");
        assert!(verbs.iter().any(|(name, _)| name == "pqlab runs rm"), "sub-verbs are verbs");
        for (name, verb) in verbs {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{name} has no examples"));
            let examples = examples.lines().take_while(|line| !line.is_empty());
            let shown = examples.filter(|line| line.trim_start().starts_with(&name)).count();
            assert!(shown >= 2, "{name} has {shown} examples");
            let codes = help.split_once("Exit codes: ").unwrap_or_else(|| panic!("{name} says no exit codes")).1;
            assert!(codes.starts_with('0') && codes.contains("; 2 "), "{name}: {codes}");
            let long = help.lines().find(|line| line.chars().count() > 99);
            assert_eq!(long, None, "{name}: it is broken where it should not be");
        }
    }

    #[test]
    fn the_help_of_run_explains_its_words() {
        let help = Cli::command().find_subcommand_mut("run").unwrap().render_long_help().to_string();
        let suites = pqlab_lab::builtin_suites().unwrap();
        let words = suites.iter().map(|suite| suite.name.as_str());
        for word in words.chain(["PASS", "FAIL", "UNDECIDED", "fastest", "reference", "null", "mock", "floor"]) {
            let explained = |line: &str| line.trim_start().split([' ', ',']).any(|begin| begin == word);
            assert!(help.lines().any(|line| line.starts_with("  ") && explained(line)), "{word} in {help}");
        }
    }
}
