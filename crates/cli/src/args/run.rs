//! Arguments of `pqlab run`: what to measure, and how.

use super::{DatabaseArgs, MetricName, NamedLibraryArgs, NamesName, parse_digits, patterns};
use clap::Args;
use pqlab_lab::{CaseOptions, ProtocolOverrides};
use std::path::PathBuf;

/// Measure suites, areas, algorithms or libraries.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab run                                          the suite `standard`
  pqlab run ML-KEM-768                               one algorithm; kyber768 means the same
  pqlab run hybrid X-Wing --dry-run                  only print the cases and the expected time
  pqlab run kem hash --quick                         two areas, with wider intervals
  pqlab run signature --algorithm 'ML-DSA-*' --provider aws-lc --lengths 32,65536
  pqlab run signature --algorithm 'ML-DSA-*' --variant deterministic,messages
  pqlab run kem --filter '*ML-KEM-768/decapsulate*' --state warm,evicted,first-call
  pqlab run hybrid --classical fastest --post-quantum fastest
  pqlab run my-suite.toml --rigorous --save result.json
  pqlab run tls --network mobile                     TLS handshakes over an emulated network
  pqlab run scaling --algorithm Falcon-512 --threads 1,2,4     on several threads
  pqlab run kem --iterations 1000 --warmup 100 --trim 1        a fixed number of samples
  pqlab run kem --save-baseline release-1.0          name the run ...
  pqlab run --baseline release-1.0 --fail-slower 5   ... and measure against it
  pqlab run kem --library main=liboqs:/a/liboqs.so --library new=liboqs:/b/liboqs.so
  pqlab run kem --worker go --worker ./my-worker     also programs in other languages
  pqlab run hash --iterations 2000 --provider openssl --format sha3-csv
  pqlab run --resume                                 resume an interrupted run

Areas (each area is also a suite with the same name):
  hash          hash functions, XOFs, HMAC, HKDF and AES-GCM by message length
  kem           key encapsulation: keygen, encapsulate, decapsulate
  signature     keygen, sign, verify by message length
  hybrid        hybrid KEMs and signatures, with their classical and post-quantum halves
  certificate   X.509 certificates with one or two signatures; keys to DER, PEM, CBOR and back
  token         signed tokens (JWS and COSE): make, parse, verify; size limits that they fit
  hpke          hybrid public key encryption of a first message: seal, open
  ntor          circuit handshakes between a client and a relay, as in Tor
  tls           TLS 1.3 handshakes with rustls and OpenSSL; over a link with --network or --rtt
  ledger        signed transactions: single ones, and blocks of up to 100,000
  scaling       operations on several threads, and as tasks in a thread pool
  memory        peak stack and heap of one operation
  residue       register state that a library leaves behind, and what it costs later code
  function      functions that a worker defines (--worker)
  floor         measurement overhead: the time of an operation that does nothing

Other suites:
  standard           a selection from all areas, 1 to 2 minutes
  smoke              does pqlab work on this machine? a few seconds
  kems               every KEM, 1,000 iterations: rates, categories, lengths
  signatures         seven signature algorithms, 1,000 iterations: rates and lengths
  signing            distribution of signing times: rejection in ML-DSA, sampling in Falcon
  signature-sizes    lengths of 10,000 Falcon signatures
  message-lengths    signing and verifying from 32 bytes to 64 KiB
  batches            verifying batches of 8, 32 and 100 signatures, from one signer or many
  cold               the first call: warm caches, evicted caches, a fresh process
  sha3               FIPS 202 at five message lengths, in cycles per byte
  ledger-reference   ledger benchmark of the reference
  hybrid-reference   hybrid benchmark of the reference, one operation at a time

