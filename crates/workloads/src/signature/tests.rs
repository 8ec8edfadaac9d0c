use super::messages::{MessageSet, SignSet};
use super::sizes::SIGNATURE_BYTES;
use super::*;
use crate::testing::{prepared, right, sample};
use pqlab_harness::Recorder;

fn cases(variants: &[Variant]) -> (Vec<Arc<Provider>>, Vec<Case>) {
    let providers = pqlab_providers::providers();
    let cases =
        SignatureWorkload.cases(&providers, &CaseOptions { variants: variants.to_vec(), ..CaseOptions::default() });
    (providers, cases)
}

#[test]
fn hedged_and_deterministic_signing_are_separate_cases() {
    let (_, plain) = cases(&[]);
    assert!(plain.iter().all(|case| !case.flag(DETERMINISTIC) && case.word(PREHASH).is_none()));
    let (_, both) = cases(&[Variant::Plain, Variant::Deterministic]);
    let ids: Vec<String> = both.iter().map(Case::id).collect();
    for id in
        ["signature/ML-DSA-65/sign[len=32]@rustcrypto", "signature/ML-DSA-65/sign[len=32,deterministic]@rustcrypto"]
    {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
    let deterministic: Vec<&Case> = both.iter().filter(|case| case.flag(DETERMINISTIC)).collect();
    assert!(deterministic.iter().all(|case| case.operation == "sign" && case.algorithm != "Ed25519"));
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "no two cases may share an id");
}

#[test]
fn every_variant_of_every_rust_provider_verifies() {
    let (providers, all) = cases(&[Variant::Deterministic, Variant::Prehash, Variant::Sizes]);
    let quick =
        all.iter().filter(|case| !case.algorithm.starts_with("SLH-DSA") || case.algorithm == "SLH-DSA-SHA2-128f");
    let mut count = 0;
    for case in quick {
        let mut trial = prepared(&SignatureWorkload, case, &providers);
        let noted = sample(trial.as_mut(), 3).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
        if case.operation == "signature-size" {
            assert_eq!((noted[0].0.as_str(), noted[0].1.len()), (SIGNATURE_BYTES, 3));
            let room = case.facts.sizes.signature.unwrap() as f64;
            assert!(noted[0].1.iter().all(|&length| length > 600.0 && length <= room), "{}: {noted:?}", case.id());
        }
        count += 1;
    }
    assert!(count > 10, "{count} cases");
}

#[test]
fn a_padded_signature_has_one_length() {
    let (providers, all) = cases(&[Variant::Sizes]);
    for case in all.iter().filter(|case| case.algorithm == "Falcon-padded-512") {
        let mut trial = prepared(&SignatureWorkload, case, &providers);
        let mut recorder = Recorder::default();
        for _ in 0..2 {
            trial.setup(4).unwrap();
            trial.routine(4, &mut recorder).unwrap();
        }
        trial.verify().unwrap();
        assert_eq!(recorder.take(), [(SIGNATURE_BYTES.to_owned(), vec![666.0; 8])]);
    }
}

#[test]
fn signs_a_message_set_as_a_whole_and_refuses_a_missing_one() {
    let (providers, all) = cases(&[Variant::Messages]);
    let able: Vec<&Case> = all.iter().filter(|case| case.provider == "rustcrypto").collect();
    assert_eq!(able.len(), 6, "two sets for each of three parameter sets");
    assert_eq!(able[0].id(), "signature/ML-DSA-44/sign[messages=cctv]@rustcrypto");
    let provider = find(&providers, "rustcrypto").unwrap();
    let scheme = provider.signature("ML-DSA-44").unwrap();
    let messages: Vec<String> = ["A", "B", "C"].map(str::to_owned).to_vec();
    let mut trial = SignSet::with_messages(scheme, messages).unwrap();
    assert_eq!(trial.batch(), Some(3));
    sample(&mut trial, 3).unwrap();
    trial.setup(3).unwrap();
    trial.routine(2, &mut Recorder::default()).unwrap();
    assert!(trial.verify().is_err(), "a set with a missing signature must be rejected");
    let nowhere = MessageSet::read(std::path::Path::new("/no/such/folder/ML-DSA-44.json"));
    assert!(matches!(nowhere, Err(Fault::Unsupported(_))));
}

#[test]
fn every_encoding_source_of_coins_and_number_of_keys_has_a_valid_case() {
    let providers = pqlab_providers::providers();
    let options = CaseOptions {
        coins: CoinSource::ALL.to_vec(),
        keys: vec![crate::Keys::Pool, crate::Keys::Number(1)],
        ..CaseOptions::default()
    };
    let cases = SignatureWorkload.cases(&providers, &options);
    let find = |id: &str| cases.iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("{id} is missing"));
    for (encoding, length) in [("seed", 32), ("expanded", 4032)] {
        for operation in ["keygen[encoded,key=", "sign[encoded,key="] {
            let close = if operation.starts_with("sign") { ",len=32]" } else { "]" };
            let case = find(&format!("signature/ML-DSA-65/{operation}{encoding}{close}@rustcrypto"));
            assert_eq!(case.facts.sizes.secret_key, Some(length));
        }
    }
    let plain = find("signature/ML-DSA-65/sign[len=32]@rustcrypto");
    assert_eq!((plain.block.as_str(), plain.coins()), ("signature/sign/32", Some(CoinSource::Internal)));
    assert_eq!(find("signature/ML-DSA-65/sign[len=32,coins=exact]@rustcrypto").block, "signature/sign/32/coins=exact");
    assert_eq!(find("signature/ML-DSA-65/verify[len=32,keys=1]@rustcrypto").block, "signature/verify/32");
    assert_eq!(find("signature/Ed25519/sign[len=32]@rustcrypto").coins(), None, "Ed25519 uses no randomness");
    let quick = ["ML-DSA-44", "ML-DSA-65", "Ed25519", "ECDSA-P-256", "SLH-DSA-SHA2-128f"];
    for case in cases.iter().filter(|case| quick.contains(&case.algorithm.as_str())) {
        right(&SignatureWorkload, case, &providers, &[2]);
    }
}

#[test]
fn own_arithmetic_needs_the_expected_number_of_attempts() {
    use pqlab_verification::ml_dsa::{Deviations, SecretKey, Set, mask_seed, message_representative, sign_counting};
    let (_, cases) = cases(&[Variant::Plain]);
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let case = cases.iter().find(|case| case.algorithm == algorithm && case.operation == "sign").unwrap();
        let (expected, set) = (case.expected_attempts().unwrap().number, Set::of(algorithm).unwrap());
        let key = SecretKey::from_seed(&set, &[1; 32]);
        let attempts = |number: u32| {
            let mu = message_representative(&key.tr, &[], &number.to_le_bytes());
            sign_counting(&set, &key, &mu, &mask_seed(&key, &[0; 32], &mu), &Deviations::default()).1
        };
        let (number, all) = (400, (0..400).map(attempts).sum::<usize>());
        let (mean, deviation) = (all as f64 / f64::from(number), (expected * (expected - 1.0)).sqrt());
        let errors = (mean - expected) / (deviation / f64::from(number).sqrt());
        assert!(errors.abs() < 4.0, "{algorithm}: {mean} attempts, expected {expected}");
    }
}
