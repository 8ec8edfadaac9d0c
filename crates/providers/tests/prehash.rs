//! Checks the pre-hashed variants. Signatures must match a published test vector, providers must accept each other's
//! signatures, and a pre-hashed signature must not be accepted as a pure signature.

#![allow(clippy::unwrap_used)]

use pqlab_primitives::{Coins, Error, KeyEncoding, Prehash, SignatureScheme};
use pqlab_providers::providers;
use std::sync::Arc;

/// Values from "TEST abc" in RFC 8032, section 7.3.
const SEED: &str = "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42";
const PUBLIC: &str = "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf";
const SIGNATURE: &str = "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41\
                         31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406";

/// Whether this build contains all default libraries. With fewer libraries, there may be nothing to compare.
const WHOLE: bool = cfg!(all(feature = "c", feature = "rust"));

fn bytes(hexadecimal: &str) -> Vec<u8> {
    hex::decode(hexadecimal).unwrap()
}

fn schemes(prehash: Prehash, wanted: impl Fn(&str) -> bool) -> Vec<(String, Arc<dyn SignatureScheme>)> {
    let all = providers().into_iter().flat_map(|provider| {
        let id = provider.id();
        provider.signatures.clone().into_iter().map(move |scheme| (id.clone(), scheme))
    });
    all.filter(|(_, scheme)| wanted(&scheme.info().parameters.algorithm) && scheme.prehashes().contains(&prehash))
        .collect()
}

#[test]
fn ed25519ph_gives_the_published_signature() {
    let all = schemes(Prehash::Sha512, |algorithm| algorithm == "Ed25519");
    assert!(!all.is_empty() || !WHOLE);
    for (id, scheme) in all {
        let key = scheme.load_signing_key(KeyEncoding::Seed, &bytes(SEED)).unwrap();
        let verifier = scheme.load_verifying_key(&bytes(PUBLIC)).unwrap();
        // Sign twice, because the second signature reuses the context of the first.
        for _ in 0..2 {
            let mut signature = [0; 64];
            key.sign_prehashed(Prehash::Sha512, &[], b"abc", Coins::Internal, &mut signature).unwrap();
            assert_eq!(signature.to_vec(), bytes(SIGNATURE), "{id}");
            verifier.verify_prehashed(Prehash::Sha512, &[], b"abc", &signature).unwrap();
            assert!(
                verifier.verify_prehashed(Prehash::Sha512, b"x", b"abc", &signature).is_err(),
                "{id}: accepted a wrong context"
            );
            assert!(
                verifier.verify_prehashed(Prehash::Sha512, &[], b"xyz", &signature).is_err(),
                "{id}: accepted a wrong message"
            );
            assert!(verifier.verify(&[], b"abc", &signature).is_err(), "{id}: accepted as pure");
        }
        let unsupported = key.sign_prehashed(Prehash::Sha256, &[], b"abc", Coins::Internal, &mut [0; 64]);
        assert!(matches!(unsupported, Err(Error::Unsupported(_))), "{id}");
    }
}

#[test]
fn providers_accept_each_others_prehashed_signatures() {
    let quick = ["Ed25519", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "SLH-DSA-SHA2-128f", "SLH-DSA-SHAKE-128f"];
    let mut pairs = 0;
    for prehash in Prehash::ALL {
        for algorithm in quick {
            let all = schemes(prehash, |name| name == algorithm);
            for (signer_id, signer) in &all {
                let key = signer.generate(Coins::Internal).unwrap();
                let parameters = &signer.info().parameters;
                let (mut public, mut signature) = (vec![0; parameters.verifying_key], vec![0; parameters.signature]);
                key.verifying_key().unwrap().encode(&mut public).unwrap();
                let length =
                    key.sign_prehashed(prehash, b"context", b"message", Coins::Internal, &mut signature).unwrap();
                for (verifier_id, scheme) in &all {
                    let what = format!("{algorithm} {prehash:?}: {signer_id} signs, {verifier_id} verifies");
                    let verifier = scheme.load_verifying_key(&public).unwrap();
                    let verify = |prehash, context: &[u8], message: &[u8], signature: &[u8]| {
                        verifier.verify_prehashed(prehash, context, message, signature)
                    };
                    let signature = &signature[..length];
                    verify(prehash, b"context", b"message", signature)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert!(verify(prehash, b"other", b"message", signature).is_err(), "{what}: another context");
                    assert!(verify(prehash, b"context", b"massage", signature).is_err(), "{what}: another message");
                    let mut tampered = signature.to_vec();
                    tampered[0] ^= 1;
                    assert!(verify(prehash, b"context", b"message", &tampered).is_err(), "{what}: a bit flipped");
                    for other in scheme.prehashes().iter().filter(|other| **other != prehash) {
                        assert!(verify(*other, b"context", b"message", signature).is_err(), "{what}: as {other:?}");
                    }
                    if scheme.info().context {
                        assert!(verifier.verify(b"context", b"message", signature).is_err(), "{what}: as pure");
                    }
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs >= 24 || !WHOLE, "too few pairs: {pairs}");
}
