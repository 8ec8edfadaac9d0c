//! The command line.

mod doctor;
mod ledger;
mod metric;
mod names;
mod run;
mod runs;
mod stats;

pub(crate) use doctor::{DoctorArgs, MeasuredArgs};
pub(crate) use ledger::{BlockFormatName, FormName, GenerateArgs, LedgerArgs, LedgerCommand, VerifyBlockArgs};
pub(crate) use metric::MetricName;
pub(crate) use names::NamesName;
pub(crate) use run::RunArgs;
pub(crate) use runs::{RunsArgs, RunsCommand};
pub(crate) use stats::StatsArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
  pqlab export last --format json            the same for programs")]
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
    /// Take in runs that were exported elsewhere
    Import(ImportArgs),
    /// What of this machine disturbs measuring, and what to do about it
    Doctor(DoctorArgs),
    /// Block files of signed transactions: make them, verify them
    Ledger(LedgerArgs),
    /// Does the time depend on the secret?
    Leak(LeakArgs),
    /// Print a shell's completion script
    #[command(after_help = "Example:\n  pqlab completions bash > ~/.local/share/bash-completion/completions/pqlab")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Serve a coordinator: started by a laboratory, never by hand
    #[command(name = "worker", hide = true)]
    Worker {
        /// Number of the inherited file descriptor
        descriptor: i32,
    },
}

/// What `pqlab list` can list.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Cases,
    Algorithms,
    Providers,
    Suites,
    Exporters,
    Counters,
}

/// List what there is.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab list algorithms          lengths, categories and encodings, by provider
  pqlab list cases --json        every id that a filter can match")]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(value_enum, default_value_t = Listing::Suites)]
    pub(crate) what: Listing,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Are the answers right? Exit code 1 if any is wrong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab verify                                        a page: a grid for each kind of check
  pqlab verify --provider libcrux                     one library, by itself and with every other
  pqlab verify --long                                 and thousands of answers of lattice schemes, some minutes
  pqlab verify --algorithm 'ML-KEM-*' --no-interop    some algorithms, each library by itself
  pqlab verify --format markdown > VERIFIED.md")]
pub(crate) struct VerifyArgs {
    /// Only this provider; it is still paired with all others [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Leave out the matrix of every library against every other
    #[arg(long)]
    pub(crate) no_interop: bool,

    /// Every line as it comes, before the page
    #[arg(long)]
    pub(crate) all: bool,

    /// The long accumulated vectors: 10,000 answers of ML-DSA, a million of ML-KEM-768. It says first how long they take
    #[arg(long)]
    pub(crate) long: bool,

    /// Accumulated vectors up to this published number of answers: 100, 10000, 1000000 (ML-KEM-768), 60000000 (ML-DSA).
    /// Stopped, the same command goes on where it was
    #[arg(long, value_name = "N", conflicts_with = "long")]
    pub(crate) accumulated: Option<u64>,

    /// What to print: a page for people, or a document
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
}

/// Lengths, bytes and checks of one algorithm. Exit code 1 if a check fails.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab inspect ML-KEM-768                               every library that has it
  pqlab inspect Falcon-512 --provider liboqs --full      every byte")]
pub(crate) struct InspectArgs {
    /// The algorithm: see `pqlab list algorithms`
    pub(crate) algorithm: String,

    /// Only this provider; what it makes is still handed to all others [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// From which keys, messages and coins are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Every byte
    #[arg(long)]
    pub(crate) full: bool,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `pqlab verify` prints.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyFormat {
    Text,
    Markdown,
    Json,
}

/// Show a run's table, or one case in full.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab show                                          the latest run
  pqlab show last~1                                   the one before it
  pqlab show last 'kem/ML-KEM-768/decapsulate@*'      cases in full, with their histograms")]
pub(crate) struct ShowArgs {
    /// An id, a unique beginning of one, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// A case's id, or a pattern with `*`
    pub(crate) case: Option<String>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// What the tables of circuit handshakes ask about.
#[derive(Args, Debug)]
#[command(next_help_heading = "Circuit handshakes")]
pub(crate) struct ScenarioArgs {
    /// New circuits a second at the relay
    #[arg(long, value_name = "N", default_value_t = 1000.0)]
    pub(crate) circuits_per_second: f64,

    /// Speeds of links, with a unit: 10M, 100M, 10G bits a second
    #[arg(long, value_name = "SPEED", value_delimiter = ',', default_value = "10M,100M,10G")]
    pub(crate) link: Vec<String>,

    /// Round-trip time in ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    pub(crate) rtt: f64,
}

/// Answer circuit handshakes over TCP until a signal ends it: classical ntor, KEM-only, authenticated hybrid. An instrument,
/// not a relay of Tor.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ntor-relay                                    on a free port of loopback, which it prints
  pqlab ntor-relay --listen 0.0.0.0:9001 --provider aws-lc+liboqs")]
pub(crate) struct RelayArgs {
    /// Where to listen; port 0 for any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: std::net::SocketAddr,

