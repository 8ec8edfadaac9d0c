use super::*;
use crate::shared::testing::*;
use pqlab_primitives::{Coins, Error, Kem, KeyEncoding, SignatureScheme};
use std::sync::Arc;

fn kems() -> Vec<Arc<dyn Kem>> {
    providers().into_iter().flat_map(|provider| provider.kems).collect()
}

fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    providers().into_iter().flat_map(|provider| provider.signatures).collect()
}

/// Returns the SHA3-256 digest of the concatenated parts, for comparing long outputs. `hashes_give_known_answers`
/// checks this hash function.
fn digest(parts: &[&[u8]]) -> String {
    let mut out = [0; 32];
    libcrux_sha3::portable::sha256(&mut out, &parts.concat());
    hex::encode(out)
}

#[test]
fn each_code_path_has_a_provider() {
    let providers = providers();
    let ids: Vec<String> = providers.iter().map(Provider::id).collect();
    assert_eq!(ids[0], "libcrux:portable");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(
        ids.get(1).is_some_and(|id| id == "libcrux:avx2"),
        is_x86_feature_detected!("avx2") && !is_hidden(Feature::Avx2),
        "{ids:?}"
    );
    #[cfg(target_arch = "aarch64")]
    assert_eq!(ids[1..], ["libcrux:neon"]);
    for provider in &providers {
        assert_eq!((provider.kems.len(), provider.signatures.len()), (3, 3));
        assert!(provider.build_info.version.starts_with("libcrux-ml-kem 0.0.11"), "{:?}", provider.build_info);
        assert!(!provider.build_info.version.contains("unknown"), "{:?}", provider.build_info);
    }
    assert_eq!((providers[0].hashes.len(), providers[0].xofs.len()), (4, 2));
    // Only the portable code path offers all six FIPS 202 functions for a single message.
    for provider in &providers[1..] {
        assert!(provider.hashes.is_empty() && provider.xofs.is_empty(), "{}", provider.id());
        assert!(!provider.unsupported.is_empty(), "{} must give a reason", provider.id());
    }
}

#[test]
fn ml_kem_generates_known_keys() {
    for provider in providers() {
        for (algorithm, seed, answer) in ML_KEM_KEYGEN {
            let kem = provider.kem(algorithm).unwrap();
            let parameters = &kem.info().parameters;
            let mut public = vec![0; parameters.encapsulation_key];
            let mut private = vec![0; parameters.decapsulation_key(KeyEncoding::Expanded).unwrap()];
            kem.generate_encoded(Coins::Exact(&hex(seed)), &mut public, &mut private).unwrap();
            assert_eq!(digest(&[&public, &private]), answer, "{algorithm} {}", provider.id());

            let key = kem.load_decapsulation_key(KeyEncoding::Seed, &hex(seed)).unwrap();
            assert_eq!(key.encapsulation_key().unwrap().encode(&mut public), Ok(public.len()));
            assert_eq!(key.encode(KeyEncoding::Expanded, &mut private), Ok(private.len()));
            assert_eq!(digest(&[&public, &private]), answer, "{algorithm} {}, prepared", provider.id());
        }
    }
}

/// Checks the ML-KEM-768 part of the first test vector in draft-connolly-cfrg-xwing-kem: `d || z`, the coins, and the
/// digest of the ciphertext.
#[test]
fn ml_kem_encapsulates_to_a_known_ciphertext() {
    let seed = hex("c44829d2b269887f6150dfaee5a25a704cbc607e57d18a2ffc8734633333cff0\
                    f0fc6fa4e4827531168087ef223e9b070c5a78a789fd46d4c604d69b1139d4da");
    let m = hex("3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2");
    for provider in providers() {
        let kem = provider.kem("ML-KEM-768").unwrap();
        let key = kem.generate(Coins::Exact(&seed)).unwrap();
        let sent = encapsulate(&**kem, &*key.encapsulation_key().unwrap(), Coins::Exact(&m));
        let answer = "a7374d82eb91596d41d67c9fc78b7874f654eececea7c68ca7495793259ba85e";
        assert_eq!(digest(&[&sent.ciphertext]), answer, "{}", provider.id());
        assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
    }
}

