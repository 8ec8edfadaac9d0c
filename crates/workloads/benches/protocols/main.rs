//! Measures the overhead that pqlab adds to a TLS, SSH or QUIC handshake in memory, and to the verification of a Merkle
//! Tree Certificate. Compares pqlab's timed trial ("tool") with a bare loop over the same library with the same
//! settings. Tool and bare loop alternate in one process. Neither time includes freeing connections.
//!
//! Prints the time of an operation for the tool and for the bare loop. Their difference is the tool's overhead. Also
//! prints the ratio of the times, with a 95% interval over processes. `outside` means that the two times differ by more
//! than the limit: 2% for TLS, otherwise 3%. `unclear` means that the interval includes a larger difference, but the
//! estimate is smaller.
//!
//! If there are command-line arguments, runs only comparisons with names that contain every argument.

#![allow(clippy::print_stdout)]

mod by_mtcs;
mod by_openssl;
mod by_quinn;
mod by_russh;
mod by_rustls;
#[path = "../../../providers/benches/interleaved/mod.rs"]
mod interleaved;

use interleaved::{Comparison, Found, PROCESSES, Side, Work};
use pqlab_harness::{Recorder, Seed, Trial, TrialSource};
use pqlab_ssh::{KeyExchange, KeyType, Keys};
use pqlab_tls::{Authentication, Config, Credentials, Group};
use pqlab_workloads::{CaseOptions, Registry};
use std::process::ExitCode;

/// Allowed relative difference between the tool and the bare loop, for TLS.
const LIMIT: f64 = 0.02;
/// Allowed relative difference for SSH. The tool runs each side in its own runtime, and the bare loop runs both in one.
const SSH_LIMIT: f64 = 0.03;
/// Allowed relative difference for QUIC. pqlab's simulated link and the copies of Initial packets, which show the
/// negotiated group, add more to the time.
const QUIC_LIMIT: f64 = 0.03;
/// Allowed relative difference for Merkle Tree Certificates.
const MTC_LIMIT: f64 = 0.03;
/// Number of handshakes per round. A round needs several, because an ML-DSA signature takes a random number of
/// attempts.
const BATCH: usize = 4;
/// Time at which certificates are verified, in seconds since 1970. The tool uses the same time.
const NOW: u64 = 1_800_000_000;

const SUITES: [(Group, Authentication); 2] =
    [(Group::X25519, Authentication::EcdsaP256), (Group::X25519MlKem768, Authentication::MlDsa65)];
/// Areas and implementations, each with the provider of its primitives.
const LIBRARIES: [[&str; 3]; 3] =
    [["tls", "rustls", "aws-lc"], ["tls", "openssl", "openssl"], ["quic", "quinn", "aws-lc"]];

/// Provider of the crates that mtcs uses.
const MTCS_PRIMITIVES: &str = "rustcrypto";

