use super::*;
use pqlab_harness::leak::{FIRST, SECOND};
use std::collections::BTreeSet;

#[test]
fn every_case_can_be_prepared_and_called() {
    let providers = pqlab_providers::providers();
    let all = cases(&providers);
    let ids: BTreeSet<String> = all.iter().map(LeakCase::to_string).collect();
    assert_eq!(ids.len(), all.len());
    assert!(ids.contains("kem/ML-KEM-768/decapsulate[secret=key]@rustcrypto"), "{ids:?}");
    let mut called = 0;
    // The small SLH-DSA sets and Falcon take seconds for a pool of keys.
    for case in all.iter().filter(|case| !case.algorithm.contains("SLH-DSA") && !case.algorithm.contains("Falcon")) {
        let mut subject = match prepare(case, &providers, 1) {
            Ok(subject) => subject,
            Err(Fault::Unsupported(reason)) => {
                assert!(reason.contains("put together"), "{case}: {reason}");
                continue;
            }
            Err(error) => panic!("{case}: {error}"),
        };
        let lengths: BTreeSet<usize> = subject.pools.iter().flatten().map(Vec::len).collect();
        assert_eq!(lengths.len(), 1, "{case}");
        assert!(subject.secret.iter().all(|range| Some(&range.end) <= lengths.last()), "{case}");
        for group in [FIRST, SECOND] {
            for input in &subject.pools[group] {
                subject.target.load(input).unwrap_or_else(|error| panic!("{case}: {error}"));
                subject.target.call().unwrap_or_else(|error| panic!("{case}: {error}"));
            }
        }
        called += 1;
    }
    assert!(called > 15, "{called}");
}

/// Bytes in which no two inputs of a pool differ.
fn constant(pool: &[Vec<u8>]) -> Vec<bool> {
    (0..pool[0].len()).map(|byte| pool.iter().all(|input| input[byte] == pool[0][byte])).collect()
}

#[test]
fn classes_of_keys_differ_in_the_secret_alone_and_their_control_in_public_data_alone() {
    let providers = pqlab_providers::providers();
    for (algorithm, varies, key) in [("ML-KEM-768", "key", 2400), ("ML-DSA-65", "seed", 4032)] {
        let all = cases(&providers);
        let of = |role, varies| {
            let wanted = |case: &&LeakCase| {
                case.algorithm == algorithm
                    && case.provider == "rustcrypto"
                    && case.role == role
                    && case.varies == varies
            };
            prepare(all.iter().find(wanted).unwrap(), &providers, 1)
        };
        let Ok(secret) = of(Role::Secret, "key") else { panic!("{algorithm}") };
        let is_secret = |byte: usize| secret.secret.iter().any(|range| range.contains(&byte));
        assert!(constant(&secret.pools[FIRST])[..key].iter().all(|&same| same));
        if secret.caveat.is_none() {
            let same = constant(&secret.pools[SECOND]);
            assert!((0..key).all(|byte| same[byte] != is_secret(byte)), "{algorithm}");
        }
        let Ok(public) = of(Role::Public, varies) else { continue };
        let same = constant(&public.pools[SECOND]);
        assert!((0..key).filter(|&byte| is_secret(byte)).all(|byte| same[byte]), "{algorithm}");
    }
}

#[test]
fn seeds_give_the_same_inputs() {
    let case = built_in::cases().remove(2);
    let pools = |seed| prepare(&case, &[], seed).map(|subject| subject.pools).ok();
    assert!(pools(1).is_some() && pools(1) == pools(1) && pools(1) != pools(2));
}
