//! The command line.

mod ledger;

pub(crate) use ledger::{BlockFormatName, FormName, GenerateArgs, LedgerArgs, LedgerCommand, VerifyBlockArgs};
use ledger::{Share, parse_senders, parse_share};

use clap::{Args, Parser, Subcommand, ValueEnum};
use pqlab_lab::record::{CounterChoice, ProtocolKind};
use pqlab_lab::{ProtocolOverrides, Senders};
use std::path::PathBuf;

/// A laboratory for post-quantum cryptography: verified, interleaved, honest measurements of hashes, KEMs and signatures
/// from several libraries side by side.
#[derive(Parser, Debug)]
#[command(name = "pqlab", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  pqlab run                                  the standard suite, in about two minutes
  pqlab run kem --filter '*ML-KEM-768*'      one algorithm from every library
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
    /// Serve a coordinator: started by `pqlab run`, never by hand
    #[command(name = "worker", hide = true)]
    Worker {
        /// Number of the inherited file descriptor
        descriptor: i32,
    },
}

/// Measure suites or areas; with no argument the suite `standard`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab run                                          the suite `standard`
  pqlab run kem hash --quick                         two areas, roughly
  pqlab run signature --algorithm 'ML-DSA-*' --provider aws-lc --lengths 32,65536
  pqlab run signature --algorithm 'ML-DSA-*' --variant deterministic,messages
  pqlab run kem --filter '*ML-KEM-768/decapsulate*' --state warm,evicted,first-call
  pqlab run hybrid --classical fastest --post-quantum fastest
  pqlab run my-suite.toml --rigorous --save result.json
  pqlab run scaling --algorithm Falcon-512 --threads 1,2,4    one operation on several threads at once
  pqlab run kem --iterations 1000 --warmup 100 --trim 1     a fixed protocol
  pqlab run kem --save-baseline release-1.0          keep the run by a name ...
  pqlab run --baseline release-1.0 --fail-slower 5   ... and measure against it: exit code 1 if something is slower
  pqlab run hash --iterations 2000 --provider openssl --format sha3-csv
  pqlab run --resume                                 go on with what was stopped")]
pub(crate) struct RunArgs {
    /// Suites, areas, or files of suites [default: standard]
    #[arg(value_name = "SUITE")]
    pub(crate) suites: Vec<String>,

    /// A rough answer: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// A careful answer: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases whose id matches: `*` stands for any text [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only this provider [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only circuit handshakes exchanged over this: sockets of loopback
    #[arg(long, value_name = "TRANSPORT", value_parser = ["tcp"])]
    pub(crate) over: Option<String>,

    /// Message lengths in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) lengths: Vec<u64>,

    /// States of caches and process: warm, evicted (caches walked before each call), first-call (of a fresh process)
    /// [default: warm, or the suite's]
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub(crate) state: Vec<String>,

    /// Variants of signing: plain, deterministic, prehash, messages (published sets), sizes (of signatures)
    /// [default: plain, or the suite's]
    #[arg(long, value_name = "VARIANTS", value_delimiter = ',')]
    pub(crate) variant: Vec<String>,

    /// Numbers of threads that work at once [default: 1, 2, 4, ... and all cores]
    #[arg(long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) threads: Vec<u64>,

    /// Numbers of tasks that are submitted at once to a thread pool [default: 100,500,1000,5000]
    #[arg(long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) tasks: Vec<u64>,

    /// Threads of that pool [default: all cores]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) workers: Option<u64>,

    /// The library of a hybrid's classical half; `fastest`: the one that is here [default: each]
    #[arg(long, value_name = "P")]
    pub(crate) classical: Option<String>,

    /// The library of a hybrid's post-quantum half; `fastest`: the one that is here [default: each]
    #[arg(long, value_name = "P")]
    pub(crate) post_quantum: Option<String>,

