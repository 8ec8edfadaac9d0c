//! Arguments of `pqlab run`: what to measure, and how.

use super::{GateRules, MeasuringArgs, MetricName, NamesName, parse_digits, patterns, percent};
use clap::Args;
use pqlab_lab::{CaseOptions, Filters, ProtocolOverrides};
use std::path::PathBuf;

/// Measure suites, areas, algorithms or libraries.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab run                                          the `standard` suite
  pqlab run ML-KEM-768                               one algorithm; kyber768 means the same
  pqlab run kem hash --quick                         two areas, with wider intervals
  pqlab run signature -a 'ML-DSA-*' -p aws-lc --lengths 32,65536
  pqlab run kem --library main=liboqs:/a/liboqs.so --library new=liboqs:/b/liboqs.so
  pqlab run --resume                                 resume an interrupted run
  pqlab run hybrid X-Wing --dry-run                  only print the cases and the expected time
  pqlab run signature -a 'ML-DSA-*' --variant deterministic,messages
  pqlab run kem --filter '*ML-KEM-768/decapsulate*' --state warm,evicted,first-call
  pqlab run hybrid --classical fastest --post-quantum fastest
  pqlab run my-suite.toml --rigorous --out result.json
  pqlab run tls --network mobile                     TLS handshakes over an emulated network
  pqlab run scaling --algorithm Falcon-512 --threads 1,2,4     on several threads
  pqlab run kem --iterations 1000 --warmup 100 --trim 1%       a fixed number of samples
  pqlab run kem --save-baseline main                 name the run ...
  pqlab run kem --baseline main                      ... and compare a later one with it
  pqlab run kem --worker go --worker ./my-worker     include programs in other languages
  pqlab run hash --iterations 2000 -p openssl -f sha3-csv -o sha3.csv

Areas (each area is also a suite with the same name):
  hash          hash functions, XOFs, HMAC, HKDF and AES-GCM by message length
  kem           key encapsulation: keygen, encapsulate, decapsulate
  signature     keygen, sign, verify by message length
  hybrid        hybrid KEMs and signatures, with their classical and post-quantum halves
  certificate   X.509 certificates with one or two signatures; keys to and from DER, PEM and CBOR
  token         signed tokens (JWS and COSE): make, parse, verify; which size limits they meet
  cms           firmware images with CMS signatures: make, verify; lengths, share of hashing
  hpke          hybrid public key encryption of a first message: seal, open
  ntor          circuit handshakes between a client and a relay, as in Tor
  tls           TLS 1.3 handshakes with rustls and OpenSSL; over a link with --network or --rtt
  ssh           SSH handshakes with russh, with classical and post-quantum key exchange
  quic          QUIC handshakes with quinn-proto; over simulated links with --network or --rtt
  mtc           Merkle Tree Certificates, compared with X.509 chains: verify, issue, bytes sent
  ledger        signed transactions: single ones, and blocks of up to 100,000
  scaling       operations on several threads, and as tasks in a thread pool
  memory        peak stack and heap of one operation
  residue       register state that a library leaves behind, and what it costs later code
  function      functions that a worker defines (--worker)
  floor         measurement overhead: the time of an operation that does nothing

Other suites:
  standard           a selection from all areas, 1 to 2 minutes
  protocols          TLS, SSH and QUIC over links of 20 and 100 ms, with and without losses
  smoke              does pqlab work on this machine? a few seconds
  kems               every KEM, 1,000 iterations: rates, categories, lengths
  signatures         seven signature algorithms, 1,000 iterations: rates and lengths
  signing            distribution of signing times: rejection in ML-DSA, sampling in Falcon
  signature-sizes    lengths of 10,000 Falcon signatures
  message-lengths    signing and verifying from 32 bytes to 64 KiB
  batches            verifying batches of 8, 32 and 100 signatures, from one signer or many
  cold               first calls: with warm caches, with evicted caches, in a fresh process
  sha3               FIPS 202 at five message lengths, in cycles per byte
  ledger-reference   ledger benchmark of the reference
  hybrid-reference   hybrid benchmark of the reference, one operation at a time

Terms:
  fastest     the library or pair of libraries that is fastest at the selected operations of a
              hybrid, in a short trial before the run. If `handshake` or `cycle` is selected, only
              that operation counts. Candidates must support all selected operations. The run and
              `pqlab show` name the choice, the deciding operation and the candidates
  reference   five earlier systems whose suites pqlab reproduces with their construction, protocol
              and names: SHA-3, signatures, a hybrid library, a ledger, circuit handshakes
  null        a provider that does nothing: its time is the measurement overhead of the run
  mock        a stand-in for ML-KEM that copies random bytes, to measure a hybrid without ML-KEM

