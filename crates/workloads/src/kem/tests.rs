use super::*;
use crate::Keys;
use crate::testing::{SEED, is_void, prepared, sample};

fn cases(options: &CaseOptions) -> (Vec<Arc<Provider>>, Vec<Case>) {
    let providers = pqlab_providers::providers();
    let cases = KemWorkload.cases(&providers, options);
    (providers, cases)
}

fn everything() -> CaseOptions {
    CaseOptions { coins: CoinSource::ALL.to_vec(), keys: vec![Keys::Pool, Keys::Number(1)], ..CaseOptions::default() }
}

#[test]
fn every_supported_encoding_has_a_case_with_its_length() {
    let (_, cases) = cases(&CaseOptions::default());
    let find = |id: &str| cases.iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("{id} is missing"));
    for (encoding, length) in [("seed", 64), ("expanded", 2400)] {
        for operation in ["keygen", "decapsulate"] {
            let case = find(&format!("kem/ML-KEM-768/{operation}[encoded,key={encoding}]@rustcrypto"));
            assert_eq!(case.facts.sizes.secret_key, Some(length));
            assert_eq!(case.block, format!("kem/{operation}/encoded,key={encoding}"));
        }
    }
    assert_eq!(find("kem/X25519/decapsulate[encoded,key=scalar]@rustcrypto").facts.sizes.secret_key, Some(32));
    assert_eq!(find("kem/ML-KEM-768/encapsulate[encoded]@rustcrypto").key(), None, "the id must not name an encoding");
    assert!(cases.iter().all(|case| case.coins() != Some(CoinSource::Exact) && case.keys().is_none()));
    for case in cases.iter().filter(|case| case.provider != crate::NULL) {
        assert_eq!(case.facts.generator.is_some(), case.operation != "decapsulate", "{}", case.id());
    }
}

#[test]
fn every_kind_of_every_provider_runs_and_is_right() {
    let (providers, cases) = cases(&everything());
    for case in &cases {
        let mut trial = prepared(&KemWorkload, case, &providers);
        sample(trial.as_mut(), 3).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
        if (case.operation.as_str(), case.form) != ("keygen", Some(Form::Encoded)) {
            assert!(is_void(trial.as_mut(), 3), "{}: missing operations must be detected", case.id());
        }
    }
    let has = |id: &str| assert!(cases.iter().any(|case| case.id() == id), "{id}");
    has("kem/ML-KEM-768/keygen[coins=exact]@rustcrypto");
    has("kem/ML-KEM-768/encapsulate[coins=exact,keys=1]@rustcrypto");
    has("kem/ML-KEM-768/decapsulate[keys=1]@rustcrypto");
}

#[test]
fn measures_only_the_requested_cases() {
    let exact = CaseOptions { coins: vec![CoinSource::Exact], ..CaseOptions::default() };
    let (_, given) = cases(&exact);
    assert!(!given.is_empty() && given.iter().all(|case| case.coins() == Some(CoinSource::Exact)));
    let one = CaseOptions { keys: vec![Keys::Number(1)], ..CaseOptions::default() };
    let (_, single) = cases(&one);
    assert!(!single.is_empty() && single.iter().all(|case| case.keys() == Some(1) && case.operation != "keygen"));
}

#[test]
fn rejects_encodings_that_the_library_does_not_load() {
    let (providers, cases) = cases(&CaseOptions::default());
    for case in cases.iter().filter(|case| case.provider == "rustcrypto" && case.key() == Some("seed")) {
        let unknown = case.clone().with_key("der");
        let mut unnamed = case.clone();
        unnamed.parameters.clear();
        for case in [unknown, unnamed] {
            assert!(matches!(KemWorkload.prepare(&case, &providers, SEED), Err(Fault::Unsupported(_))));
        }
    }
}