/// Operation to compare.
enum Operation {
    /// A handshake with TLS or QUIC. The words are the area, the implementation and the provider of its primitives.
    Tls(Group, Authentication, [&'static str; 3]),
    Ssh(pqlab_ssh::Config),
    /// Verification of a Merkle Tree Certificate: landmark-relative, or signed by the CA.
    Mtc {
        is_landmark: bool,
    },
}

impl Operation {
    fn all() -> Vec<Operation> {
        let tls = SUITES
            .into_iter()
            .flat_map(|(group, signature)| LIBRARIES.map(|library| Operation::Tls(group, signature, library)));
        let ssh = KeyExchange::ALL
            .map(|key_exchange| Operation::Ssh(pqlab_ssh::Config { key_exchange, key_type: KeyType::Ed25519 }));
        let mtc = [true, false].map(|is_landmark| Operation::Mtc { is_landmark });
        tls.chain(ssh).chain(mtc).collect()
    }

    fn id(&self) -> String {
        match self {
            Operation::Tls(group, signature, [area, implementation, _]) => {
                format!("{area}/{}/handshake[auth={},chain=1]@{implementation}", group.name(), signature.name())
            }
            Operation::Ssh(config) => {
                format!("ssh/{}/handshake[auth={}]@russh", config.key_exchange.name(), config.key_type.name())
            }
            Operation::Mtc { is_landmark } => {
                let kind = if *is_landmark { "landmark" } else { "cosigners=1" };
                format!("mtc/MTC-{}/verify[{kind},certificates={}]@mtcs", by_mtcs::ALGORITHM, by_mtcs::LOG_LENGTH)
            }
        }
    }

    fn limit(&self) -> f64 {
        match self {
            Operation::Tls(.., ["quic", ..]) => QUIC_LIMIT,
            Operation::Tls(..) => LIMIT,
            Operation::Ssh(_) => SSH_LIMIT,
            Operation::Mtc { .. } => MTC_LIMIT,
        }
    }

    /// Returns the number of operations per round, or `None` to choose it by their time.
    fn batch(&self) -> Option<usize> {
        if let Operation::Mtc { .. } = self { None } else { Some(BATCH) }
    }

    fn bare(&self, registry: &Registry) -> Side {
        let provider =
            |id: &str| registry.providers().iter().find(|provider| provider.id() == id).expect("unknown provider");
        let (group, signature, [_, implementation, primitives]) = match *self {
            Operation::Tls(group, signature, library) => (group, signature, library),
            Operation::Ssh(config) => {
                let keys = Keys::generate(config.key_type).expect("cannot generate the keys");
                return Box::new(by_russh::Bare::new(config, &keys));
            }
            Operation::Mtc { is_landmark } => {
                return Box::new(by_mtcs::Bare::new(provider(MTCS_PRIMITIVES), is_landmark));
            }
        };
        let config = Config { intermediates: 1, ..Config::new(group, signature) };
        let scheme =
            provider(primitives).signature(signature.name()).expect("the provider must offer the signature scheme");
        let credentials = Credentials::make(&config, scheme.as_ref()).expect("cannot create the certificates");
        match implementation {
            "quinn" => Box::new(by_quinn::Bare::new(&config, &credentials)),
            "rustls" => Box::new(by_rustls::Bare::new(&config, &credentials)),
            _ => Box::new(by_openssl::Bare::new(&config, &credentials)),
        }
    }

    fn comparison(&self) -> Comparison {
        let registry = Registry::new(pqlab_providers::providers());
        let id = self.id();
        let case = registry.cases(&CaseOptions::default()).into_iter().find(|case| case.id() == id);
        let case = case.expect("unknown case");
        let trial = registry.prepare(&case, Seed { run: 1, process: 0 }).expect("cannot prepare the case");
        let tool = Tool { trial, recorder: Recorder::default(), timed: false };
        Comparison { batch: self.batch(), first: Box::new(tool), second: self.bare(&registry) }
    }
}

fn main() -> ExitCode {
    let all = Operation::all();
    if let Some(name) = interleaved::requested() {
        let operation = all.into_iter().find(|one| one.id() == name).expect("unknown operation");
        interleaved::answer(operation.comparison());
        return ExitCode::SUCCESS;
    }
    let words = interleaved::words();
    println!(
        "{:<64} {:>10} {:>10} {:>9}   95% interval, {PROCESSES} processes or more",
        "", "tool", "bare", "overhead"
    );
    let mut outside = false;
    for (id, operation) in all.iter().map(|one| (one.id(), one)) {
        if !words.iter().all(|word| id.contains(word)) {
            continue;
        }
        let mut found = interleaved::find(&id, PROCESSES);
        if !mark(&found, operation.limit()).is_empty() {
            found = interleaved::find(&id, 8 * PROCESSES);
        }
        let (ratio, mark) = (found.ratio, mark(&found, operation.limit()));
        let [tool, bare, own] = [found.first, found.second, found.difference.estimate].map(|ns| ns / 1e3);
        let interval = format!("{:.4} [{:.4}, {:.4}]", ratio.estimate, ratio.low, ratio.high);
        println!("{id:<64} {tool:>7.1} us {bare:>7.1} us {own:>6.1} us   {interval} {mark}");
        outside |= mark == "outside";
    }
    if outside { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn mark(found: &Found, limit: f64) -> &'static str {
    let is_within = |ratio: f64| (1.0 - limit..=1.0 + limit).contains(&ratio);
    match (is_within(found.ratio.estimate), is_within(found.ratio.low) && is_within(found.ratio.high)) {
        (false, _) => "outside",
        (true, false) => "unclear",
        (true, true) => "",
    }
}

/// pqlab's trial, called as a worker process calls it.
struct Tool {
    trial: Box<dyn Trial>,
    recorder: Recorder,
    timed: bool,
}

impl Work for Tool {
    fn ready(&mut self, batch: usize) {
        if self.timed {
            self.trial.verify().expect("the results must be correct");
        }
        self.trial.setup(batch).expect("cannot set up the trial");
    }

    fn run(&mut self, batch: usize) {
        self.trial.routine(batch, &mut self.recorder).expect("cannot run the trial");
        self.timed = true;
    }
}
