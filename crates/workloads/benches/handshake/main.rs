//! Measures what the tool adds to a TLS handshake in memory. It compares the timed trial, through its setup and its
//! routine, with a bare loop over the same library with the same settings, interleaved in one process. Neither times
//! the freeing of connections.
//!
//! Prints the time of a handshake by either, the tool's own part of it, and the ratio with its 95% interval over
//! processes. The mark `outside` means that the tool is more than 2% above or below the bare loop, `unclear` that only
//! the interval reaches that far.
//!
//! Words on the command line select comparisons whose names contain all of them.

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

/// Allowed relative difference of the tool.
const LIMIT: f64 = 0.02;
/// Handshakes per round: ML-DSA signs in a random number of attempts.
const BATCH: usize = 4;
/// Time at which certificates are verified, in seconds since 1970. The same as the tool's.
const NOW: u64 = 1_800_000_000;

const SUITES: [(Group, Authentication); 2] =
    [(Group::X25519, Authentication::EcdsaP256), (Group::X25519MlKem768, Authentication::MlDsa65)];
/// Implementations, with the providers of their primitives.
const LIBRARIES: [(&str, &str); 2] = [("rustls", "aws-lc"), ("openssl", "openssl")];

fn main() -> ExitCode {
    let all = SUITES.into_iter().flat_map(|suite| LIBRARIES.map(|library| (suite, library)));
    let all: Vec<_> =
        all.map(|((group, signature), library)| (id(group, signature, library.0), group, signature, library)).collect();
    if let Some(name) = interleaved::asked() {
        let (id, group, signature, library) = all.into_iter().find(|one| one.0 == name).expect("a known handshake");
        interleaved::answer(comparison(&id, group, signature, library));
        return ExitCode::SUCCESS;
    }
    let words = interleaved::words();
    println!("{:<64} {:>10} {:>10} {:>9}   95% over {PROCESSES} processes or more", "", "tool", "bare", "tool's");
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
    let maker = registry.providers().iter().find(|provider| provider.id() == library.1).expect("it is built in");
    let scheme = maker.signature(signature.name()).expect("it has the signature");
    let credentials = Credentials::make(&config, scheme.as_ref()).expect("certificates are made");
    let bare: Side = match library.0 {
        "rustls" => Box::new(by_rustls::Bare::new(&config, &credentials)),
        _ => Box::new(by_openssl::Bare::new(&config, &credentials)),
    };
    let case = registry.cases(&CaseOptions::default()).into_iter().find(|case| case.id() == id).expect("a case");
    let trial = registry.prepare(&case, Seed { run: 1, process: 0 }).expect("it is prepared");
    let tool = Tool { trial, recorder: Recorder::default(), timed: false };
    Comparison { batch: Some(BATCH), first: Box::new(tool), second: bare }
}

/// The trial that a worker times.
struct Tool {
    trial: Box<dyn Trial>,
    recorder: Recorder,
    timed: bool,
}

impl Work for Tool {
    fn ready(&mut self, batch: usize) {
        if self.timed {
            self.trial.verify().expect("the handshakes are right");
        }
        self.trial.setup(batch).expect("it is set up");
    }

    fn run(&mut self, batch: usize) {
        self.trial.routine(batch, &mut self.recorder).expect("handshakes are performed");
        self.timed = true;
    }
}
