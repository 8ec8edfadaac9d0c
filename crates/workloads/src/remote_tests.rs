//! Tests workers that return right digests, wrong digests, a wrong number of answers, or verdicts on their own
//! functions. Also tests the bundled workers, if they are built.

use crate::testing::{SEED, sample};
use crate::{CaseOptions, NULL, Registry, answers};
use pqlab_foreign::LibrarySpec;
use pqlab_foreign::process::{Limits, Program, open};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder, TrialSource};
use pqlab_primitives::Provider;
use pqlab_record::{Case, State};
use pqlab_testing::{Need, ODD_WORKER, not_run, program, require};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

fn odd(mode: &str) -> Provider {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("worker.py");
    fs::write(&script, ODD_WORKER).unwrap();
    let limits = Limits { hello: Duration::from_secs(10), answer: Duration::from_secs(60), now: monotonic_ns };
    let arguments = vec![script.display().to_string(), mode.to_owned()];
    open(Program::new("odd", "python3".into(), arguments, limits)).unwrap().0
}

fn registry(provider: Provider) -> Registry {
    let mut providers = pqlab_providers::providers();
    providers.push(provider.into());
    Registry::new(providers)
}

fn cases_of(registry: &Registry, provider: &str) -> Vec<Case> {
    let of = |half: &str| half == provider;
    registry.cases(&CaseOptions::default()).into_iter().filter(|case| case.provider.split('+').any(of)).collect()
}

/// Takes a few samples of the provider's first digest case, as a worker process does.
fn samples(mode: &str) -> Result<Vec<u64>, Fault> {
    let registry = registry(odd(mode));
    let case = cases_of(&registry, "odd").into_iter().find(|case| case.operation == "digest").unwrap();
    let mut trial = registry.prepare(&case, SEED)?;
    assert!(trial.demands().own_time && trial.demands().shortest_sample_ns > 0);
    (1..=20).map(|batch| sample(trial.as_mut(), batch).map(|_| trial.own_ns().unwrap())).collect()
}

#[test]
fn operations_timed_elsewhere_have_right_answers_and_their_own_time() {
    require!(program("python3"), Need::Installed("Python"));
    let begun = monotonic_ns();
    let own = samples("right").unwrap();
    assert!(own.iter().all(|ns| *ns < monotonic_ns() - begun));
}

#[test]
fn a_wrong_answer_of_another_process_is_a_fault() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("wrong", "a different digest"),
        ("zero", "a different digest"),
        ("few", "the answers do not match the input sets of the visit"),
    ] {
        match samples(mode) {
            Err(fault) => assert!(fault.to_string().contains(words), "{mode}: {fault}"),
            other => panic!("{mode}: {other:?}"),
        }
    }
}

#[test]
fn only_operations_timed_by_the_worker_and_its_floor_have_cases() {
    require!(program("python3"), Need::Installed("Python"));
    let registry = registry(odd("right"));
    let operations: BTreeSet<(String, String)> =
        cases_of(&registry, "odd").into_iter().map(|case| (case.workload, case.operation)).collect();
    let expected = [("floor", "null"), ("hash", "digest")];
    assert_eq!(operations, expected.map(|(workload, operation)| (workload.to_owned(), operation.to_owned())).into());
    let floor = cases_of(&registry, "odd").into_iter().find(|case| case.is_overhead()).unwrap();
    let mut trial = registry.prepare(&floor, SEED).unwrap();
    sample(trial.as_mut(), 100).unwrap();
}

#[test]
fn the_workers_verdict_on_its_functions_decides() {
    require!(program("python3"), Need::Installed("Python"));
    let registry = registry(odd("functions"));
    let mut outcomes = Vec::new();
    for case in cases_of(&registry, "odd").into_iter().filter(|case| case.workload == "function") {
        let mut trial = registry.prepare(&case, SEED).unwrap();
        outcomes.push((case.id(), sample(trial.as_mut(), 5).err().map(|fault| fault.to_string())));
    }
    let wrong = |text: &str| Some(format!("wrong answer: {text}"));
    let expected = [
        ("function/right/call@odd", None),
        ("function/unchecked/call[answers=unchecked]@odd", None),
        ("function/wrong/call@odd", wrong("it is too long")),
        ("function/silent/call@odd", wrong("unchecked")),
    ];
    assert_eq!(outcomes, expected.map(|(id, fault)| (id.to_owned(), fault)));
}

#[test]
fn a_trial_before_its_first_visit_is_void() {
    require!(program("python3"), Need::Installed("Python"));
    let registry = registry(odd("right"));
    let case = cases_of(&registry, "odd").into_iter().find(|case| case.operation == "digest").unwrap();
    let mut trial = registry.prepare_first_call(&case, SEED).unwrap();
    assert!(crate::testing::is_void(trial.as_mut(), 1));
    trial.routine(1, &mut Recorder::default()).unwrap();
    trial.verify().unwrap();
}

/// Checks every worker built by `make workers`: known answers for each kind of algorithm, and the answers of every
/// operation.
#[test]
fn the_bundled_workers_give_right_answers() {
    let chosen = ["ML-KEM-768", "X25519", "ML-DSA-65", "Ed25519", "SHA3-256"];
    let linked = pqlab_providers::providers();
    for name in ["go", "go-std", "java", "jdk", "javascript", "node", "python", "c"] {
        let Ok(program) = LibrarySpec::worker(name).map(|spec| Program::find(&spec, monotonic_ns)).unwrap() else {
            not_run(Need::Workers);
            continue;
        };
        let (provider, _) = open(program).unwrap_or_else(|error| panic!("{error}"));
        for algorithm in chosen {
            answers::check(&provider, &linked, algorithm)
                .unwrap_or_else(|fault| panic!("{name}: {algorithm}: {fault}"));
        }
        let registry = registry(Provider { library: name.into(), ..provider });
        let mut tried = BTreeSet::new();
        for case in cases_of(&registry, name) {
            let algorithm = case.algorithm.as_str();
            if !(chosen.contains(&algorithm) || algorithm == NULL)
                || case.message_length().is_some_and(|length| length > 64)
            {
                continue;
            }
            let case = case.in_state(State::FirstCall);
            let mut trial =
                registry.prepare_first_call(&case, SEED).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
            for batch in [1, 3] {
                sample(trial.as_mut(), batch).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
            }
            tried.insert(format!("{} {}", case.algorithm, case.operation));
        }
        let exchange = ["X25519 keygen", "X25519 encapsulate", "X25519 decapsulate"];
        // Without liboqs, the C worker offers only the operation that does nothing.
        let expected: &[&str] = if name == "c" { &["null null"] } else { &exchange };
        assert!(expected.iter().all(|operation| tried.contains(*operation)), "{name}: {tried:?}");
    }
}