    /// The provider, or two: of X25519 and hashes, and of ML-KEM
    #[arg(long, value_name = "P", default_value = "aws-lc")]
    pub(crate) provider: String,
}

/// Compare two runs case by case, or cases of one run. Exit code 1 if something is slower (or failed where it did not), else 3
/// if a comparison does not tell, else 0.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab compare last~1 last                          did anything change?
  pqlab compare release-1.0 last --margin 1          against a run that was saved by name
  pqlab compare '*@liboqs' '*@aws-lc' --run last     one library against another, where both were measured
  pqlab compare 'kem/ML-KEM-768/*' 'kem/ML-KEM-1024/*'   cases are paired where the stars stand for the same text")]
pub(crate) struct CompareArgs {
    /// The run to compare with: an id, a unique beginning of one, a baseline's name, `last` or `last~1`; or a pattern of cases
    #[arg(value_name = "A")]
    pub(crate) first: String,

    /// The run that is judged; or a pattern of cases
    #[arg(value_name = "B")]
    pub(crate) second: String,

    /// The run whose cases A and B are patterns of [default for patterns: last]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Differences within this percentage are equivalent [default: this machine's own, from `pqlab doctor --aa`, else 2]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,

    /// In which unit cases are judged
    #[arg(long, value_enum, default_value_t = MetricName::Auto)]
    pub(crate) metric: MetricName,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Write a run in another format.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export last --format csv --out results.csv
  pqlab export last --format samples-csv | head
  pqlab export last --format latex --table decomposition
  pqlab export last --format sha3-csv --provider openssl --digits 2
  pqlab export last --format google-benchmark-csv --names reference")]
pub(crate) struct ExportArgs {
    /// An id, a unique beginning of one, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// The format: see `pqlab list exporters`
    #[arg(long, value_name = "F")]
    pub(crate) format: String,

    /// Whose figures, for a format that holds those of one provider
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Decimals of a format that rounds [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// One table of several cases alone, as csv, json, latex or markdown: decomposition, scaling, load, signatures, kems, sizes,
    /// ledger-blocks, ntor-steps, claims, ...; a wrong name lists those that the run has
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// What the formats of Google Benchmark call their rows: ids of cases, or the names of the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids)]
    pub(crate) names: NamesName,

    /// The file; `-` is standard output, a pipe or device is written to [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}

/// Make the report: a page, pictures and tables to publish.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab report --out report                     the latest run, with the ones before it as its history
  pqlab report last last~1 --out report         these two: a trend, or machine against machine
  pqlab report --link 20M,1G --rtt 80 --circuits-per-second 300     what circuit handshakes cost such a relay
  xdg-open report/index.html                    one file that needs nothing else")]
pub(crate) struct ReportArgs {
    /// Ids, unique beginnings of them, `last` or `last~1`; the newest is shown, the others are its history
    /// [default: the latest and the 19 before it]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// The folder, which comes into being if it is not there
    #[arg(long, value_name = "DIR", default_value = "pqlab-report")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}

/// Serve the report's pages over the whole store, read-only; a run that is going on is shown as it grows.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pqlab serve --listen 127.0.0.1:8000     then open http://127.0.0.1:8000/")]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 takes one that is free. Whoever reaches it reads the whole store
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub(crate) listen: std::net::SocketAddr,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Take in runs that were exported as json-samples.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab export last --format json-samples --out run.json      there
  pqlab import run.json                                       here; then `pqlab show last`")]
pub(crate) struct ImportArgs {
    /// Files of the format json-samples
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Does the time of an operation depend on the secret? Exit code 1 if so, 3 if it cannot be said.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab leak kem/ML-KEM-768/decapsulate@liboqs          every test of one operation, with its controls
  pqlab leak '*[secret=validity]@*' --samples 1000000   one test of every library
  pqlab leak 'compare/*'                                the built-in targets: one leaks, one does not
  pqlab leak --taint '*ML-KEM-768*'                     what depends on the secret, as valgrind sees it
  pqlab leak --list")]
pub(crate) struct LeakArgs {
    /// Operations or single tests: `*` stands for any text; see --list
    #[arg(value_name = "CASE", required_unless_present = "list")]
    pub(crate) cases: Vec<String>,

    /// List the tests that there are, and measure nothing
    #[arg(long)]
    pub(crate) list: bool,

    /// Samples of a test, half of them of each class; fewer where --max-time allows no more
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(2_000..))]
    pub(crate) samples: u64,

    /// The difference in nanoseconds that matters: `none above X` is said for an X of at most this
    #[arg(long, value_name = "NS", default_value_t = 30.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) effect: f64,

    /// The positive control: a delay in nanoseconds beside each test, which the test must find to be worth anything
    #[arg(long, value_name = "NS", default_value_t = 50.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) planted: f64,

    /// Most seconds for a test
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) max_time: f64,

    /// Seed of keys, inputs and order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Test everything so many times, each time with another seed, and count the verdicts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,

    /// Measure nothing: run each operation once under valgrind, with its secret marked, and report each branch and each
    /// address that depends on it. Exit code 1 if there is one
    #[arg(long)]
    pub(crate) taint: bool,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
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

    #[test]
    fn every_verb_has_an_example() {
        let command = Cli::command();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{} has no example", verb.get_name());
        }
    }
}
