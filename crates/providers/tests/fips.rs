//! Tests of the provider `fips`: round trips, rejected inputs and published test vectors. The provider is off by
//! default. `make test` builds it for these tests.

#![allow(clippy::unwrap_used, reason = "test helpers")]

#[path = "../src/shared/testing.rs"]
#[allow(dead_code, reason = "this test uses only some of the helpers")]
mod testing;

use pqlab_primitives::{Coins, Error, KeyEncoding, Provider, SignatureScheme, VerifyingKey};
use std::sync::Arc;
use std::thread;
use testing::*;

fn provider() -> Arc<Provider> {
    pqlab_providers::providers().into_iter().find(|provider| provider.library == "fips").unwrap()
}

#[test]
fn offers_everything_in_scope() {
    let provider = provider();
    for kem in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"] {
        assert!(provider.kem(kem).is_some(), "{kem}");
    }
    let slh_dsa = ["128s", "128f", "192s", "192f", "256s", "256f"]
        .iter()
        .flat_map(|set| [format!("SLH-DSA-SHA2-{set}"), format!("SLH-DSA-SHAKE-{set}")]);
    for scheme in slh_dsa.chain(["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].map(str::to_owned)) {
        assert!(provider.signature(&scheme).is_some(), "{scheme}");
    }
    assert_eq!((provider.kems.len(), provider.signatures.len()), (3, 15));
    assert_eq!(provider.id(), "fips");
    assert!(provider.build_info.version.starts_with("fips203 0."), "{:?}", provider.build_info);
    assert!(!provider.build_info.version.contains("unknown"), "{:?}", provider.build_info);
}

#[test]
fn kems_round_trip_in_every_encoding() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        let (mut public, mut again) = (vec![0; parameters.encapsulation_key], vec![0; parameters.encapsulation_key]);
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        let seed = bytes(64, 1);
        kem.generate_encoded(Coins::Exact(&seed), &mut public, &mut private).unwrap();
        let Encapsulated { mut ciphertext, secret } =
            encapsulate(&**kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        let expanded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
        let seeded = kem.load_decapsulation_key(KeyEncoding::Seed, &seed).unwrap();
        for key in [&expanded, &seeded, &kem.generate(Coins::Exact(&seed)).unwrap()] {
            assert_eq!(decapsulate(&**key, &ciphertext).unwrap(), secret, "{}", parameters.algorithm);
            assert_eq!(key.encapsulation_key().unwrap().encode(&mut again), Ok(public.len()));
            assert_eq!(again, public);
            let mut encoded = vec![0; private.len()];
            assert_eq!(key.encode(KeyEncoding::Expanded, &mut encoded), Ok(private.len()));
            assert_eq!(encoded, private);
            assert!(matches!(key.encode(KeyEncoding::Seed, &mut [0; 64]), Err(Error::Unsupported(_))));
        }
        ciphertext[0] ^= 1;
        assert_ne!(decapsulate(&*expanded, &ciphertext).unwrap(), secret);

        let fresh = kem.generate(Coins::Internal).unwrap();
        assert_ne!(decapsulate(&*fresh, &ciphertext).unwrap(), secret);
        let to = fresh.encapsulation_key().unwrap();
        let Encapsulated { ciphertext, secret } = encapsulate(&**kem, &*to, Coins::Exact(&bytes(32, 2)));
        assert_eq!(decapsulate(&*fresh, &ciphertext).unwrap(), secret);
        assert_eq!(encapsulate(&**kem, &*to, Coins::Exact(&bytes(32, 2))), Encapsulated { ciphertext, secret });
        assert_ne!(encapsulate(&**kem, &*to, Coins::Internal), encapsulate(&**kem, &*to, Coins::Internal));
    }
}

#[test]
fn kems_refuse_wrong_lengths_and_foreign_encodings() {
    provider().kems.iter().for_each(|kem| check_kem_refusals(&**kem));
}

#[test]
fn loading_checks_ml_kem_keys() {
    provider().kems.iter().for_each(|kem| check_ml_kem_keys_are_checked(&**kem));
}

