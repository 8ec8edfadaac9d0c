//! Opens real libraries in this process and checks their results.

#![allow(clippy::unwrap_used, reason = "test helpers")]

mod common;

use common::{SYSTEMS, built, check, check_pair, opened, system_libcrypto};
use pqlab_primitives::{Coins, KeyEncoding};
use pqlab_testing::{Need, require};

#[test]
fn opens_the_systems_libcrypto() {
    let path = require!(system_libcrypto(), SYSTEMS);
    let provider = opened(&format!("system=openssl:{}", path.display()));
    assert!(provider.kem("X25519").is_some() && provider.key_agreement("X25519").is_some());
    for scheme in ["Ed25519", "ECDSA-P-256", "ECDSA-P-384", "RSA-2048"] {
        assert!(provider.signature(scheme).is_some(), "{scheme}: {:?}", provider.unsupported);
    }
    assert_eq!((provider.hashes.len(), provider.xofs.len()), (6, 2));
    assert!(provider.build_info.version.starts_with("3."), "{:?}", provider.build_info);
    check(&provider);
}

#[test]
fn missing_algorithms_are_listed_with_a_reason() {
    let path = require!(system_libcrypto(), SYSTEMS);
    let provider = opened(&format!("openssl:{}", path.display()));
    // OpenSSL 3.5 was the first version with ML-KEM.
    if provider.kem("ML-KEM-768").is_none() {
        let missing = provider.unsupported.iter().find(|missing| missing.algorithm == "ML-KEM-768").unwrap();
        assert!(missing.reason.contains("EVP_KEYMGMT_fetch failed: unsupported"), "{missing:?}");
    }
    assert!(provider.unsupported.iter().all(|missing| !provider.algorithms().contains(&missing.algorithm)));
}

#[test]
fn computes_the_point_of_a_scalar() {
    let path = require!(system_libcrypto(), SYSTEMS);
    let provider = opened(&format!("openssl:{}", path.display()));
    // The private key `x` and the uncompressed public point in RFC 6979, appendix A.2.5.
    let scalar = hex::decode("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721").unwrap();
    let point = "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
                 7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
    let scheme = provider.signature("ECDSA-P-256").unwrap();
    let key = scheme.load_signing_key(KeyEncoding::Scalar, &scalar).unwrap();
    let mut encoded = [0; 65];
    key.verifying_key().unwrap().encode(&mut encoded).unwrap();
    assert_eq!(hex::encode(encoded), point);
    assert!(scheme.load_signing_key(KeyEncoding::Scalar, &[0; 32]).is_err());
    assert!(scheme.load_signing_key(KeyEncoding::Scalar, &[0xFF; 32]).is_err());
}

#[test]
fn opens_the_linked_openssl_as_a_shared_library() {
    let path = require!(built("openssl/libcrypto.so"), Need::Built);
    let provider = opened(&format!("shared=openssl:{}", path.display()));
    assert!(provider.unsupported.is_empty(), "{:?}", provider.unsupported);
    assert_eq!((provider.kems.len(), provider.signatures.len()), (4, 15 + 1 + 3 + 1));
    assert!(provider.signature("ECDSA-P-256").unwrap().info().coins.operation);
    check(&provider);
}

#[test]
fn opens_two_libcrypto_versions_in_one_process() {
    let (system, new) = (require!(system_libcrypto(), SYSTEMS), require!(built("openssl/libcrypto.so"), Need::Built));
    let system = opened(&format!("system=openssl:{}", system.display()));
    let new = opened(&format!("new=openssl:{}", new.display()));
    assert_ne!(system.build_info.version, new.build_info.version);
    assert!(check_pair(&system, &new) > 2 * 5);
}

#[test]
fn opens_two_liboqs_builds_in_one_process() {
    let generic = require!(built("liboqs-generic/liboqs.so"), Need::Built);
    let vector = require!(built("liboqs/liboqs.so"), Need::Built);
    let generic = opened(&format!("generic=liboqs:{}", generic.display()));
    let vector = opened(&format!("vector=liboqs:{}", vector.display()));
    for provider in [&generic, &vector] {
        assert!(provider.build_info.version.starts_with("0."), "{:?}", provider.build_info);
        assert!(provider.build_info.build.ends_with("libcrypto: none"), "{:?}", provider.build_info);
        for kem in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"] {
            assert!(provider.kem(kem).unwrap().info().coins.keygen);
        }
        for scheme in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
            assert!(provider.signature(scheme).unwrap().info().context);
        }
        assert!(!provider.signature("Falcon-padded-512").unwrap().info().context);
        let missing = provider.unsupported.iter().find(|missing| missing.algorithm == "BIKE-L1").unwrap();
        assert_eq!(missing.reason, "not enabled in this build of liboqs");
        check(provider);
    }
    assert_ne!(generic.build_info, vector.build_info);
    // Neither library may use symbols from the other.
    assert!(check_pair(&generic, &vector) > 2 * 6);
}

#[test]
fn opens_a_library_with_the_nist_interface() {
    let path = require!(built("pqclean/libmlkem768.so"), Need::Built);
    let path = path.display();
    for prefix in ["PQCLEAN_MLKEM768_CLEAN_", "PQCLEAN_MLKEM768_CLEAN"] {
        let provider = opened(&format!("clean=nist:{path}?prefix={prefix}&algorithm=ML-KEM-768"));
        assert_eq!(provider.algorithms(), ["ML-KEM-768"]);
        check(&provider);
    }
    let text = common::refusal(&format!("nist:{path}?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-512"));
    assert!(text.contains("public keys are longer than 800 bytes: is the algorithm correct?"), "{text}");
    let text = common::refusal(&format!("nist:{path}?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-1024"));
    assert!(text.contains("public keys are shorter than 1568 bytes"), "{text}");
}

#[test]
fn libraries_of_three_kinds_interoperate() {
    let oqs = require!(built("liboqs/liboqs.so"), Need::Built);
    let openssl = require!(built("openssl/libcrypto.so"), Need::Built);
    let clean = require!(built("pqclean/libmlkem768.so"), Need::Built);
    let oqs = opened(&format!("oqs=liboqs:{}", oqs.display()));
    let openssl = opened(&format!("openssl-4=openssl:{}", openssl.display()));
    let clean = opened(&format!("clean=nist:{}?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-768", clean.display()));
    // liboqs and OpenSSL share three ML-KEM and three ML-DSA sets, and PQClean's library offers
    // only ML-KEM-768. Each shared set is checked in both directions.
    assert_eq!(check_pair(&oqs, &openssl), 2 * 6);
    assert_eq!((check_pair(&oqs, &clean), check_pair(&openssl, &clean)), (2, 2));
    // Both libraries must derive the same key from the same seed.
    let public = [&oqs, &openssl].map(|provider| {
        let mut encoded = vec![0; 1184];
        let key = provider.kem("ML-KEM-768").unwrap().generate(Coins::Exact(&[7; 64])).unwrap();
        key.encode_encapsulation_key(&mut encoded).unwrap();
        encoded
    });
    assert_eq!(public[0], public[1]);
}