    /// Transactions in a block of the ledger
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) blocks: Vec<u64>,

    /// Different senders of a block: all, one, a number or a percentage such as 10%
    #[arg(long, value_name = "M", value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_senders)]
    pub(crate) senders: Vec<Senders>,

    /// Percentage of bad transactions in a block: exactly they must be rejected, else the case is void
    #[arg(long, value_name = "PCT", allow_hyphen_values = true, value_parser = parse_share)]
    pub(crate) invalid: Option<Share>,

    /// Output lengths of extendable-output functions, in bytes [default: 32, or the suite's]
    #[arg(long, value_name = "BYTES", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) output_lengths: Vec<u64>,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,

    /// Seed of the order and of the inputs [default: drawn, and kept with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Also write the run to this file as JSON when it ends
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Print the run in this export format when it ends
    #[arg(long, value_name = "F", conflicts_with = "json")]
    pub(crate) format: Option<String>,

    /// Measure the cases of this run again and compare; an alarm is confirmed once with fresh processes
    #[arg(long, value_name = "RUN", conflicts_with_all = ["suites", "resume", "lengths", "format"])]
    pub(crate) baseline: Option<String>,

    /// With --baseline: exit code 1 if a case is slower by more than this percentage
    #[arg(long, value_name = "PCT", default_value_t = 5.0, requires = "baseline", allow_hyphen_values = true)]
    pub(crate) fail_slower: f64,

    /// Give this run a name, for --baseline and `pqlab compare`
    #[arg(long, value_name = "NAME")]
    pub(crate) save_baseline: Option<String>,

    /// Decimals of a format that rounds [default: 1]
    #[arg(long, value_name = "N", requires = "format", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// Go on with a run that was stopped [default: the latest that is not complete]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    /// Events to standard output, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Say nothing but what went wrong
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: the plan, the rules and the environment
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Most seconds that a worker may take for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,
}

/// The measuring rules.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to measure")]
pub(crate) struct ProtocolArgs {
    /// The rules: adaptive, or those of the reference suites (1,000 iterations after 100, 1% trimmed at each tail)
    /// [default: the suite's]
    #[arg(long, value_enum)]
    pub(crate) protocol: Option<ProtocolName>,

    /// Samples of a case, in place of the adaptive rules
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) iterations: Option<u64>,

    /// Operations that each process discards first [default: 100]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) warmup: Option<u64>,

    /// Percentage of the samples left out at each tail [default: 0]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true)]
    pub(crate) trim: Option<f64>,

    /// Operations in a sample [default: calibrated; 1 where one operation is long enough]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) batch: Option<u64>,

    /// Wanted half-width of the 95% interval of the median, in percent [default: 1, or the suite's]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true)]
    pub(crate) precision: Option<f64>,

    /// Most seconds for a case [default: 1.5, or the suite's]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) max_time: Option<f64>,

    /// Worker processes: the unit of repetition [default: 8, or the suite's]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) processes: Option<u32>,

    /// Cores to pin the workers to, in turn, such as 2,3 or 4-7 [default: the last one allowed]
    #[arg(long, value_name = "CPUS", value_parser = parse_cpus)]
    pub(crate) affinity: Option<Cpus>,

    /// What to count [default: core cycles where the machine shows them, else TSC ticks, else the wall clock]
    #[arg(long, value_enum)]
    pub(crate) counter: Option<CounterName>,
}

impl ProtocolArgs {
    /// What the flags, after the presets, set of the rules.
    pub(crate) fn overrides(&self, quick: bool, rigorous: bool) -> ProtocolOverrides {
        let preset = match (quick, rigorous) {
            (true, _) => ProtocolOverrides {
                precision_pct: Some(3.0),
                max_time_s: Some(0.25),
                processes: Some(4),
                ..Default::default()
            },
            (_, true) => ProtocolOverrides {
                precision_pct: Some(0.5),
                max_time_s: Some(10.0),
                processes: Some(16),
                ..Default::default()
            },
            _ => ProtocolOverrides::default(),
        };
        ProtocolOverrides {
            kind: self.protocol.map(|protocol| match protocol {
                ProtocolName::Adaptive => ProtocolKind::Adaptive,
                ProtocolName::Reference => ProtocolKind::Reference,
            }),
            processes: self.processes.or(preset.processes),
            warmup: self.warmup,
            iterations: self.iterations,
            trim_pct: self.trim,
            batch: self.batch,
            precision_pct: self.precision.or(preset.precision_pct),
            max_time_s: self.max_time.or(preset.max_time_s),
            counter: self.counter.map(|counter| match counter {
                CounterName::Wall => CounterChoice::Wall,
                CounterName::Tsc => CounterChoice::Tsc,
                CounterName::Cycles => CounterChoice::Cycles,
                CounterName::Instructions => CounterChoice::Instructions,
            }),
            affinity: self.affinity.clone().map(|cpus| cpus.0),
            quick,
        }
    }
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
  pqlab verify --provider libcrux                     one library
  pqlab verify --algorithm 'ML-KEM-*' --no-interop    some algorithms, each library by itself
  pqlab verify --format markdown > VERIFIED.md")]
pub(crate) struct VerifyArgs {
    /// Only this provider [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Leave out the matrix of every library against every other
    #[arg(long)]
    pub(crate) no_interop: bool,

