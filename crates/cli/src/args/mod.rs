//! The command line: one file per verb.

mod calibrate;
mod compare;
mod compare_libraries;
mod comparison;
mod doctor;
mod export;
mod fleet;
mod foreign;
mod gate;
mod help;
mod import;
mod inspect;
mod job;
mod leak;
mod ledger;
mod library;
mod list;
mod man;
mod measuring;
mod metric;
mod names;
mod ntor;
mod renamed;
mod report;
mod run;
mod runs;
mod show;
mod stats;
mod verify;

pub(crate) use calibrate::{CalibrateArgs, MeasuredArgs};
pub(crate) use compare::CompareArgs;
pub(crate) use compare_libraries::CompareLibrariesArgs;
pub(crate) use comparison::{ComparedFormat, ComparisonArgs};
pub(crate) use doctor::DoctorArgs;
pub(crate) use export::ExportArgs;
pub(crate) use fleet::{FleetArgs, FleetCommand, FleetPageArgs, FleetRunArgs};
pub(crate) use foreign::{LibraryArgs, NamedLibraryArgs, SharedLibraryArgs};
pub(crate) use gate::{GateArgs, GateRules};
pub(crate) use help::{command, is_verb};
pub(crate) use import::ImportArgs;
pub(crate) use inspect::InspectArgs;
pub(crate) use job::JobArgs;
pub(crate) use leak::LeakArgs;
pub(crate) use ledger::{
    BlockFormatName, FormName, GenerateArgs, LedgerArgs, LedgerCommand, ScalingArgs, VerifyBlockArgs,
};
pub(crate) use library::{LibraryCommand, LibraryVerbArgs};
pub(crate) use list::{ListArgs, Listed, Listing};
pub(crate) use man::ManArgs;
pub(crate) use measuring::MeasuringArgs;
pub(crate) use metric::MetricName;
pub(crate) use names::NamesName;
pub(crate) use ntor::{ClientArgs, RelayArgs};
pub(crate) use renamed::with_new_names;
pub(crate) use report::{ReportArgs, ServeArgs};
pub(crate) use run::RunArgs;
pub(crate) use runs::{RunsArgs, RunsCommand};
pub(crate) use show::{ScenarioArgs, ShowArgs};
pub(crate) use stats::{StatsArgs, StatsFormat};
pub(crate) use verify::{VerifyArgs, VerifyFormat};

use clap::{Args, Parser, Subcommand, ValueEnum};
use pqlab_lab::quantity::{percent, seconds};
use std::path::PathBuf;

/// Help on case patterns, for every verb that accepts them.
macro_rules! patterns {
    () => {
        "Patterns match whole ids: `*` matches any text, `?` any single character. All other characters
are literal, including brackets, which contain the parameters of a case:
  'kem/ML-KEM-768/keygen@*'                with any parameters, from every library
  'kem/ML-KEM-768/keygen[encoded]@*'       with these parameters; `keygen[]@*`: without parameters
Quote patterns, or the shell expands stars and brackets."
    };
}
use patterns;

/// The version, with the citation from CITATION.cff.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\n\nTo cite pqlab: The pqlab developers, \"pqlab: a laboratory for post-quantum cryptography\", version ",
    env!("CARGO_PKG_VERSION"),
    ".\nCite a figure with its run: `pqlab show RUN` and most exports state the id, build, machine and libraries.",
    "\nLicence: MIT or Apache-2.0, at your option."
);

/// A laboratory for post-quantum cryptography: benchmarks hashes, KEMs, signatures and protocols from several libraries
/// in one run, and checks every answer.
#[derive(Parser, Debug)]
#[command(name = "pqlab", version, long_version = LONG_VERSION, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  pqlab run                      the standard suite, 1 to 2 minutes
  pqlab run ML-KEM-768           one algorithm, every library
  pqlab show                     table of the latest run
  pqlab compare last~1 last      did anything change?
  pqlab report --out report      web page, charts and tables to publish

