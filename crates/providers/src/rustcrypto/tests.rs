use super::*;
use crate::shared::testing::*;
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme};
use std::thread;

fn provider() -> Provider {
    providers().pop().unwrap()
}

#[test]
fn offers_everything_in_scope() {
    let provider = provider();
    for kem in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024", "X25519"] {
        assert!(provider.kem(kem).is_some(), "{kem}");
    }
    let slh_dsa = ["128s", "128f", "192s", "192f", "256s", "256f"]
        .iter()
        .flat_map(|set| [format!("SLH-DSA-SHA2-{set}"), format!("SLH-DSA-SHAKE-{set}")]);
    let others = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Ed25519", "ECDSA-secp256k1", "ECDSA-P-256", "ECDSA-P-384"];
    for scheme in slh_dsa.chain(others.map(str::to_owned)) {
        assert!(provider.signature(&scheme).is_some(), "{scheme}");
    }
    assert!(provider.key_agreement("X25519").is_some());
    assert_eq!((provider.hashes.len(), provider.xofs.len()), (6, 2));
    assert!(provider.mac("HMAC-SHA256").is_some() && provider.kdf("HKDF-SHA256").is_some());
    assert!(provider.aead("AES-256-GCM").is_some());
    assert_eq!(provider.unsupported[0].algorithm, "RSA-2048");
    assert!(provider.build_info.version.starts_with("ml-kem 0.3."), "{:?}", provider.build_info);
    assert!(!provider.build_info.version.contains("unknown"), "{:?}", provider.build_info);
}

#[test]
fn loading_checks_ml_kem_keys() {
    let provider = provider();
    let ml_kem = provider.kems.iter().filter(|kem| kem.info().parameters.category.is_some());
    ml_kem.for_each(|kem| check_ml_kem_keys_are_checked(&**kem));
}

/// Returns whether the scheme is a small SLH-DSA set. These sets need seconds for a signature in a test build, so a
/// separate test covers them.
fn is_slow(scheme: &dyn SignatureScheme) -> bool {
    let algorithm = &scheme.info().parameters.algorithm;
    algorithm.starts_with("SLH-DSA") && algorithm.ends_with('s')
}

