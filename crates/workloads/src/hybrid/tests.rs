use super::*;
use crate::kem::Handshake;
use crate::testing::{SEED, is_void, prepared, right, sample};
use pqlab_harness::Recorder;
use std::collections::BTreeSet;

fn cases() -> (Vec<Arc<Provider>>, Vec<Case>) {
    let providers = pqlab_providers::providers();
    let cases = HybridWorkload.cases(&providers, &CaseOptions::default());
    (providers, cases)
}

#[test]
fn every_case_runs_and_is_right() {
    let (providers, cases) = cases();
    assert!(cases.len() > 40, "{} cases", cases.len());
    for case in &cases {
        right(&HybridWorkload, case, &providers, &[3]);
    }
}

#[test]
fn an_output_that_was_not_written_is_a_wrong_answer() {
    let (providers, cases) = cases();
    for operation in ["keygen", "encapsulate", "decapsulate", "handshake", "sign", "cycle"] {
        let case = cases.iter().find(|case| case.operation == operation && case.provider.contains('+')).unwrap();
        assert!(is_void(prepared(&HybridWorkload, case, &providers).as_mut(), 1), "{operation}");
    }
}

#[test]
fn standard_keys_have_a_fingerprint_per_classical_half() {
    let (providers, cases) = cases();
    let fingerprints: Vec<&Case> = cases.iter().filter(|case| case.operation == FINGERPRINT).collect();
    let algorithms: BTreeSet<&str> = fingerprints.iter().map(|case| case.algorithm.as_str()).collect();
    assert_eq!(algorithms, BTreeSet::from(["X-Wing", "MLKEM768-X25519-SHA3-256", "MLDSA65-Ed25519-SHA512"]));
    for (place, case) in fingerprints.iter().enumerate() {
        let classical = Pair::new(case).classical;
        let twice = |other: &&Case| other.algorithm == case.algorithm && Pair::new(other).classical == classical;
        assert!(!fingerprints[..place].iter().copied().any(|other| twice(&other)), "{}", case.id());
        assert_eq!(case.facts.category, Some(3), "{}", case.id());
        assert!(is_void(prepared(&HybridWorkload, case, &providers).as_mut(), 1), "{}", case.id());
    }
}

#[test]
fn loads_of_all_hybrid_kems_share_a_block() {
    let providers = pqlab_providers::providers();
    let options = CaseOptions { tasks: Some(vec![3, 100]), workers: Some(2), ..CaseOptions::default() };
    let cases = HybridWorkload.cases(&providers, &options);
    let loads: Vec<&Case> = cases.iter().filter(|case| case.operation == "handshake-load").collect();
    for algorithm in HYBRID_KEMS {
        let id = format!("hybrid/{algorithm}/handshake-load[tasks=100,workers=2]@rustcrypto");
        assert!(loads.iter().any(|case| case.id() == id), "{id}");
    }
    assert!(loads.iter().all(|case| case.block == loads[0].block));
    assert!(loads.iter().all(|case| HYBRID_KEMS.contains(&case.algorithm.as_str())));
    let usual = HybridWorkload.cases(&providers, &CaseOptions { workers: Some(2), ..CaseOptions::default() });
    let tasks = usual.iter().filter(|case| case.algorithm == "X-Wing" && case.provider == "rustcrypto");
    assert_eq!(tasks.filter_map(|case| case.tasks()).collect::<Vec<_>>(), [100, 500, 1_000, 5_000]);
}

#[test]
fn a_load_performs_every_handshake_and_detects_a_wrong_one() {
    let providers = pqlab_providers::providers();
    let options = CaseOptions { tasks: Some(vec![7]), workers: Some(2), ..CaseOptions::default() };
    let cases = HybridWorkload.cases(&providers, &options);
    let case = cases.iter().find(|case| case.operation == "handshake-load" && case.provider == "rustcrypto").unwrap();
    let mut trial = prepared(&HybridWorkload, case, &providers);
    assert_eq!(trial.batch(), Some(7));
    let noted = sample(trial.as_mut(), 7).unwrap();
    assert!(noted.iter().any(|(name, _)| name == "queueing_p95_ns"));
    // This task performs no handshake, so its secrets stay unchanged.
    struct Idle(Handshake);
    impl Trial for Idle {
        fn setup(&mut self, batch: usize) -> Result<(), Fault> {
            self.0.setup(batch)
        }
        fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
            Ok(())
        }
        fn verify(&mut self) -> Result<(), Fault> {
            self.0.verify()
        }
    }
    let kem = hybrid_kem("X-Wing", &Pair::new(case), &providers).unwrap();
    let idle = || Ok(Box::new(Idle(Handshake::new(Arc::clone(&kem), None, false))) as _);
    let mut trial = scaling::prepare(case, SEED, idle).unwrap();
    assert!(matches!(sample(trial.as_mut(), 7), Err(Fault::WrongAnswer(_))));
}

#[test]
fn the_halves_of_every_hybrid_are_in_its_block() {
    let (_, cases) = cases();
    let compared = |case: &&Case| {
        // Operations with hedged signatures are not compared with halves.
        let hedged = case.block.ends_with("/hedged");
        ["X-Wing", CompositeSignature::ALGORITHM].contains(&case.algorithm.as_str())
            && !scaling::concerns(case)
            && case.operation != FINGERPRINT
            && !hedged
    };
    for case in cases.iter().filter(compared) {
        let pair = Pair::new(case);
        let names = if case.algorithm == "X-Wing" { [X25519, ML_KEM] } else { [ED25519, ML_DSA] };
        for (algorithm, provider) in names.into_iter().zip([&pair.classical, &pair.post_quantum]) {
            let beside = cases
                .iter()
                .any(|half| half.algorithm == algorithm && half.provider == *provider && half.block == case.block);
            assert!(beside, "{} has no {algorithm}@{provider} in its block", case.id());
        }
    }
}

#[test]
fn checks_known_answers_of_the_providers_that_do_the_work() {
    let (providers, cases) = cases();
    for case in &cases {
        for (provider, algorithm) in HybridWorkload.primitives(case) {
            let found = providers.iter().find(|candidate| candidate.id() == provider).unwrap();
            assert!(found.algorithms().contains(&algorithm), "{}: {provider} has no {algorithm}", case.id());
        }
    }
}