Exit codes: 0 done; 1 a case failed, an answer was wrong, a transaction was rejected, or a gate
found a slower case; 2 bad usage or bad input; 3 a gate is undecided; 4 only known defects of a
library (verify); 130 interrupted. See `pqlab COMMAND --help` for a command's own exit codes.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Colour the output: auto, always or never [default: auto]
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN", hide_possible_values = true, hide_default_value = true)]
    pub(crate) color: ColorChoice,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Measure suites, areas, algorithms or libraries
    Run(Box<RunArgs>),
    /// Measure the cases of a stored run again, and fail if one is slower
    Gate(Box<GateArgs>),
    /// List suites, cases, algorithms, libraries, export formats or counters
    List(ListArgs),
    /// Add, build, update and remove libraries, which pqlab then measures like its own
    Library(LibraryVerbArgs),
    /// Check libraries with known answers, published vectors and each other
    Verify(VerifyArgs),
    /// Show the keys, signatures and ciphertexts of one algorithm, and check them
    Inspect(InspectArgs),
    /// List, annotate or remove stored runs
    Runs(RunsArgs),
    /// Show the table of a run, or some of its cases
    Show(ShowArgs),
    /// Compare two runs, cases of one run, or a run with published figures
    Compare(CompareArgs),
    /// Measure the same cases with two libraries, in the same rounds, and compare them
    CompareLibraries(Box<CompareLibrariesArgs>),
    /// Write a report: a web page, charts and tables to publish
    Report(ReportArgs),
    /// Serve reports of all stored runs over HTTP
    Serve(ServeArgs),
    /// Compute statistics of your own samples, from one or two files
    Stats(StatsArgs),
    /// Write a run in another format
    Export(ExportArgs),
    /// Answer circuit handshakes over TCP
    NtorRelay(RelayArgs),
    /// Perform circuit handshakes with an ntor-relay
    NtorClient(ClientArgs),
    /// Import runs that were exported as json-samples
    Import(ImportArgs),
    /// Show what disturbs measurements on this machine, and how to fix it
    Doctor(DoctorArgs),
    /// Measure the noise of this machine, for later comparisons
    Calibrate(CalibrateArgs),
    /// Generate and verify block files of signed transactions
    Ledger(LedgerArgs),
    /// Measure the same suite on many machines with Ray
    Fleet(FleetArgs),
    /// Test whether the time of an operation depends on a secret
    Leak(LeakArgs),
    /// Print a shell completion script
    #[command(after_help = "Examples:
  pqlab completions bash > ~/.local/share/bash-completion/completions/pqlab
  pqlab completions zsh > ~/.zfunc/_pqlab

Exit codes: 0 done; 2 no such shell")]
    Completions {
        /// Shell that the script is for
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write all of them into a folder
    Man(ManArgs),
    /// Serve a coordinator; started by pqlab, never by hand
    #[command(name = "worker", hide = true)]
    Worker {
        /// Number of the inherited file descriptor
        descriptor: i32,
    },
}

/// Parses a duration above zero into seconds.
fn positive_seconds(text: &str) -> Result<f64, String> {
    let time = seconds(text).ok().filter(|time| *time > 0.0);
    time.ok_or_else(|| "expected a duration above zero, such as 1.5s".into())
}

/// Parses a number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a number above zero".into()),
    }
}

/// Output format of verbs that print text or JSON.
#[derive(Args, Debug)]
pub(crate) struct FormatArgs {
    /// Output format; `--json` is short for json
    #[arg(short, long, value_name = "F", value_enum, default_value_t = TextOrJson::Text, conflicts_with = "json")]
    format: TextOrJson,

    /// Short form of --format json
    #[arg(long, hide = true)]
    json: bool,
}

impl FormatArgs {
    pub(crate) fn is_json(&self) -> bool {
        self.json || self.format == TextOrJson::Json
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum TextOrJson {
    Text,
    Json,
}

/// Where runs are stored.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results and output")]
pub(crate) struct DatabaseArgs {
    /// Database file [default: pqlab.db in the user's data folder]
    #[arg(long, value_name = "FILE", env = "PQLAB_DB", hide_env_values = true)]
    pub(crate) db: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// Parses a number of decimal places. Accepts at most 15, the precision of a double.
fn parse_digits(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(digits) if digits <= 15 => Ok(digits),
        _ => Err("expected a number from 0 to 15".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_passes_the_checks_of_clap() {
        Cli::command().debug_assert();
    }

    /// Returns every visible verb and sub-verb with its full name.
    fn verbs(command: &clap::Command, before: &str) -> Vec<(String, clap::Command)> {
        let with_sub_verbs = |verb: &clap::Command| {
            let name = format!("{before}{}", verb.get_name());
            let below = verbs(verb, &format!("{name} "));
            [(name, verb.clone())].into_iter().chain(below).collect::<Vec<_>>()
        };
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).flat_map(with_sub_verbs).collect()
    }

    #[test]
    fn every_verb_documents_examples_and_exit_codes() {
        let command = Cli::command();
        let verbs = verbs(&command, "pqlab ");
        assert!(verbs.iter().any(|(name, _)| name == "pqlab runs rm"), "sub-verbs must be checked, too");
        for (name, verb) in verbs {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{name} has no examples"));
            let examples = examples.lines().take_while(|line| !line.is_empty());
            let shown = examples.filter(|line| line.trim_start().starts_with(&name)).count();
            assert!(shown >= 2, "{name} has {shown} examples");
            let codes =
                help.split_once("Exit codes: ").unwrap_or_else(|| panic!("{name} does not document exit codes")).1;
            assert!(codes.starts_with('0') && codes.contains("; 2 "), "{name}: {codes}");
            let long = help.lines().find(|line| line.chars().count() > 99);
            assert_eq!(long, None, "{name}: clap would wrap this line");
        }
    }

    #[test]
    fn the_help_of_run_explains_its_terms() {
        let help = Cli::command().find_subcommand_mut("run").unwrap().render_long_help().to_string();
        let suites = pqlab_lab::builtin_suites().unwrap();
        let words = suites.iter().map(|suite| suite.name.as_str());
        for word in words.chain(["fastest", "reference", "null", "mock", "floor"]) {
            let explained = |line: &str| line.trim_start().split([' ', ',']).any(|begin| begin == word);
            assert!(help.lines().any(|line| line.starts_with("  ") && explained(line)), "{word} in {help}");
        }
    }
}