#[test]
fn small_slh_dsa_sets_round_trip() {
    let provider = provider();
    let slow: Vec<_> = provider.signatures.iter().filter(|scheme| is_slow(&***scheme)).collect();
    assert_eq!(slow.len(), 6);
    // Sign in parallel, because the six sets take most of the time of this test suite.
    thread::scope(|scope| {
        for scheme in slow {
            scope.spawn(move || {
                let info = scheme.info();
                let coins = bytes(info.parameters.keygen_coins, 3);
                let mut public = vec![0; info.parameters.verifying_key];
                let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
                scheme.generate_encoded(Coins::Exact(&coins), &mut public, &mut private).unwrap();
                assert_eq!(private[..coins.len()], coins[..]);
                let key = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
                let mut signature = sign(info, &*key, b"", b"message", Coins::Internal);
                let verifying = scheme.load_verifying_key(&public).unwrap();
                assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
                signature[0] ^= 1;
                assert_eq!(verifying.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
            });
        }
    });
}

#[test]
fn signatures_take_exact_coins() {
    for scheme in provider().signatures.iter().filter(|scheme| !is_slow(&***scheme)) {
        let info = scheme.info();
        let coins = bytes(info.parameters.keygen_coins, 1);
        let (mut public, mut private) =
            (vec![0; info.parameters.verifying_key], vec![0; info.signing_key(info.encodings[0]).unwrap()]);
        let lengths = scheme.generate_encoded(Coins::Exact(&coins), &mut public, &mut private).unwrap();
        assert_eq!(lengths, (public.len(), private.len()));
        let key = scheme.generate(Coins::Exact(&coins)).unwrap();
        assert_eq!(encoded_verifying_key(info, &*key.verifying_key().unwrap()), public);
        let loaded = scheme.load_signing_key(info.encodings[0], &private).unwrap();

        let deterministic = sign(info, &*key, b"", b"message", Coins::Exact(&[]));
        let internal = sign(info, &*key, b"", b"message", Coins::Internal);
        if !info.hedged {
            assert_eq!(internal, deterministic, "{}", info.parameters.algorithm);
            assert_eq!(sign(info, &*loaded, b"", b"message", Coins::Exact(&[])), deterministic);
            assert!(length_error(key.sign(b"", b"message", Coins::Exact(&[1]), &mut private.clone())));
            continue;
        }
        assert_ne!(internal, deterministic, "{}", info.parameters.algorithm);
        let length = info.parameters.signing_coins;
        let given = sign(info, &*key, b"", b"message", Coins::Exact(&bytes(length, 4)));
        assert_ne!(given, deterministic);
        // The deterministic variants use fixed coins: zeros in ML-DSA (FIPS 204, algorithm 2, line 5) and `PK.seed` in
        // SLH-DSA (FIPS 205, algorithm 22, line 3).
        let fixed =
            if info.parameters.algorithm.starts_with("ML-DSA") { vec![0; 32] } else { public[..length].to_vec() };
        assert_eq!(sign(info, &*loaded, b"", b"message", Coins::Exact(&fixed)), deterministic);
        let verifying = key.verifying_key().unwrap();
        let with_context = sign(info, &*key, b"context", b"message", Coins::Exact(&fixed));
        assert_eq!(verifying.verify(b"context", b"message", &with_context), Ok(()));
        assert!(length_error(key.sign(b"", b"", Coins::Exact(&[1]), &mut with_context.clone())));
        assert!(length_error(key.sign(&[0; 256], b"", Coins::Exact(&[]), &mut with_context.clone())));
        assert!(length_error(verifying.verify(&[0; 256], b"", &with_context)));
    }
}

/// Without the adapter's check, the crate would panic if a coefficient in an expanded key is out of range.
#[test]
fn rejects_damaged_expanded_ml_dsa_keys() {
    for scheme in provider().signatures.iter().filter(|s| s.info().parameters.algorithm.starts_with("ML-DSA")) {
        let mut key = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
        assert!(scheme.load_signing_key(KeyEncoding::Expanded, &key).is_ok(), "zeros must be in range");
        let public = scheme.info().parameters.verifying_key - 32;
        let t0 = 416 * public / 320;
        let (first, last) = (128, key.len() - t0 - 1);
        for position in [first, last] {
            key[position] = 0xff;
            let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &key);
            assert!(matches!(loaded, Err(Error::Malformed(_))), "byte {position}");
            key[position] = 0;
        }
        for outside in [first - 1, last + 1] {
            key[outside] = 0xff;
            assert!(scheme.load_signing_key(KeyEncoding::Expanded, &key).is_ok(), "byte {outside}");
        }
    }
}

/// Tries every value for each of eight coefficients that are packed together.
#[test]
fn checks_every_coefficient_of_expanded_ml_dsa_keys() {
    for (algorithm, eta) in [("ML-DSA-44", 2_usize), ("ML-DSA-65", 4), ("ML-DSA-87", 2)] {
        let scheme = provider().signature(algorithm).unwrap().clone();
        let bits = if eta == 2 { 3 } else { 4 };
        for place in 0..8 {
            for packed in 0..1_u32 << bits {
                let mut key = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
                // Changes the second group of eight coefficients. The key begins with rho, K and tr.
                let group = (packed << (place * bits)).to_le_bytes();
                key[128 + bits..][..bits].copy_from_slice(&group[..bits]);
                let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &key);
                assert_eq!(loaded.is_ok(), packed as usize <= 2 * eta, "{algorithm}, {packed} at {place}");
            }
        }
    }
}

