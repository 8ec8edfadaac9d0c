//! The arguments of `pqlab run`: what to measure, and how.

use super::{DatabaseArgs, MetricName, NamedLibraryArgs, NamesName, parse_digits, patterns};
use clap::Args;
use pqlab_lab::{CaseOptions, ProtocolOverrides};
use std::path::PathBuf;

/// Measure suites or areas; with no argument the suite `standard`.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab run                                          the suite `standard`
  pqlab run ML-KEM-768                               one algorithm; kyber768 means the same
  pqlab run hybrid X-Wing --dry-run                  what would be measured, and how long it takes
  pqlab run kem hash --quick                         two areas, roughly
  pqlab run signature --algorithm 'ML-DSA-*' --provider aws-lc --lengths 32,65536
  pqlab run signature --algorithm 'ML-DSA-*' --variant deterministic,messages
  pqlab run kem --filter '*ML-KEM-768/decapsulate*' --state warm,evicted,first-call
  pqlab run hybrid --classical fastest --post-quantum fastest
  pqlab run my-suite.toml --rigorous --save result.json
  pqlab run tls --network mobile                     TLS handshakes over an emulated network
  pqlab run scaling --algorithm Falcon-512 --threads 1,2,4     on several threads at once
  pqlab run kem --iterations 1000 --warmup 100 --trim 1        a fixed protocol
  pqlab run kem --save-baseline release-1.0          keep the run by a name ...
  pqlab run --baseline release-1.0 --fail-slower 5   ... and measure against it
  pqlab run kem --library main=liboqs:/a/liboqs.so --library new=liboqs:/b/liboqs.so
  pqlab run kem --worker go --worker ./my-worker     programs in other languages too
  pqlab run hash --iterations 2000 --provider openssl --format sha3-csv
  pqlab run --resume                                 go on with what was stopped

Areas, each of which is a suite of the same name too:
  hash          hash functions, XOFs, HMAC, HKDF and AES-GCM by message length
  kem           key encapsulation: keygen, encapsulate, decapsulate
  signature     keygen, sign, verify by message length
  hybrid        hybrid KEMs and signatures beside their classical and post-quantum halves
  certificate   X.509 certificates with one signature or two; keys to DER, PEM, CBOR and back
  token         signed tokens, JWS and COSE: make, parse, verify, and what they fit
  hpke          a first message by hybrid public key encryption: seal, open
  ntor          circuit handshakes as between a Tor client and a relay
  tls           handshakes of TLS 1.3 by rustls and OpenSSL; with --network or --rtt over a link
  ledger        signed transactions: one, and blocks of up to 100,000
  scaling       operations on several threads, and as tasks of a thread pool
  memory        peak stack and heap of one operation
  residue       what a library leaves behind for the code that runs next
  function      functions that a worker offers by names of its own (--worker)
  floor         the harness itself: what measuring an operation that does nothing shows

Suites beside them:
  standard           a spread of everything, in one to two minutes
  smoke              does the laboratory work here? a few seconds
  kems               every KEM, 1,000 iterations: rates, categories, lengths
  signatures         seven signature algorithms, 1,000 iterations: rates and lengths
  signing            how signing times are distributed: rejection in ML-DSA, sampling in Falcon
  signature-sizes    the lengths of 10,000 Falcon signatures
  message-lengths    signing and verifying from 32 bytes to 64 KiB
  batches            signatures verified 8, 32 and 100 at once, by one signer or many
  cold               the first call: caches warm and evicted, a fresh process
  sha3               FIPS 202 at five message lengths, in cycles per byte
  ledger-reference   the ledger benchmark of the reference
  hybrid-reference   the hybrid benchmark of the reference, one by one