/// Checks the Wycheproof tests "official round 3 seeds 0" in mlkem_*_encaps, with the keys from test 1 in
/// mlkem_*_keygen_seed.
#[test]
fn ml_kem_gives_published_secrets() {
    let seed = hex("7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2d\
                    8626ed79d451140800e03b59b956f8210e556067407d13dc90fa9e8b872bfb8f");
    let m = hex("147c03f7a5bebba406c8fae1874d7f13c80efe79a3a9a874cc09fe76f6997615");
    for (algorithm, secret) in [
        ("ML-KEM-512", "319839e82ab6b222de7b619e80da8391522bbb37677018494a4742c53f9abfdf"),
        ("ML-KEM-768", "e7184a0975ee3470878d2d159ec83129c8aec253d4ee17b4810311d198cd0368"),
        ("ML-KEM-1024", "489dd1e9c2be4af3482bdb35bb26ce760e6e414da6ecbe489985748a825f1cd6"),
    ] {
        let provider = provider();
        let kem = provider.kem(algorithm).unwrap();
        let key = kem.generate(Coins::Exact(&seed)).unwrap();
        let Encapsulated { ciphertext, secret: sent } =
            encapsulate(&**kem, &*key.encapsulation_key().unwrap(), Coins::Exact(&m));
        assert_eq!(sent, hex(secret), "{algorithm}");
        assert_eq!(decapsulate(&*key, &ciphertext).unwrap(), sent);
    }
}

/// Checks the first test in NIST ACVP SLH-DSA keyGen: the seeds, followed by the root.
#[test]
fn slh_dsa_gives_a_published_key() {
    let expected = hex("c42bcb3b5a6f331f5cce899253c6d9e29ff2b7ead7a04bab1794db8cc659c3b4\
                        a868f1bd5debc12d4c9fad66aabd0a94b546df247be4c457f3d467cdfcfabd39");
    let (mut public, mut private) = ([0; 32], [0; 64]);
    let provider = provider();
    let scheme = provider.signature("SLH-DSA-SHA2-128f").unwrap();
    scheme.generate_encoded(Coins::Exact(&expected[..48]), &mut public, &mut private).unwrap();
    assert_eq!(private[..], expected);
    assert_eq!(public[..], expected[32..]);
}

/// Returns whether the scheme is a small SLH-DSA set. These sets need seconds for a signature in a test build, so a
/// separate test covers them.
fn is_slow(scheme: &dyn SignatureScheme) -> bool {
    let algorithm = &scheme.info().parameters.algorithm;
    algorithm.starts_with("SLH-DSA") && algorithm.ends_with('s')
}

fn fast() -> Vec<Arc<dyn SignatureScheme>> {
    provider().signatures.iter().filter(|scheme| !is_slow(&***scheme)).cloned().collect()
}

#[test]
fn signatures_round_trip_in_every_encoding() {
    for scheme in fast() {
        let info = scheme.info();
        let seed = bytes(info.parameters.keygen_coins, 1);
        let mut public = vec![0; info.parameters.verifying_key];
        let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
        let lengths = scheme.generate_encoded(Coins::Exact(&seed), &mut public, &mut private).unwrap();
        assert_eq!(lengths, (public.len(), private.len()));
        let verifying = scheme.load_verifying_key(&public).unwrap();
        assert_eq!(encoded_verifying_key(info, &*verifying), public);

        let mut keys = vec![scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap()];
        match scheme.load_signing_key(KeyEncoding::Seed, &seed) {
            Ok(key) => keys.push(key),
            Err(error) => assert!(matches!(error, Error::Unsupported(_)) && info.encodings.len() == 1),
        }
        for key in keys {
            assert_eq!(encoded_verifying_key(info, &*key.verifying_key().unwrap()), public);
            let mut encoded = vec![0; private.len()];
            assert_eq!(key.encode(KeyEncoding::Expanded, &mut encoded), Ok(private.len()));
            assert_eq!(encoded, private);
            let signature = sign(info, &*key, b"context", b"message", Coins::Internal);
            accepts_only(&*verifying, b"context", b"message", signature);
        }
    }
}

fn accepts_only(key: &dyn VerifyingKey, context: &[u8], message: &[u8], signature: Vec<u8>) {
    assert_eq!(key.verify(b"another", message, &signature), Err(Error::VerificationFailed));
    check_accepts_only(key, context, message, signature);
}

#[test]
fn small_slh_dsa_sets_round_trip() {
    let provider = provider();
    let slow: Vec<_> = provider.signatures.iter().filter(|scheme| is_slow(&***scheme)).collect();
    assert_eq!(slow.len(), 6);
    thread::scope(|scope| {
        for scheme in &slow {
            scope.spawn(move || {
                let key = scheme.generate(Coins::Exact(&bytes(scheme.info().parameters.keygen_coins, 3))).unwrap();
                let signature = sign(scheme.info(), &*key, b"", b"message", Coins::Internal);
                accepts_only(&*key.verifying_key().unwrap(), b"", b"message", signature);
            });
        }
    });
}