#[test]
fn ecdsa_takes_both_point_encodings_and_both_values_of_s() {
    let provider = provider();
    let secp256k1 = provider.signature("ECDSA-secp256k1").unwrap();
    let key = secp256k1.generate(Coins::Exact(&bytes(32, 1))).unwrap();
    let compressed = encoded_verifying_key(secp256k1.info(), &*key.verifying_key().unwrap());
    let point = k256::ecdsa::VerifyingKey::from_sec1_bytes(&compressed).unwrap().to_sec1_point(false);
    let verifying = secp256k1.load_verifying_key(point.as_bytes()).unwrap();
    for i in 0..8u8 {
        let low = sign(secp256k1.info(), &*key, b"", &[i], Coins::Internal);
        let parsed = k256::ecdsa::Signature::from_slice(&low).unwrap();
        assert_eq!(parsed.normalize_s(), parsed, "`s` must be low");
        assert_eq!(verifying.verify(b"", &[i], &low), Ok(()));
        let (r, s) = parsed.split_scalars();
        let high = k256::ecdsa::Signature::from_scalars(*r, -*s).unwrap().to_bytes();
        assert_ne!(high[..], low[..]);
        assert_eq!(verifying.verify(b"", &[i], &high), Ok(()));
    }

    let p256 = provider.signature("ECDSA-P-256").unwrap();
    let key = p256.generate(Coins::Internal).unwrap();
    let uncompressed = encoded_verifying_key(p256.info(), &*key.verifying_key().unwrap());
    let point = p256::ecdsa::VerifyingKey::from_sec1_bytes(&uncompressed).unwrap().to_sec1_point(true);
    let verifying = p256.load_verifying_key(point.as_bytes()).unwrap();
    let signature = sign(p256.info(), &*key, b"", b"message", Coins::Internal);
    assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
    let parsed = p256::ecdsa::Signature::from_slice(&signature).unwrap();
    let other = p256::ecdsa::Signature::from_scalars(*parsed.r(), -*parsed.s()).unwrap().to_bytes();
    assert_eq!(verifying.verify(b"", b"message", &other), Ok(()));

    for scheme in provider.signatures.iter().filter(|s| s.info().encodings[0] == KeyEncoding::Scalar) {
        let length = scheme.info().parameters.keygen_coins;
        let zero = scheme.load_signing_key(KeyEncoding::Scalar, &vec![0; length]);
        assert!(matches!(zero, Err(Error::Malformed(_))));
        assert!(matches!(scheme.generate(Coins::Exact(&vec![0xff; length])), Err(Error::Malformed(_))));
        let off_curve = vec![4; scheme.info().parameters.verifying_key];
        assert!(matches!(scheme.load_verifying_key(&off_curve), Err(Error::Malformed(_))));
    }
}

#[test]
fn keys_work_in_several_threads() {
    let schemes = ["ML-DSA-65", "SLH-DSA-SHA2-128f", "Ed25519", "ECDSA-secp256k1", "ECDSA-P-384"];
    check_threads(&provider(), |algorithm| schemes.contains(&algorithm));
}

#[test]
fn hashes_give_known_answers() {
    assert_eq!(check_known_digests(&provider()), 6);
    check_batches_and_pieces(&provider());
}

#[test]
fn symmetric_algorithms_round_trip_and_reject_bad_input() {
    let provider = provider();
    let mac = provider.mac("HMAC-SHA256").unwrap();
    let key = mac.load_key(b"key").unwrap();
    let (mut tag, mut other) = ([0; 32], [0; 32]);
    key.tag(b"message", &mut tag).unwrap();
    key.tag(b"message", &mut other).unwrap();
    assert_eq!(tag, other);
    mac.load_key(b"kex").unwrap().tag(b"message", &mut other).unwrap();
    assert_ne!(tag, other);
    assert!(length_error(key.tag(b"", &mut [0; 16])));

    let kdf = provider.kdf("HKDF-SHA256").unwrap();
    let (mut long, mut short) = ([0; 80], [0; 42]);
    kdf.derive(b"salt", b"material", b"info", &mut long).unwrap();
    kdf.derive(b"salt", b"material", b"info", &mut short).unwrap();
    assert_eq!(long[..42], short);
    assert!(length_error(kdf.derive(b"", b"", b"", &mut vec![0; 255 * 32 + 1])));

    let aead = provider.aead("AES-256-GCM").unwrap();
    assert!(length_error(aead.load_key(&[0; 16])));
    let key = aead.load_key(&bytes(32, 1)).unwrap();
    let (mut buffer, mut tag) = (*b"plaintext", [0; 16]);
    key.seal(&[1; 12], b"header", &mut buffer, &mut tag).unwrap();
    let sealed = buffer;
    assert_ne!(&buffer, b"plaintext");
    assert_eq!(key.open(&[2; 12], b"header", &mut buffer, &tag), Err(Error::VerificationFailed));
    assert_eq!(key.open(&[1; 12], b"footer", &mut buffer, &tag), Err(Error::VerificationFailed));
    assert_eq!(buffer, sealed, "must not change the ciphertext");
    key.open(&[1; 12], b"header", &mut buffer, &tag).unwrap();
    assert_eq!(&buffer, b"plaintext");
    assert!(length_error(key.seal(&[1; 11], b"", &mut buffer, &mut tag)));
    assert!(length_error(key.seal(&[1; 12], b"", &mut buffer, &mut [0; 15])));
    assert!(length_error(key.open(&[1; 12], b"", &mut buffer, &tag[1..])));
}