", patterns!(), "

Exit codes: 0 done; 1 a case failed; 2 bad usage or bad input; 130 interrupted: finished cases are
stored"))]
pub(crate) struct RunArgs {
    /// Suites, areas, suite files, algorithms or libraries, in any order [default: standard]
    #[arg(value_name = "WHAT")]
    pub(crate) suites: Vec<String>,

    /// Print the case ids and the expected time, without measuring
    #[arg(short = 'n', long, help_heading = "What to measure", conflicts_with_all = ["resume", "baseline"])]
    pub(crate) dry_run: bool,

    /// Only handshakes over TCP sockets (areas ntor and tls)
    #[arg(long, value_name = "TRANSPORT", value_parser = ["tcp"], help_heading = "What to measure")]
    pub(crate) over: Option<String>,

    #[command(flatten)]
    pub(crate) options: CaseOptions,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArgs,

    /// Number of connections per case over a network, regardless of the precision [default: 200]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "How to measure")]
    pub(crate) handshakes: Option<u64>,

    #[command(flatten)]
    pub(crate) output: RunOutputArgs,

    /// Rules of the gate, or `None` if the run is not a gate.
    #[arg(skip)]
    pub(crate) gate: Option<GateRules>,
}

/// Results of `pqlab run`.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Results and output")]
pub(crate) struct RunOutputArgs {
    /// Also write the run to this file, as JSON or in --format
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Old form of --out: always JSON, even with --format.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "out")]
    pub(crate) save: Option<PathBuf>,

    /// Print this export format instead of tables; `events` are JSON lines
    #[arg(short, long, value_name = "F", conflicts_with = "json")]
    pub(crate) format: Option<String>,

    /// Number of decimal places, for formats that round [default: 1]
    #[arg(long, value_name = "N", requires = "format", value_parser = parse_digits)]
    pub(crate) digits: Option<usize>,

    /// Row names in Google Benchmark formats: case ids, or the names from the reference's ledger benchmark
    #[arg(long, value_enum, default_value_t = NamesName::Ids, requires = "format")]
    pub(crate) names: NamesName,

    /// Compare with this run afterwards; see also `pqlab gate`
    #[arg(long, value_name = "RUN", conflicts_with = "resume")]
    pub(crate) baseline: Option<String>,

    /// With --baseline: metric to compare
    #[arg(long, value_enum, default_value_t = MetricName::Auto, requires = "baseline")]
    pub(crate) metric: MetricName,

    /// Option that moved to `pqlab gate`.
    #[arg(long, value_name = "PERCENT", hide = true, requires = "baseline", allow_hyphen_values = true, value_parser = percent)]
    pub(crate) fail_slower: Option<f64>,

    /// Option that moved to `pqlab gate`.
    #[arg(long, hide = true, requires = "baseline")]
    pub(crate) baseline_elsewhere: bool,

    /// Resume an interrupted run [default: the latest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    /// With --resume: continue even if the machine, system, pqlab or a library has changed
    #[arg(long, requires = "resume")]
    pub(crate) resume_elsewhere: bool,

    /// Also show intervals, means, rates, samples and processes
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) wide: bool,

    /// Old form of --format events.
    #[arg(long, hide = true)]
    pub(crate) json: bool,
}

impl RunOutputArgs {
    /// Returns the file to write.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.out.as_ref().or(self.save.as_ref())
    }
}

/// Value of --format for events.
pub(crate) const EVENTS: &str = "events";

impl RunArgs {
    /// Returns the measurement settings set by options and presets.
    pub(crate) fn overrides(&self) -> ProtocolOverrides {
        ProtocolOverrides { handshakes: self.handshakes, ..self.measuring.overrides() }
    }

    /// Returns the filters set by options.
    pub(crate) fn filters(&self) -> Filters {
        Filters { over: self.over.clone(), options: self.options.clone(), ..self.measuring.filters() }
    }

    /// Returns whether to print JSON events.
    pub(crate) fn prints_events(&self) -> bool {
        self.output.json || self.output.format.as_deref() == Some(EVENTS)
    }

    /// Returns the export format to print or write, if one is given.
    pub(crate) fn export_format(&self) -> Option<&str> {
        self.output.format.as_deref().filter(|format| *format != EVENTS)
    }
}
