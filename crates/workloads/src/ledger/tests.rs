use super::*;
use crate::testing::{prepared, right};

fn providers() -> Vec<Arc<Provider>> {
    pqlab_providers::providers()
}

fn options() -> CaseOptions {
    CaseOptions {
        blocks: Some(vec![1, 60]),
        senders: vec![Senders::All, Senders::Number(1), Senders::Percent(10.0)],
        invalid_pct: Some(10.0),
        threads: Some(vec![1, 2]),
        at_once: Some(vec![1, 7, 100]),
        ..CaseOptions::default()
    }
}

#[test]
fn every_case_runs_and_rejects_exactly_the_bad() {
    let (providers, workload) = (providers(), LedgerWorkload::default());
    let many = CaseOptions { blocks: Some(vec![20]), senders: Vec::new(), ..options() };
    let mut cases = workload.cases(&providers, &many);
    assert!(cases.iter().any(|case| case.algorithm == "TXv1-ML-DSA-65"));
    assert!(cases.iter().any(|case| case.algorithm == "MLDSA65-Ed25519-SHA512"));
    let also =
        |case: &Case| case.algorithm == "Ed25519" || case.library() == "mldsa-batch" && case.algorithm == "ML-DSA-44";
    cases.extend(workload.cases(&providers, &options()).into_iter().filter(also));
    for case in &cases {
        right(&workload, case, &providers, &[1, 2]);
    }
}

#[test]
fn ids_tell_cases_apart() {
    let providers = providers();
    for options in [CaseOptions::default(), options()] {
        let cases = LedgerWorkload::default().cases(&providers, &options);
        let ids: std::collections::HashSet<String> = cases.iter().map(Case::id).collect();
        assert_eq!(ids.len(), cases.len());
    }
    let ids: Vec<String> =
        LedgerWorkload::default().cases(&providers, &CaseOptions::default()).iter().map(Case::id).collect();
    for id in [
        "ledger/ML-DSA-65/verify-block[tx=100,senders=100,regime=compute]@rustcrypto",
        "ledger/ML-DSA-65/verify-block[encoded,tx=100000,senders=1000,regime=disk]@rustcrypto",
        "ledger/TXv1-ML-DSA-65/verify-block[encoded,tx=100,senders=1,regime=compute]@rustcrypto",
        "ledger/Ed25519/decode@rustcrypto",
        "ledger/ML-DSA-65/verify[encoded]@mldsa-batch:portable",
        "ledger/ML-DSA-65/verify-block[encoded,tx=100,senders=1,regime=ram,batch=100]@mldsa-batch:portable",
        "ledger/TXv1-ML-DSA-65/verify-block[tx=1,senders=1,regime=disk,batch=1]@mldsa-batch:portable",
    ] {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
    // A provider that only verifies has no cases for signing or decoding. A verifier that does not
    // report the validity of each signature has no cases for blocks in batches.
    assert!(!ids.iter().any(|id| id.contains("/sign@mldsa-batch") || id.contains("/decode@mldsa-batch")));
    assert!(!ids.iter().any(|id| id.contains("batch=") && !id.contains("@mldsa-batch")));
}

#[test]
fn voids_a_block_with_unexpected_rejections() {
    let (providers, workload) = (providers(), LedgerWorkload::default());
    let options = CaseOptions { blocks: Some(vec![20]), invalid_pct: Some(10.0), ..CaseOptions::default() };
    let cases = workload.cases(&providers, &options);
    let case = cases.iter().find(|case| case.algorithm == "Ed25519" && case.operation == "verify-block").unwrap();
    let mut trial = prepared(&workload, case, &providers);
    trial.setup(1).unwrap();
    // Nothing was rejected, because nothing was verified.
    assert!(matches!(trial.verify(), Err(Fault::WrongAnswer(text)) if text.contains("0 of 20")));
}

#[test]
fn uses_the_requested_batches_up_to_the_block_size() {
    let batches = |blocks: &[u64], at_once: Option<Vec<u64>>| {
        let options = CaseOptions { blocks: Some(blocks.to_vec()), at_once, ..CaseOptions::default() };
        let cases = LedgerWorkload::default().cases(&providers(), &options).into_iter();
        let numbers: std::collections::BTreeSet<(u64, u64)> =
            cases.filter_map(|case| Some((case.transactions()?, case.batch_size()?))).collect();
        numbers.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(batches(&[1, 60, 200], None), [(1, 1), (60, 60), (200, 100)]);
    assert_eq!(batches(&[60, 200], Some(vec![8, 100, 1000])), [(60, 8), (200, 8), (200, 100)]);
}

#[test]
fn shares_of_senders_are_rounded_and_bounded() {
    assert_eq!(Senders::All.count(100, 1000), 100);
    assert_eq!(Senders::All.count(100, 32), 32);
    assert_eq!(Senders::Percent(10.0).count(100, 1000), 10);
    assert_eq!(Senders::Percent(0.1).count(100, 1000), 1);
    assert_eq!(Senders::Number(500).count(100, 1000), 100);
    assert_eq!(Senders::Number(0).count(100, 1000), 1);
}
