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
    // Generating a pool of keys takes seconds for the small SLH-DSA parameter sets and for Falcon.
    for case in all.iter().filter(|case| !case.algorithm.contains("SLH-DSA") && !case.algorithm.contains("Falcon")) {
        let mut subject = match prepare(case, &providers, 1) {
            Ok(subject) => subject,
            Err(Fault::Unsupported(reason)) => {
                assert!(reason.contains("combined from"), "{case}: {reason}");
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

/// Returns, for each byte position, whether all inputs of a pool have the same byte there.
fn constant(pool: &[Vec<u8>]) -> Vec<bool> {
    (0..pool[0].len()).map(|byte| pool.iter().all(|input| input[byte] == pool[0][byte])).collect()
}

#[test]
fn secret_classes_differ_only_in_secrets_and_their_control_only_in_public_data() {
    let providers = pqlab_providers::providers();
    for (algorithm, varies, key) in [("ML-KEM-768", "key", 2400), ("ML-DSA-65", "seed", 4032)] {
        let all = cases(&providers);
        let subject_of = |role, varies| {
            let wanted = |case: &&LeakCase| {
                case.algorithm == algorithm
                    && case.provider == "rustcrypto"
                    && case.role == role
                    && case.varies == varies
            };
            prepare(all.iter().find(wanted).unwrap(), &providers, 1)
        };
        let Ok(secret) = subject_of(Role::Secret, "key") else { panic!("{algorithm}") };
        let is_secret = |byte: usize| secret.secret.iter().any(|range| range.contains(&byte));
        assert!(constant(&secret.pools[FIRST])[..key].iter().all(|&same| same));
        if secret.caveat.is_none() {
            let same = constant(&secret.pools[SECOND]);
            assert!((0..key).all(|byte| same[byte] != is_secret(byte)), "{algorithm}");
        }
        let Ok(public) = subject_of(Role::Public, varies) else { continue };
        let same = constant(&public.pools[SECOND]);
        assert!((0..key).filter(|&byte| is_secret(byte)).all(|byte| same[byte]), "{algorithm}");
    }
}

/// A rejected ciphertext decapsulates to SHAKE256(z || c) (FIPS 203, algorithm 18). The keys of a class must all accept
/// or all reject, and accepting classes must use the same matrix.
#[test]
fn classes_of_kem_keys_accept_every_ciphertext_or_reject_every_one() {
    let providers = pqlab_providers::providers();
    let shake256 = providers.iter().find_map(|provider| provider.xof("SHAKE256")).unwrap();
    let rustcrypto = providers.iter().find(|provider| provider.id() == "rustcrypto").unwrap();
    let mut seen = BTreeSet::new();
    for (algorithm, k) in [("ML-KEM-512", 2), ("ML-KEM-768", 3), ("ML-KEM-1024", 4)] {
        let kem = rustcrypto.kem(algorithm).unwrap();
        // Layout of the key (FIPS 203): dk_PKE || t || rho || H(ek) || z
        let (vector, length) = (384 * k, 768 * k + 96);
        let rho = 2 * vector..2 * vector + 32;
        let all = cases(&providers);
        let of_keys = |case: &&LeakCase| {
            case.algorithm == algorithm && case.provider == "rustcrypto" && case.varies.ends_with("key")
        };
        for case in all.iter().filter(of_keys) {
            let subject = prepare(case, &providers, 1).unwrap_or_else(|error| panic!("{case}: {error}"));
            let accepts = case.varies == "accepted-key";
            for input in subject.pools.iter().flatten() {
                let (key, ciphertext) = input.split_at(length);
                let (mut found, mut rejected) = ([0; 32], [0; 32]);
                let loaded = kem.load_decapsulation_key(pqlab_primitives::KeyEncoding::Expanded, key).unwrap();
                loaded.decapsulate(ciphertext, &mut found).unwrap();
                shake256.digest(&[&key[length - 32..], ciphertext].concat(), &mut rejected).unwrap();
                assert_eq!(found != rejected, accepts, "{case}");
            }
            if accepts {
                let (first, second) = (constant(&subject.pools[FIRST]), constant(&subject.pools[SECOND]));
                assert!(first[..length].iter().all(|&same| same), "{case}: the first class must be one key");
                assert!(second[rho.clone()].iter().all(|&same| same), "{case}: the matrix must not change");
                // Coefficients that are zero in one key are zero in all keys, so a few bytes may
                // stay equal.
                let secrets = second[..vector].iter().filter(|&&same| same).count();
                assert!(secrets < vector / 50, "{case}: {secrets} bytes of the secret do not change");
                assert_eq!(subject.pools[FIRST][0][rho.clone()], subject.pools[SECOND][0][rho.clone()], "{case}");
            }
            seen.insert((case.role.name(), case.varies));
        }
    }
    let wanted = [("public", "key"), ("secret", "accepted-key"), ("secret", "key")];
    assert!(seen.into_iter().eq(wanted));
}

#[test]
fn compares_one_accepted_ciphertext_with_many() {
    let providers = pqlab_providers::providers();
    let all = cases(&providers);
    let of_ciphertexts = |case: &&LeakCase| case.varies == "accepted-ciphertext" && case.algorithm == "ML-KEM-768";
    let mut tried = 0;
    for case in all.iter().filter(of_ciphertexts) {
        let subject = prepare(case, &providers, 1).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(subject.pools[..SECOND].iter().flatten().all(|input| *input == subject.pools[FIRST][0]), "{case}");
        let many: BTreeSet<&Vec<u8>> = subject.pools[SECOND].iter().collect();
        assert!(many.len() == subject.pools[SECOND].len() && subject.caveat.is_some(), "{case}");
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

#[test]
fn seeds_give_the_same_inputs() {
    let case = built_in::cases().remove(2);
    let pools = |seed| prepare(&case, &[], seed).map(|subject| subject.pools).ok();
    assert!(pools(1).is_some() && pools(1) == pools(1) && pools(1) != pools(2));
}
