//! Tests that pqlab detects a verification that accepts invalid signatures, wherever pqlab measures signatures: alone,
//! on several threads, as tasks of a thread pool, and in hybrids.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use pqlab_harness::{Fault, Recorder, Seed, TrialSource};
use pqlab_record::{Case, Form};
use pqlab_workloads::{CaseOptions, Registry};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs a few operations of the case and checks them. Returns the fault that this finds, if any.
fn fault(registry: &Registry, case: &Case) -> Option<Fault> {
    // Prepare as for a first call, which skips the known answers. Otherwise, the known answers would fail before the
    // trial.
    let prepared = registry.prepare_first_call(case, Seed { run: 1, process: 0 });
    let ended = prepared.and_then(|mut trial| {
        trial.setup(3)?;
        trial.routine(3, &mut Recorder::default())?;
        trial.verify()
    });
    ended.err()
}

fn signs(case: &Case) -> bool {
    case.facts.sizes.signature.is_some() && case.form == Some(Form::Prepared)
}

#[test]
fn wrong_acceptance_voids_every_case_that_signs_or_verifies() {
    let options =
        CaseOptions { threads: Some(vec![1, 2]), tasks: Some(vec![3]), workers: Some(2), ..CaseOptions::default() };
    // Trials pin the thread that they run on, so use one that ends with the test.
    let found = std::thread::spawn(move || {
        let mut found = BTreeSet::new();
        for provider in pqlab_misbehaving::credulous() {
            let accepted = match provider.library.as_str() {
                "accepts-any-signature" => "a signature with a bit flipped",
                "accepts-any-message" => "a different message",
                _ => "a signature under a different key",
            };
            let expected = Fault::WrongAnswer(format!("verification accepts {accepted}"));
            let registry = Registry::new(vec![Arc::new(provider)]);
            let areas = ["signature", "scaling", "hybrid"];
            let cases = registry.cases(&options);
            for case in cases.iter().filter(|case| areas.contains(&case.workload.as_str()) && signs(case)) {
                // In the reference form, a signature is a CBOR array. The flipped bit is in the
                // first byte, so decoding already fails.
                if case.algorithm.contains('+') && accepted.contains("bit") {
                    continue;
                }
                assert_eq!(fault(&registry, case), Some(expected.clone()), "{}", case.id());
                let parallel = case.threads().or(case.workers());
                found.insert((case.workload.clone(), case.operation.clone(), parallel, accepted));
            }
        }
        found
    });
    // Three libraries. Alone: key generation, signing and verification. In parallel: signing and
    // verification, each on one thread, on two threads and as tasks. In hybrids: the three
    // operations and a cycle.
    assert_eq!(found.join().unwrap().len(), 3 * (3 + 2 * 3 + 4));
}