#[test]
fn signatures_take_exact_coins() {
    for scheme in fast() {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        let public = encoded_verifying_key(info, &*verifying);
        let length = info.parameters.signing_coins;
        let signed = |coins| sign(info, &*key, b"context", b"message", coins);
        let deterministic = signed(Coins::Exact(&[]));
        let given = bytes(length, 4);
        assert_eq!(signed(Coins::Exact(&given)), signed(Coins::Exact(&given)));
        assert_ne!(signed(Coins::Exact(&given)), deterministic);
        assert_ne!(signed(Coins::Internal), deterministic);
        // The deterministic variants use fixed coins: zeros in ML-DSA (FIPS 204, algorithm 2, line 5) and `PK.seed` in
        // SLH-DSA (FIPS 205, algorithm 22, line 3).
        let fixed =
            if info.parameters.algorithm.starts_with("ML-DSA") { vec![0; 32] } else { public[..length].to_vec() };
        assert_eq!(signed(Coins::Exact(&fixed)), deterministic);
        assert_eq!(verifying.verify(b"context", b"message", &deterministic), Ok(()));
    }
}

#[test]
fn signature_schemes_refuse_wrong_lengths_and_foreign_encodings() {
    for scheme in fast() {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let mut out = vec![0; info.parameters.signature];
        assert!(length_error(scheme.generate(Coins::Exact(&[1]))));
        assert!(length_error(scheme.load_verifying_key(&bytes(info.parameters.verifying_key - 1, 0))));
        assert!(length_error(key.verifying_key().unwrap().encode(&mut [])));
        assert!(length_error(key.verifying_key().unwrap().verify(&[0; 256], b"", &out)));
        for &encoding in &info.encodings {
            let length = info.signing_key(encoding).unwrap();
            assert!(length_error(scheme.load_signing_key(encoding, &bytes(length + 1, 0))));
        }
        assert!(length_error(key.encode(KeyEncoding::Expanded, &mut [0; 16])));
        for encoding in [KeyEncoding::Seed, KeyEncoding::Der] {
            assert!(matches!(key.encode(encoding, &mut [0; 32]), Err(Error::Unsupported(_))));
        }
        assert!(matches!(scheme.load_signing_key(KeyEncoding::Der, &[]), Err(Error::Unsupported(_))));
        assert!(length_error(key.sign(b"", b"", Coins::Exact(&[1]), &mut out)));
        assert!(length_error(key.sign(&[0; 256], b"", Coins::Exact(&[]), &mut out)));
        assert!(length_error(key.sign(b"", b"message", Coins::Exact(&[]), &mut out[1..])));
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
    }
}

#[test]
fn rejects_damaged_signing_keys() {
    let provider = provider();
    // The changed byte belongs to the first coefficients of `s1` or to the root. The crates check both.
    for (algorithm, position) in [("ML-DSA-44", 128), ("ML-DSA-65", 128), ("SLH-DSA-SHA2-128f", 48)] {
        let scheme = provider.signature(algorithm).unwrap();
        let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
        scheme.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut private).unwrap();
        private[position] = if private[position] == 0xff { 0xfe } else { 0xff };
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private);
        assert!(matches!(loaded, Err(Error::Malformed(_))), "{algorithm}");
    }
}

#[test]
fn keys_work_in_several_threads() {
    let provider = provider();
    let kem = provider.kem("ML-KEM-768").unwrap();
    let scheme = provider.signature("ML-DSA-65").unwrap();
    let (decapsulation, signing) = (kem.generate(Coins::Internal).unwrap(), scheme.generate(Coins::Internal).unwrap());
    let (encapsulation, verifying) = (decapsulation.encapsulation_key().unwrap(), signing.verifying_key().unwrap());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let Encapsulated { ciphertext, secret } = encapsulate(&**kem, &*encapsulation, Coins::Internal);
                assert_eq!(decapsulate(&*decapsulation, &ciphertext).unwrap(), secret);
                let signature = sign(scheme.info(), &*signing, b"", b"message", Coins::Internal);
                assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
            });
        }
    });
}