#[test]
fn kems_take_exact_coins_and_code_paths_agree() {
    for algorithm in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"] {
        let run = |kem: &dyn Kem, keygen: u8, operation: u8| {
            let key = kem.generate(Coins::Exact(&bytes(64, keygen))).unwrap();
            let public = key.encapsulation_key().unwrap();
            let sent = encapsulate(kem, &*public, Coins::Exact(&bytes(32, operation)));
            assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
            (encoded_encapsulation_key(kem, &*public), sent.ciphertext, sent.secret)
        };
        let portable = providers().remove(0).kem(algorithm).unwrap().clone();
        let reference = run(&*portable, 1, 2);
        for provider in providers() {
            let kem = provider.kem(algorithm).unwrap();
            assert_eq!(run(&**kem, 1, 2), reference, "{algorithm} {}", provider.id());
            let (other_key, other_operation) = (run(&**kem, 9, 2), run(&**kem, 1, 9));
            assert_ne!(other_key.0, reference.0);
            assert_eq!(other_operation.0, reference.0);
            assert_ne!(other_operation.1, reference.1);
        }
    }
}

#[test]
fn kems_round_trip_in_every_encoding() {
    for kem in kems() {
        let generated = kem.generate(Coins::Internal).unwrap();
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        assert_eq!(generated.encapsulation_key().unwrap().encode(&mut public), Ok(public.len()));
        let loaded_public = kem.load_encapsulation_key(&public).unwrap();
        assert_eq!(encoded_encapsulation_key(&*kem, &*loaded_public), public);
        let sent = encapsulate(&*kem, &*loaded_public, Coins::Internal);
        assert_ne!(encapsulate(&*kem, &*loaded_public, Coins::Internal).ciphertext, sent.ciphertext);
        let mut tampered = sent.ciphertext.clone();
        tampered[0] ^= 1;
        assert_ne!(decapsulate(&*generated, &tampered).unwrap(), sent.secret);

        for &encoding in &kem.info().encodings {
            let mut private = vec![0; kem.info().decapsulation_key(encoding).unwrap()];
            assert_eq!(generated.encode(encoding, &mut private), Ok(private.len()));
            let loaded = kem.load_decapsulation_key(encoding, &private).unwrap();
            assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
            // For a rejected ciphertext, the secret is derived from the key (FIPS 203, algorithm 18, line 7).
            assert_eq!(decapsulate(&*loaded, &tampered), decapsulate(&*generated, &tampered));
            assert_eq!(encoded_encapsulation_key(&*kem, &*loaded.encapsulation_key().unwrap()), public);
            let answered = encapsulate(&*kem, &*loaded.encapsulation_key().unwrap(), Coins::Internal);
            assert_eq!(decapsulate(&*generated, &answered.ciphertext).unwrap(), answered.secret);
            let mut again = vec![0; private.len()];
            assert_eq!(loaded.encode(encoding, &mut again), Ok(private.len()));
            assert_eq!(again, private);
        }

        let mut private = vec![0; kem.info().decapsulation_key(kem.info().encodings[0]).unwrap()];
        kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let loaded = kem.load_decapsulation_key(kem.info().encodings[0], &private).unwrap();
        let sent = encapsulate(&*kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
        let unknown = loaded.encode(KeyEncoding::Seed, &mut [0; 64]);
        assert!(matches!(unknown, Err(Error::Unsupported(_))));
    }
}

#[test]
fn loaded_keys_stay_packed_and_contain_the_public_key() {
    for kem in kems() {
        let generated = kem.generate(Coins::Exact(&bytes(64, 3))).unwrap();
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        generated.encode(KeyEncoding::Expanded, &mut private).unwrap();
        let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
        let length = kem.info().parameters.encapsulation_key;
        let (mut from_loaded, mut from_generated) = (vec![0; length], vec![0; length]);
        assert_eq!(loaded.encode_encapsulation_key(&mut from_loaded), Ok(length));
        assert_eq!(generated.encode_encapsulation_key(&mut from_generated), Ok(length));
        assert_eq!(from_loaded, from_generated);
        assert!(matches!(loaded.encode(KeyEncoding::Seed, &mut [0; 64]), Err(Error::Unsupported(_))));

        // With the same coins, packed and unpacked keys must give the same ciphertext and secret.
        let packed = kem.load_encapsulation_key(&from_loaded).unwrap();
        let unpacked = generated.encapsulation_key().unwrap();
        let one = encapsulate(&*kem, &*packed, Coins::Exact(&bytes(32, 4)));
        let other = encapsulate(&*kem, &*unpacked, Coins::Exact(&bytes(32, 4)));
        assert_eq!((&one.ciphertext, &one.secret), (&other.ciphertext, &other.secret));
        assert_eq!(decapsulate(&*loaded, &one.ciphertext).unwrap(), one.secret);
    }
}

#[test]
fn kems_refuse_wrong_lengths_and_foreign_encodings() {
    for kem in kems() {
        check_kem_refusals(&*kem);
        let key = kem.generate(Coins::Internal).unwrap();
        assert!(unsupported_error(key.encode(KeyEncoding::Scalar, &mut [])));
    }
}

/// Checks that loading a key performs the modulus check in FIPS 203, section 7.2, and the hash check in section 7.3.
#[test]
fn loading_checks_ml_kem_keys() {
    for kem in kems() {
        let key = kem.generate(Coins::Internal).unwrap();
        let mut public = encoded_encapsulation_key(&*kem, &*key.encapsulation_key().unwrap());
        public[..2].copy_from_slice(&[0xff, 0x0f]);
        assert!(matches!(kem.load_encapsulation_key(&public), Err(Error::Malformed(_))));

        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        let hash = private.len() - 64;
        private[hash] ^= 1;
        assert!(matches!(kem.load_decapsulation_key(KeyEncoding::Expanded, &private), Err(Error::Malformed(_))));
    }
}

/// Checks the first test for each parameter set in NIST ACVP v1.1.0.43, ML-DSA keyGen: `xi` and the digest of
/// `pk || sk`.
#[test]
fn ml_dsa_generates_known_keys() {
    const ANSWERS: [(&str, &str, &str); 3] = [
        (
            "ML-DSA-44",
            "7194b13c95231010afd2c909992bd2003ba6f437c3886bdbe3f6b867a14ba161",
            "4ee0b7984f2abe107bc1460cef1e7e538af697583bbeb76bd2659646c653ddb8",
        ),
        (
            "ML-DSA-65",
            "a991fd42b071d49c48ae3e75c647459e0daad1e1ba356a04801912d3294bcff8",
            "6d3c24fabceb657da3936711f675c1770bf0871cb623482b33e463fc92fd9058",
        ),
        (
            "ML-DSA-87",
            "a16f5b0796703e2d1a0140a35cbf36efabe70e752ba59b6a9a0e9c4b05302f73",
            "f28942119ee717e4ddbf8b9acfce35c7c7d7cb875596a58af15e7f654add8ac1",
        ),
    ];
    for provider in providers() {
        for (algorithm, seed, answer) in ANSWERS {
            let scheme = provider.signature(algorithm).unwrap();
            let info = scheme.info();
            let mut public = vec![0; info.parameters.verifying_key];
            let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
            let lengths = scheme.generate_encoded(Coins::Exact(&hex(seed)), &mut public, &mut private).unwrap();
            assert_eq!(lengths, (public.len(), private.len()));
            assert_eq!(digest(&[&public, &private]), answer, "{algorithm} {}", provider.id());

            let key = scheme.load_signing_key(KeyEncoding::Seed, &hex(seed)).unwrap();
            assert_eq!(encoded_verifying_key(info, &*key.verifying_key().unwrap()), public);
            let mut again = vec![0; private.len()];
            assert_eq!(key.encode(KeyEncoding::Expanded, &mut again), Ok(again.len()));
            assert_eq!(again, private);
        }
    }
}

#[test]
fn signatures_round_trip_and_reject_tampering() {
    for scheme in signatures() {
        let info = scheme.info();
        let generated = scheme.generate(Coins::Internal).unwrap();
        let public = encoded_verifying_key(info, &*generated.verifying_key().unwrap());
        let verifying = scheme.load_verifying_key(&public).unwrap();
        assert_eq!(encoded_verifying_key(info, &*verifying), public);
        for &encoding in &info.encodings {
            let mut private = vec![0; info.signing_key(encoding).unwrap()];
            assert_eq!(generated.encode(encoding, &mut private), Ok(private.len()));
            let loaded = scheme.load_signing_key(encoding, &private).unwrap();
            let signature = sign(info, &*loaded, b"context", b"message", Coins::Internal);
            assert_eq!(verifying.verify(b"context", b"message", &signature), Ok(()));
            let refused = Err(Error::VerificationFailed);
            assert_eq!(verifying.verify(b"", b"message", &signature), refused);
            assert_eq!(verifying.verify(b"context", b"massage", &signature), refused);
            assert_eq!(verifying.verify(b"context", b"message", &signature[1..]), refused);
            assert_eq!(verifying.verify(b"context", b"message", b""), refused);
            let mut tampered = signature;
            tampered[0] ^= 1;
            assert_eq!(verifying.verify(b"context", b"message", &tampered), refused);
            match loaded.verifying_key() {
                Ok(key) => assert_eq!(encoded_verifying_key(info, &*key), public),
                Err(error) => {
                    assert!(matches!(error, Error::Unsupported(_)));
                    assert_eq!(encoding, KeyEncoding::Expanded);
                    assert!(matches!(loaded.encode(KeyEncoding::Seed, &mut [0; 32]), Err(Error::Unsupported(_))));
                }
            }
        }
    }
}

#[test]
fn signatures_take_exact_coins_and_code_paths_agree() {
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let mut answers = Vec::new();
        for provider in providers() {
            let scheme = provider.signature(algorithm).unwrap();
            let (info, message) = (scheme.info(), bytes(1000, 5));
            let key = scheme.generate(Coins::Exact(&bytes(32, 1))).unwrap();
            let deterministic = sign(info, &*key, b"context", &message, Coins::Exact(&[]));
            // The deterministic variant equals signing with `rnd` set to zeros (FIPS 204, algorithm 2, line 5).
            assert_eq!(sign(info, &*key, b"context", &message, Coins::Exact(&[0; 32])), deterministic);
            let given = sign(info, &*key, b"context", &message, Coins::Exact(&bytes(32, 2)));
            assert_ne!(given, deterministic);
            let internal = sign(info, &*key, b"context", &message, Coins::Internal);
            assert_ne!(internal, sign(info, &*key, b"context", &message, Coins::Internal));
            // Earlier contents of the buffer must not remain in the signature.
            let mut used = vec![0xff; deterministic.len()];
            key.sign(b"context", &message, Coins::Exact(&[]), &mut used).unwrap();
            assert_eq!(used, deterministic);
            let verifying = key.verifying_key().unwrap();
            for signature in [&deterministic, &given, &internal] {
                assert_eq!(verifying.verify(b"context", &message, signature), Ok(()));
            }
            answers.push((deterministic, given));
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{algorithm}");
    }
}

#[test]
fn signature_schemes_refuse_wrong_lengths_and_foreign_encodings() {
    for scheme in signatures() {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        assert!(length_error(scheme.generate(Coins::Exact(&[1]))));
        assert!(length_error(scheme.load_verifying_key(&bytes(info.parameters.verifying_key - 1, 0))));
        assert!(length_error(verifying.encode(&mut [])));
        for &encoding in &info.encodings {
            let length = info.signing_key(encoding).unwrap();
            assert!(length_error(scheme.load_signing_key(encoding, &bytes(length + 1, 0))));
            assert!(length_error(key.encode(encoding, &mut vec![0; length - 1])));
        }
        assert!(matches!(scheme.load_signing_key(KeyEncoding::Der, &[]), Err(Error::Unsupported(_))));
        assert!(matches!(key.encode(KeyEncoding::Scalar, &mut []), Err(Error::Unsupported(_))));
        let mut out = vec![0; info.parameters.signature];
        assert!(length_error(key.sign(b"", b"message", Coins::Exact(&[]), &mut out[1..])));
        assert!(length_error(key.sign(b"", b"message", Coins::Exact(&[1]), &mut out)));
        assert!(length_error(key.sign(&[0; 256], b"message", Coins::Internal, &mut out)));
        assert!(length_error(verifying.verify(&[0; 256], b"message", &out)));
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
    }
}

#[test]
fn keys_work_in_several_threads() {
    providers().iter().for_each(|provider| check_threads(provider, |_| true));
}

#[test]
fn hashes_give_known_answers() {
    assert_eq!(check_known_digests(&providers()[0]), 6);
    check_batches_and_pieces(&providers()[0]);
}

#[test]
fn lanes_give_the_digests_of_single_messages() {
    let providers = providers();
    for provider in &providers[1..] {
        assert_eq!(provider.lane_hashes.len(), 1);
        crate::shared::lanes::tests::check(provider, |function, message, length| {
            let mut out = vec![0; length];
            providers[0].xof(function).unwrap().digest(message, &mut out).unwrap();
            out
        });
    }
}