Terms:
  fastest     the library, or pair of libraries, with the lowest total time for the selected
              operations of a hybrid (or only for `handshake` or `cycle`, if selected). Only
              libraries that support all these operations are candidates. A short trial before the
              run decides; the run and `pqlab show` name the choice, the deciding operation and
              the candidates
  reference   five earlier systems whose suites pqlab reproduces with their construction, protocol
              and names: SHA-3, signatures, a hybrid library, a ledger, circuit handshakes
  null        a provider that does nothing: its time is the measurement overhead of the run
  mock        a stand-in for ML-KEM that copies random bytes, to measure a hybrid without ML-KEM
  PASS        with --baseline: no case is slower than --fail-slower allows
  FAIL        a case is slower than that in two of up to three runs, or failed
  UNDECIDED   the runs are inconclusive

", patterns!(), "

Exit codes: 0 done (PASS); 1 a case failed, or is slower than --fail-slower allows (FAIL); 2 bad
usage or bad input; 3 inconclusive (UNDECIDED); 130 interrupted: finished cases are stored"))]
pub(crate) struct RunArgs {
    /// Suites, areas, suite files, algorithms (by any name) or libraries, in any order [default: standard]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// Print the case ids, their number and the expected time, without measuring
    #[arg(long, conflicts_with_all = ["resume", "baseline"])]
    pub(crate) dry_run: bool,

    /// Measure roughly: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure carefully: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Only cases whose id matches this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Only libraries whose provider id matches this name or pattern [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only handshakes over TCP sockets (areas ntor and tls)
    #[arg(long, value_name = "TRANSPORT", value_parser = ["tcp"])]
    pub(crate) over: Option<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) options: CaseOptions,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    /// Number of connections per case over a network, regardless of the precision [default: 200]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) handshakes: Option<u64>,

    /// Seed for the order of cases and for inputs [default: random, stored with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Also write the run to this file as JSON; `-` prints the JSON instead of the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Print the run in this export format instead of the tables
    #[arg(long, value_name = "F", conflicts_with = "json")]
    pub(crate) format: Option<String>,

    /// Measure the cases of this run again and compare; the last line begins with PASS, FAIL or UNDECIDED (exit code 0,
    /// 1, 3). Cases that do not pass are measured again in fresh processes, up to three times in total
    #[arg(long, value_name = "RUN", conflicts_with_all = ["suites", "resume", "lengths", "format"])]
    pub(crate) baseline: Option<String>,

    /// With --baseline: maximum slowdown of a case, in percent; a larger slowdown means FAIL
    #[arg(long, value_name = "PCT", default_value_t = 5.0, requires = "baseline", allow_hyphen_values = true)]
    pub(crate) fail_slower: f64,

    /// With --baseline: compare even with a baseline from another machine, instead of ending UNDECIDED
    #[arg(long, requires = "baseline")]
    pub(crate) baseline_elsewhere: bool,

    /// With --baseline: unit in which cases are judged
    #[arg(long, value_enum, default_value_t = MetricName::Auto, requires = "baseline")]
    pub(crate) metric: MetricName,

    /// Give this run a name, for --baseline and `pqlab compare`
    #[arg(long, value_name = "NAME")]
    pub(crate) save_baseline: Option<String>,

    /// With --save-baseline: move the name from the run that has it
    #[arg(long, requires = "save_baseline")]
    pub(crate) force: bool,

    /// Number of decimal places, for formats that round [default: 1]
    #[arg(long, value_name = "N", requires = "format", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// Row names in Google Benchmark formats: case ids, or the names from the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids, requires = "format")]
    pub(crate) names: NamesName,

    /// Resume an interrupted run [default: the latest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    /// With --resume: continue even if the machine, system, pqlab or a library has changed
    #[arg(long, requires = "resume")]
    pub(crate) resume_elsewhere: bool,

    /// Also show intervals, means, rates, samples and processes
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) wide: bool,

    /// Print events, one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also print the plan, the environment, and a line for each finished case
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Time limit for one answer from a worker, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,
}

impl RunArgs {
    /// Returns the measuring rules set by options and presets.
    pub(crate) fn overrides(&self) -> ProtocolOverrides {
        let handshakes = self.handshakes;
        ProtocolOverrides { handshakes, ..self.protocol.clone() }.or_preset(self.quick, self.rigorous)
    }
}
