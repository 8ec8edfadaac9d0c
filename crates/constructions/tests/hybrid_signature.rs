//! Tests hybrid signatures with published vectors and corrupted inputs.

#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod common;

use common::{base64_field, hash, read_json, signatures};
use pqlab_constructions::hybrid_signature::Message;
use pqlab_constructions::{CompositeSignature, ReferenceSignature};
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme};
use pqlab_testing::{Need, require};
use pqlab_verification::vectors_root;
use std::sync::Arc;

fn composites() -> Vec<(String, CompositeSignature)> {
    let (_, classical) = signatures("Ed25519").remove(0);
    let post_quantum = signatures("ML-DSA-65").into_iter();
    post_quantum
        .map(|(id, scheme)| (id, CompositeSignature::new(Arc::clone(&classical), scheme, hash("SHA-512")).unwrap()))
        .collect()
}

fn reference() -> ReferenceSignature {
    ReferenceSignature::new(signatures("Ed25519").remove(0).1, signatures("ML-DSA-65").remove(0).1).unwrap()
}

/// Returns the reason for skipping the vectors of a composite signature.
fn unsupported(id: &str) -> &'static str {
    match id {
        _ if id.contains("RSA") => "RSA halves are not implemented",
        _ if id.contains("brainpool") => "brainpool curves are not implemented",
        _ if id.contains("Ed448") => "no provider offers Ed448",
        _ if id.contains("ECDSA") => "ECDSA halves are not implemented",
        "id-MLDSA44-Ed25519-SHA512" => "only the composite at category 3 is implemented",
        other => panic!("{other} must be tested or listed as unsupported"),
    }
}

#[test]
fn verifies_the_published_composite_signatures() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-composite-sigs");
    let file = read_json(folder.join("testvectors.json"));
    let (message, context) = (base64_field(&file, "m"), base64_field(&file, "ctx"));
    let (mut passed, mut skipped) = (0, 0);
    for test in file["tests"].as_array().unwrap() {
        let id = test["tcId"].as_str().unwrap();
        let schemes: Vec<(String, Arc<dyn SignatureScheme>)> = match id {
            "id-ML-DSA-44" | "id-ML-DSA-65" | "id-ML-DSA-87" => signatures(&id[3..]),
            "id-MLDSA65-Ed25519-SHA512" => composites()
                .into_iter()
                .map(|(id, scheme)| (id, Arc::new(scheme) as Arc<dyn SignatureScheme>))
                .collect(),
            other => {
                eprintln!("unsupported: {other}: {}", unsupported(other));
                skipped += 1;
                continue;
            }
        };
        for (provider, scheme) in schemes {
            let public = base64_field(test, "pk");
            let verifier = scheme.load_verifying_key(&public).unwrap();
            let signer = match scheme.load_signing_key(KeyEncoding::Seed, &base64_field(test, "sk")) {
                // The file contains seeds, which some libraries cannot load.
                Err(Error::Unsupported(_)) => continue,
                key => key.unwrap(),
            };
            let mut derived = vec![0; public.len()];
            assert_eq!(signer.verifying_key().unwrap().encode(&mut derived).unwrap(), public.len());
            assert!(derived == public, "{id}@{provider}: the seeds must yield the published key");
            for (context, field) in [(&[][..], "s"), (&context[..], "sWithContext")] {
                let signature = base64_field(test, field);
                assert_eq!(verifier.verify(context, &message, &signature), Ok(()), "{id}@{provider} {field}");
                let mut ours = vec![0; scheme.info().parameters.signature];
                signer.sign(context, &message, Coins::Internal, &mut ours).unwrap();
                assert_eq!(verifier.verify(context, &message, &ours), Ok(()));
            }
            passed += 1;
        }
    }
    assert!(passed > 0 && skipped == 17, "{passed} passed, {skipped} unsupported");
}

#[test]
fn message_representative_matches_the_draft() {
    let sha512 = hash("SHA-512");
    let message: Vec<u8> = (0..10).collect();
    let context = hex::decode("0813061205162623").unwrap();
    let representative = Message::new(sha512.as_ref(), &context, &message).unwrap();
    let digest = hex::decode(concat!(
        "0f89ee1fcb7b0a4f7809d1267a029719004c5a5e5ec323a7c3523a20974f9a3f",
        "202f56fadba4cd9e8d654ab9f2e96dc5c795ea176fa20ede8d854c342f903533"
    ))
    .unwrap();
    let expected =
        [b"CompositeAlgorithmSignatures2025COMPSIG-MLDSA65-Ed25519-SHA512".as_slice(), &[8], &context, &digest];
    assert_eq!(representative.as_bytes(), expected.concat());
    let longest = [0; 255];
    assert_eq!(Message::new(sha512.as_ref(), &longest, b"").unwrap().as_bytes().len(), 32 + 30 + 1 + 255 + 64);
    let too_long = Message::new(sha512.as_ref(), &[0; 256], b"").map(|_| ());
    assert_eq!(too_long, Err(Error::Length { what: "context", expected: 255, actual: 256 }));
}