Words:
  fastest     the library, or pair of two, that does in the least time what is measured of a hybrid
              (its `handshake` or `cycle` where that is selected, else its operations added up),
              among those that can do all of it. Found by a short trial before the run; the run
              and `pqlab show` say which was chosen, by which operation, and among which
  reference   five earlier systems whose suites pqlab reproduces, with their construction,
              protocol and names: of SHA-3, of signatures, of a hybrid library, of a ledger, of
              circuit handshakes
  null        a provider that does nothing through the same calls: what is left is the harness's
              own part, the `floor` of the run
  mock        a stand-in for ML-KEM that copies random bytes: a hybrid without its lattice
  PASS        with --baseline: no case is slower than --fail-slower allows
  FAIL        a case is, in two of up to three runs of it, or it failed
  UNDECIDED   the runs do not tell

", patterns!(), "

Exit codes: 0 done (PASS); 1 a case failed, or is slower than --fail-slower allows (FAIL); 2 bad
usage or bad input; 3 the runs do not tell (UNDECIDED); 130 interrupted: what was finished is
stored"))]
pub(crate) struct RunArgs {
    /// Suites, areas, files of suites, algorithms by any of their names, providers, in any order [default: standard]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// Measure nothing: print the ids of the cases, and say how many there are and how long they take
    #[arg(long, conflicts_with_all = ["resume", "baseline"])]
    pub(crate) dry_run: bool,

    /// A rough answer: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// A careful answer: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases whose id matches this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only this provider [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only handshakes exchanged over this: sockets, of circuits or of TLS
    #[arg(long, value_name = "TRANSPORT", value_parser = ["tcp"])]
    pub(crate) over: Option<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) options: CaseOptions,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    /// Connections of a case over a network, whatever their spread [default: 200]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) handshakes: Option<u64>,

    /// Seed of the order and of the inputs [default: drawn, and kept with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Also write the run to this file as JSON when it ends; `-` prints it in place of the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Print the run in this export format when it ends
    #[arg(long, value_name = "F", conflicts_with = "json")]
    pub(crate) format: Option<String>,

    /// Measure the cases of this run again and compare: the last line begins with PASS, FAIL or UNDECIDED (exit code 0, 1, 3);
    /// what does not pass is measured again with fresh processes, three times in all at most
    #[arg(long, value_name = "RUN", conflicts_with_all = ["suites", "resume", "lengths", "format"])]
    pub(crate) baseline: Option<String>,

    /// With --baseline: FAIL if a case is slower by more than this percentage
    #[arg(long, value_name = "PCT", default_value_t = 5.0, requires = "baseline", allow_hyphen_values = true)]
    pub(crate) fail_slower: f64,

    /// With --baseline: judge a baseline of another machine; without this the result is UNDECIDED
    #[arg(long, requires = "baseline")]
    pub(crate) baseline_elsewhere: bool,

    /// With --baseline: in which unit cases are judged
    #[arg(long, value_enum, default_value_t = MetricName::Auto, requires = "baseline")]
    pub(crate) metric: MetricName,

    /// Give this run a name, for --baseline and `pqlab compare`
    #[arg(long, value_name = "NAME")]
    pub(crate) save_baseline: Option<String>,

    /// With --save-baseline: take the name from the run that has it
    #[arg(long, requires = "save_baseline")]
    pub(crate) force: bool,

    /// Decimals of a format that rounds [default: 1]
    #[arg(long, value_name = "N", requires = "format", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// What the formats of Google Benchmark call their rows: ids of cases, or the names of the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids, requires = "format")]
    pub(crate) names: NamesName,

    /// Go on with a run that was stopped [default: the latest that is not complete]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    /// With --resume: also where machine, system, this program or a library are not those with which the run began
    #[arg(long, requires = "resume")]
    pub(crate) resume_elsewhere: bool,

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

impl RunArgs {
    /// Returns the rules that the flags and the presets set.
    pub(crate) fn overrides(&self) -> ProtocolOverrides {
        let handshakes = self.handshakes;
        ProtocolOverrides { handshakes, ..self.protocol.clone() }.or_preset(self.quick, self.rigorous)
    }
}