    /// What to print: a line each as they come, or a document at the end
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,

    /// The part that this process is to do: used by `pqlab verify` itself
    #[arg(long, hide = true)]
    pub(crate) part: Option<String>,
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

/// List past runs.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pqlab runs --json | jq '.[0].id'")]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
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
  pqlab export last --format sha3-csv --provider openssl --digits 2")]
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

    /// The file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Make the report: a page, pictures and tables to publish.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab report --out report                     the latest run, with the ones before it as its history
  pqlab report last last~1 --out report         these two: a trend, or machine against machine
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

/// What of this machine disturbs measuring.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab doctor
  pqlab doctor --aa                 how often comparisons are false here, and what difference they find")]
pub(crate) struct DoctorArgs {
    /// Compare a case with itself, again and again, and keep for later verdicts what this says of the machine
    #[arg(long)]
    pub(crate) aa: bool,

    /// With --aa: how many comparisons, of two runs each
    #[arg(long, value_name = "N", default_value_t = 20, requires = "aa", value_parser = clap::value_parser!(u32).range(5..))]
    pub(crate) comparisons: u32,

    /// With --aa: the case; of a pattern, the first that matches
    #[arg(long, value_name = "CASE", default_value = "kem/ML-KEM-768/decapsulate@*", requires = "aa")]
    pub(crate) case: String,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Does the time of an operation depend on the secret? Exit code 1 if so, 3 if it cannot be said.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab leak kem/ML-KEM-768/decapsulate@liboqs          every test of one operation, with its controls
  pqlab leak '*[secret=validity]@*' --samples 1000000   one test of every library
  pqlab leak 'compare/*'                                the built-in targets: one leaks, one does not
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

    /// The delay in nanoseconds that is planted beside each test, and that the test must find to be worth anything
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

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// The test that this process is to do: used by `pqlab leak` itself
    #[arg(long, hide = true, requires = "family")]
    pub(crate) part: bool,

    /// Tests that are judged together
    #[arg(long, hide = true)]
    pub(crate) family: Option<usize>,
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
pub(crate) enum ProtocolName {
    Adaptive,
    Reference,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum CounterName {
    Wall,
    Tsc,
    Cycles,
    Instructions,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// A list of cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cpus(pub(crate) Vec<u32>);

/// More decimals than a double has digits say nothing.
fn parse_digits(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(digits) if digits <= 15 => Ok(digits),
        _ => Err("it must be a number from 0 to 15".to_owned()),
    }
}

/// Reads `0,2,4-7`.
fn parse_cpus(text: &str) -> Result<Cpus, String> {
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| format!("{text:?} is no core's number"));
    let mut cpus = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first || last - first > 4096 {
                    return Err(format!("{part:?} is no range of cores"));
                }
                cpus.extend(first..=last);
            }
            None => cpus.push(number(part)?),
        }
    }
    Ok(Cpus(cpus))
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
    fn cores_are_numbers_and_ranges() {
        assert_eq!(parse_cpus("0,2,4-6").unwrap(), Cpus(vec![0, 2, 4, 5, 6]));
        for wrong in ["", "a", "3-1", "-1", "1,,2", "0-4294967295"] {
            assert!(parse_cpus(wrong).is_err(), "{wrong}");
        }
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
