//! Tests keys in their standard encodings: published examples, round trips and rejected inputs.

#![allow(clippy::unwrap_used)]

mod common;

use common::{base64_field, hash, kems, read_json, signatures};
use pqlab_constructions::keys::{DecodeError, Identifier, PrivateKey, PrivateKeyForm, PublicKey};
use pqlab_primitives::{Coins, Error, KeyEncoding};
use pqlab_testing::{Need, require};
use pqlab_verification::vectors_root;
use sha2::{Digest, Sha256};

fn text(folder: &std::path::Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

const FORMS: [(&str, PrivateKeyForm); 3] =
    [("seed", PrivateKeyForm::Seed), ("expanded", PrivateKeyForm::Expanded), ("both", PrivateKeyForm::Both)];

#[test]
fn published_ml_dsa_keys_match() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-mldsa-certs");
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let public = PublicKey::from_pem(&text(&folder, &format!("{algorithm}.pub"))).unwrap();
        assert_eq!(public.identifier().algorithm, algorithm);
        for (name, form) in FORMS {
            let pem = text(&folder, &format!("{algorithm}-{name}.priv"));
            let private = PrivateKey::from_pem(&pem).unwrap();
            assert_eq!(private.form(), form);
            assert_eq!(PrivateKey::from_pem(&private.to_pem().unwrap()).unwrap(), private);
            for (provider, scheme) in signatures(algorithm) {
                let key = match private.signing_key(scheme.as_ref()) {
                    // Some libraries cannot load seeds.
                    Err(DecodeError::Primitive(Error::Unsupported(_))) => continue,
                    key => key.unwrap(),
                };
                // libcrux does not derive a verifying key from an expanded key, so compare keys with a signature.
                let mut signature = vec![0; scheme.info().parameters.signature];
                key.sign(&[], b"m", Coins::Internal, &mut signature).unwrap();
                let verifier = scheme.load_verifying_key(public.as_bytes()).unwrap();
                assert_eq!(verifier.verify(&[], b"m", &signature), Ok(()), "{algorithm}-{name}@{provider}");
            }
        }
    }
}

#[test]
fn published_ml_kem_keys_match() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-mlkem-certs");
    for algorithm in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"] {
        let public = PublicKey::from_pem(&text(&folder, &format!("{algorithm}.pub"))).unwrap();
        for (name, form) in FORMS {
            let private = PrivateKey::from_pem(&text(&folder, &format!("{algorithm}-{name}.priv"))).unwrap();
            assert_eq!(private.form(), form);
            for (provider, kem) in kems(algorithm) {
                let key = match private.decapsulation_key(kem.as_ref()) {
                    Err(DecodeError::Primitive(Error::Unsupported(_))) => continue,
                    key => key.unwrap(),
                };
                let mut derived = vec![0; public.as_bytes().len()];
                key.encapsulation_key().unwrap().encode(&mut derived).unwrap();
                assert!(derived == public.as_bytes(), "{algorithm}-{name}@{provider}");
            }
        }
    }
}

#[test]
fn published_hybrid_keys_round_trip() {
    let vectors = require!(vectors_root(), Need::Vectors);
    let folder = vectors.join("xwing");
    let private = PrivateKey::from_pem(&text(&folder, "xwing.priv.pem.txt")).unwrap();
    assert_eq!(private.identifier().algorithm, "X-Wing");
    let public = PublicKey::from_pem(&text(&folder, "xwing.pub.pem.txt")).unwrap();
    assert_eq!(public.as_bytes().len(), 1216);
    for folder in ["lamps-composite-sigs", "lamps-composite-kem"] {
        let path = vectors.join(folder);
        for test in read_json(path.join("testvectors.json"))["tests"].as_array().unwrap() {
            let field = if folder.ends_with("kem") { "dk_pkcs8" } else { "sk_pkcs8" };
            let der = base64_field(test, field);
            let ours = ["id-ML-DSA", "id-alg-ml-kem", "id-MLKEM768-X25519", "id-MLDSA65-Ed25519"];
            let id = test["tcId"].as_str().unwrap();
            if ours.iter().any(|name| id.starts_with(name)) {
                assert_eq!(PrivateKey::from_der(&der).unwrap().to_der().unwrap().as_slice(), der, "{id}");
            } else {
                assert!(matches!(PrivateKey::from_der(&der), Err(DecodeError::Algorithm { .. })), "{id}");
            }
        }
    }
}

/// RFC 9881, section 6, requires that the seed expands to the expanded key.
#[test]
fn rejects_a_seed_with_another_expanded_key() {
    let (_, scheme) =
        signatures("ML-DSA-65").into_iter().find(|(_, scheme)| scheme.info().encodings.len() == 2).unwrap();
    let expanded = |seed: &[u8]| {
        let key = scheme.load_signing_key(KeyEncoding::Seed, seed).unwrap();
        let mut out = vec![0; 4032];
        key.encode(KeyEncoding::Expanded, &mut out).unwrap();
        out
    };
    let identifier = Identifier::named("ML-DSA-65").unwrap();
    let good = PrivateKey::new(identifier, Some(&[1; 32]), Some(&expanded(&[1; 32]))).unwrap();
    assert!(good.signing_key(scheme.as_ref()).is_ok());
    let bad = PrivateKey::new(identifier, Some(&[1; 32]), Some(&expanded(&[2; 32]))).unwrap();
    let refused = PrivateKey::from_der(&bad.to_der().unwrap()).unwrap().signing_key(scheme.as_ref()).map(|_| ());
    assert_eq!(refused, Err(DecodeError::Inconsistent { algorithm: "ML-DSA-65" }));
    assert_ne!(good, bad);
}