#[test]
fn rejects_bit_flips_and_wrong_lengths() {
    let composite: Arc<dyn SignatureScheme> = Arc::new(composites().remove(0).1);
    for scheme in [composite, Arc::new(reference())] {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifier = key.verifying_key().unwrap();
        let mut signature = vec![0; scheme.info().parameters.signature];
        assert_eq!(key.sign(&[], b"message", Coins::Internal, &mut signature).unwrap(), signature.len());
        assert_eq!(verifier.verify(&[], b"message", &signature), Ok(()));
        for bit in 0..signature.len() * 8 {
            signature[bit / 8] ^= 1 << (bit % 8);
            assert!(verifier.verify(&[], b"message", &signature).is_err(), "verification must depend on bit {bit}");
            signature[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..signature.len() {
            assert_eq!(verifier.verify(&[], b"message", &signature[..length]), Err(Error::VerificationFailed));
        }
        for byte in 0..=255 {
            let longer = [&signature[..], &[byte]].concat();
            assert_eq!(verifier.verify(&[], b"message", &longer), Err(Error::VerificationFailed));
        }
        assert!(verifier.verify(&[], b"massage", &signature).is_err());
        assert!(verifier.verify(b"context", b"message", &signature).is_err());
    }
}

#[test]
fn rejects_truncated_and_extended_keys() {
    let composite: Arc<dyn SignatureScheme> = Arc::new(composites().remove(0).1);
    for scheme in [composite, Arc::new(reference())] {
        let encoding = scheme.info().encodings[0];
        let parameters = &scheme.info().parameters;
        let mut public = vec![0; parameters.verifying_key];
        let mut private = vec![0; parameters.signing_key(encoding).unwrap()];
        let lengths = scheme.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        assert_eq!(lengths, (public.len(), private.len()));
        assert!(scheme.load_verifying_key(&public).is_ok() && scheme.load_signing_key(encoding, &private).is_ok());
        for length in 0..public.len() {
            assert!(scheme.load_verifying_key(&public[..length]).is_err());
        }
        for length in 0..private.len() {
            assert!(scheme.load_signing_key(encoding, &private[..length]).is_err());
        }
        assert!(scheme.load_verifying_key(&[&public[..], &[0]].concat()).is_err());
        assert!(scheme.load_signing_key(encoding, &[&private[..], &[0]].concat()).is_err());
    }
}

#[test]
fn keys_round_trip_for_every_pair_of_libraries() {
    let (_, classical) = signatures("Ed25519").remove(0);
    for (id, post_quantum) in signatures("ML-DSA-65") {
        let composite = CompositeSignature::new(Arc::clone(&classical), Arc::clone(&post_quantum), hash("SHA-512"));
        let reference = ReferenceSignature::new(Arc::clone(&classical), post_quantum);
        let schemes: [Box<dyn SignatureScheme>; 2] = [Box::new(composite.unwrap()), Box::new(reference.unwrap())];
        for scheme in schemes {
            let coins: Vec<u8> = (0..64).collect();
            let key = match scheme.generate(Coins::Exact(&coins)) {
                // The encoding consists of seeds, and some libraries cannot generate keys from seeds.
                Err(Error::Unsupported(_)) => continue,
                key => key.unwrap(),
            };
            let encoding = scheme.info().encodings[0];
            let mut encoded = vec![0; scheme.info().parameters.signing_key(encoding).unwrap()];
            key.encode(encoding, &mut encoded).unwrap();
            let again = scheme.load_signing_key(encoding, &encoded).unwrap();
            let length = scheme.info().parameters.signature;
            let (mut first, mut second) = (vec![0; length], vec![0; length]);
            // Sign deterministically. The composite then needs no coins, but the reference form needs `random`.
            let coins = [7; 32];
            let coins = if encoding == KeyEncoding::Cbor { Coins::Exact(&coins) } else { Coins::Exact(&[]) };
            key.sign(&[], b"m", coins, &mut first).unwrap();
            again.sign(&[], b"m", coins, &mut second).unwrap();
            assert!(first == second, "{id}: {} must repeat its signature", scheme.info().parameters.algorithm);
        }
    }
}

#[test]
fn rejects_parts_of_other_algorithms() {
    let classical = || signatures("Ed25519").remove(0).1;
    let post_quantum = || signatures("ML-DSA-65").remove(0).1;
    assert!(CompositeSignature::new(post_quantum(), post_quantum(), hash("SHA-512")).is_err());
    assert!(CompositeSignature::new(classical(), signatures("ML-DSA-44").remove(0).1, hash("SHA-512")).is_err());
    assert!(CompositeSignature::new(classical(), post_quantum(), hash("SHA-256")).is_err());
}
