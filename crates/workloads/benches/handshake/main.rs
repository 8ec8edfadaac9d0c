//! Measures the overhead that pqlab adds to a TLS handshake in memory. Compares pqlab's timed trial ("tool") with a
//! bare loop over the same library with the same settings. Tool and bare loop alternate in one process. Neither time
//! includes freeing connections.
//!
//! Prints the time of a handshake for the tool and for the bare loop. Their difference is the tool's overhead. Also
//! prints the ratio of the times, with a 95% interval over processes. `outside` means that the two times differ by more
//! than 2%. `unclear` means that the interval includes a difference above 2%, but the estimate is smaller.
//!
//! If there are command-line arguments, runs only comparisons with names that contain every argument.

#![allow(clippy::print_stdout)]

mod by_openssl;
mod by_rustls;
#[path = "../../../providers/benches/interleaved/mod.rs"]
mod interleaved;

use interleaved::{Comparison, Found, PROCESSES, Side, Work};
use pqlab_harness::{Recorder, Seed, Trial, TrialSource};
use pqlab_tls::{Authentication, Config, Credentials, Group};
use pqlab_workloads::{CaseOptions, Registry};
use std::process::ExitCode;

/// Allowed relative difference between the tool and the bare loop.
const LIMIT: f64 = 0.02;
/// Number of handshakes per round. A round needs several, because an ML-DSA signature takes a random number of
/// attempts.
const BATCH: usize = 4;
/// Time at which certificates are verified, in seconds since 1970. The tool uses the same time.
const NOW: u64 = 1_800_000_000;

const SUITES: [(Group, Authentication); 2] =
    [(Group::X25519, Authentication::EcdsaP256), (Group::X25519MlKem768, Authentication::MlDsa65)];
/// TLS implementations, each with the provider of its primitives.
const LIBRARIES: [(&str, &str); 2] = [("rustls", "aws-lc"), ("openssl", "openssl")];

fn main() -> ExitCode {
    let all = SUITES.into_iter().flat_map(|suite| LIBRARIES.map(|library| (suite, library)));
    let all: Vec<_> =
        all.map(|((group, signature), library)| (id(group, signature, library.0), group, signature, library)).collect();
    if let Some(name) = interleaved::requested() {
        let (id, group, signature, library) = all.into_iter().find(|one| one.0 == name).expect("unknown handshake");
        interleaved::answer(comparison(&id, group, signature, library));
        return ExitCode::SUCCESS;
    }
    let words = interleaved::words();
    println!(
        "{:<64} {:>10} {:>10} {:>9}   95% interval, {PROCESSES} processes or more",
        "", "tool", "bare", "overhead"
    );
    let mut outside = false;
    for (id, ..) in all.iter().filter(|(id, ..)| words.iter().all(|word| id.contains(word))) {
        let mut found = interleaved::find(id, PROCESSES);
        if !mark(&found).is_empty() {
            found = interleaved::find(id, 8 * PROCESSES);
        }
        let (ratio, mark) = (found.ratio, mark(&found));
        let [tool, bare, own] = [found.first, found.second, found.difference.estimate].map(|ns| ns / 1e3);
        let interval = format!("{:.4} [{:.4}, {:.4}]", ratio.estimate, ratio.low, ratio.high);
        println!("{id:<64} {tool:>7.1} us {bare:>7.1} us {own:>6.1} us   {interval} {mark}");
        outside |= mark == "outside";
    }
    if outside { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn mark(found: &Found) -> &'static str {
    let is_within = |ratio: f64| (1.0 - LIMIT..=1.0 + LIMIT).contains(&ratio);
    match (is_within(found.ratio.estimate), is_within(found.ratio.low) && is_within(found.ratio.high)) {
        (false, _) => "outside",
        (true, false) => "unclear",
        (true, true) => "",
    }
}

fn id(group: Group, signature: Authentication, implementation: &str) -> String {
    format!("tls/{}/handshake[auth={},chain=1]@{implementation}", group.name(), signature.name())
}

fn comparison(id: &str, group: Group, signature: Authentication, library: (&str, &str)) -> Comparison {
    let registry = Registry::new(pqlab_providers::providers());
    let config = Config { intermediates: 1, ..Config::new(group, signature) };
    let maker = registry.providers().iter().find(|provider| provider.id() == library.1).expect("unknown provider");
    let scheme = maker.signature(signature.name()).expect("the provider must offer the signature scheme");
    let credentials = Credentials::make(&config, scheme.as_ref()).expect("cannot create the certificates");
    let bare: Side = match library.0 {
        "rustls" => Box::new(by_rustls::Bare::new(&config, &credentials)),
        _ => Box::new(by_openssl::Bare::new(&config, &credentials)),
    };
    let case = registry.cases(&CaseOptions::default()).into_iter().find(|case| case.id() == id).expect("unknown case");
    let trial = registry.prepare(&case, Seed { run: 1, process: 0 }).expect("cannot prepare the case");
    let tool = Tool { trial, recorder: Recorder::default(), timed: false };
    Comparison { batch: Some(BATCH), first: Box::new(tool), second: bare }
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
            self.trial.verify().expect("the handshakes must be correct");
        }
        self.trial.setup(batch).expect("cannot set up the trial");
    }

    fn run(&mut self, batch: usize) {
        self.trial.routine(batch, &mut self.recorder).expect("cannot perform the handshakes");
        self.timed = true;
    }
}