#[test]
fn rejects_truncated_and_extended_keys() {
    const ALGORITHMS: [&str; 7] = [
        "X-Wing",
        "MLKEM768-X25519-SHA3-256",
        "MLDSA65-Ed25519-SHA512",
        "ML-KEM-768",
        "Ed25519",
        "X25519",
        "ECDSA-P-256",
    ];
    for algorithm in ALGORITHMS {
        let identifier = Identifier::named(algorithm).unwrap();
        let (public, private) = match algorithm {
            "X-Wing" => (1216, 32),
            "MLKEM768-X25519-SHA3-256" => (1216, 96),
            "MLDSA65-Ed25519-SHA512" => (1984, 64),
            "ML-KEM-768" => (1184, 64),
            "ECDSA-P-256" => (65, 32),
            _ => (32, 32),
        };
        let public = PublicKey::new(identifier, &vec![3; public]).unwrap();
        let private = PrivateKey::new(identifier, Some(&vec![3; private]), None).unwrap();
        let (der, secret) = (public.to_der().unwrap(), private.to_der().unwrap());
        assert_eq!(PublicKey::from_der(&der).unwrap(), public);
        assert_eq!(PrivateKey::from_der(&secret).unwrap(), private);
        assert_eq!(PublicKey::from_pem(&public.to_pem().unwrap()).unwrap(), public);
        for length in 0..der.len() {
            assert!(PublicKey::from_der(&der[..length]).is_err());
        }
        for length in 0..secret.len() {
            assert!(PrivateKey::from_der(&secret[..length]).is_err());
        }
        for byte in 0..=255 {
            assert!(PublicKey::from_der(&[&der[..], &[byte]].concat()).is_err());
            assert!(PrivateKey::from_der(&[&secret[..], &[byte]].concat()).is_err());
        }
        let wrong_length = PublicKey::new(identifier, &[0; 31]);
        assert!(matches!(wrong_length, Err(DecodeError::Length { .. })));
        assert!(PublicKey::from_pem(&private.to_pem().unwrap()).is_err(), "the label must match");
        assert_eq!(public.fingerprint(hash("SHA-256").as_ref()).unwrap().as_slice(), Sha256::digest(&der).as_slice());
    }
    assert!(PublicKey::from_pem("").is_err() && PrivateKey::from_pem("-----BEGIN PRIVATE KEY-----").is_err());
}

/// RFC 7468 allows little variation: only the final line feed may be missing.
#[test]
fn corrupted_pem_never_yields_another_key() {
    let identifier = Identifier::named("X-Wing").unwrap();
    let public = PublicKey::new(identifier, &[3; 1216]).unwrap();
    let private = PrivateKey::new(identifier, Some(&[5; 32]), None).unwrap();
    let (open, secret) = (public.to_pem().unwrap(), private.to_pem().unwrap());
    for length in 0..open.trim_end().len() {
        assert!(PublicKey::from_pem(&open[..length]).is_err(), "{length}");
    }
    for length in 0..secret.trim_end().len() {
        assert!(PrivateKey::from_pem(&secret[..length]).is_err(), "{length}");
    }
    // A changed character must not yield another key: either decoding fails, or it yields the same key.
    for at in 0..secret.len() {
        for character in ["-", "A", "=", " ", "\n", "\u{e9}"] {
            let changed = format!("{}{character}{}", &secret[..at], &secret[at + 1..]);
            if let Ok(read) = PrivateKey::from_pem(&changed) {
                assert_eq!(PrivateKey::from_der(&read.to_der().unwrap()), Ok(read), "{at} {character:?}");
            }
        }
    }
}

/// RFC 5915 and RFC 8017, appendix A.1.2, define the encodings inside PKCS #8.
#[test]
fn ecdsa_and_rsa_private_keys_round_trip() {
    for (algorithm, encoding) in [("ECDSA-P-256", KeyEncoding::Scalar), ("RSA-2048", KeyEncoding::Der)] {
        for (provider, scheme) in signatures(algorithm) {
            let key = scheme.generate(Coins::Internal).unwrap();
            let mut bytes = vec![0; scheme.info().signing_key(encoding).unwrap()];
            let length = key.encode(encoding, &mut bytes).unwrap();
            let private = PrivateKey::new(Identifier::named(algorithm).unwrap(), Some(&bytes[..length]), None).unwrap();
            let read = PrivateKey::from_der(&private.to_der().unwrap()).unwrap();
            assert_eq!(read, private);
            let mut signature = vec![0; scheme.info().parameters.signature];
            let again = read.signing_key(scheme.as_ref()).unwrap();
            let length = again.sign(&[], b"m", Coins::Internal, &mut signature).unwrap();
            let verified = key.verifying_key().unwrap().verify(&[], b"m", &signature[..length]);
            assert_eq!(verified, Ok(()), "{algorithm}@{provider}");
        }
    }
    let too_long = PrivateKey::new(Identifier::named("RSA-2048").unwrap(), Some(&[0; 1201]), None);
    assert!(matches!(too_long, Err(DecodeError::Length { .. })));
}

#[test]
fn rejects_keys_of_another_algorithm() {
    let identifier = Identifier::named("Ed25519").unwrap();
    let private = PrivateKey::new(identifier, Some(&[1; 32]), None).unwrap();
    let (_, ml_dsa) = signatures("ML-DSA-65").remove(0);
    assert!(matches!(private.signing_key(ml_dsa.as_ref()), Err(DecodeError::Algorithm { .. })));
    let (_, ed25519) = signatures("Ed25519").remove(0);
    let key = private.signing_key(ed25519.as_ref()).unwrap();
    assert!(key.sign(&[], b"m", Coins::Internal, &mut [0; 64]).is_ok());
    assert!(!format!("{private:?}").contains("[1, 1"), "debug output must not contain the private key");
}
