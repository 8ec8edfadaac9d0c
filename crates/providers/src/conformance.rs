//! Tests that every library must pass: round trips in all encodings, caller-supplied coins, rejected inputs, and use
//! from several threads. The tests run for every registered provider. Tests for a single library are in that library's
//! folder, and the crate `verification` compares results with published test vectors.

use crate::shared::testing::*;
use pqlab_primitives::{Coins, Error, Kem, KeyEncoding, NULL, Provider, SignatureScheme};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Returns the providers for the library that `PQLAB_PROVIDER` names, or all providers in this build if the variable is
/// not set.
fn selected() -> Vec<Arc<Provider>> {
    let name = std::env::var("PQLAB_PROVIDER").ok();
    let is_named = |provider: &Arc<Provider>| name.as_ref().is_none_or(|name| provider.library == *name);
    let all: Vec<_> =
        crate::providers().into_iter().filter(|provider| provider.library != NULL).filter(is_named).collect();
    assert!(!all.is_empty(), "PQLAB_PROVIDER must name a library in this build: {:?}", crate::LIBRARIES);
    all
}

fn kems() -> Vec<Arc<dyn Kem>> {
    selected().iter().flat_map(|provider| provider.kems.clone()).collect()
}

/// Returns the signature schemes except the small SLH-DSA sets, which need seconds for a signature. Tests in the
/// libraries' folders cover those sets.
fn schemes() -> Vec<Arc<dyn SignatureScheme>> {
    let slow = |algorithm: &str| algorithm.starts_with("SLH-DSA") && algorithm.ends_with('s');
    let all = selected().iter().flat_map(|provider| provider.signatures.clone()).collect::<Vec<_>>();
    all.into_iter().filter(|scheme| !slow(&scheme.info().parameters.algorithm)).collect()
}

#[test]
fn every_library_of_this_build_has_a_provider() {
    let providers = crate::providers();
    for library in crate::LIBRARIES {
        assert!(providers.iter().any(|provider| provider.library == *library), "{library}");
    }
    for provider in providers {
        assert!(!provider.build_info.version.contains("unknown"), "{}: {:?}", provider.id(), provider.build_info);
    }
}

/// Checks that the table in docs/explanation/timed-region.md consists of the rows in the folders' `timed.md` files. With
/// `PQLAB_RENEW_SNAPSHOTS=1`, writes the rows to that page instead.
#[test]
fn timed_region_page_has_the_rows_of_every_library() {
    const PAGE: &str = "../../docs/explanation/timed-region.md";
    macro_rules! folders {
        ($($feature:literal => $module:ident,)*) => { [$(stringify!($module),)* "null"] };
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(package.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows: String =
        crate::with_libraries!(folders).iter().map(|folder| read(&format!("src/{folder}/timed.md"))).collect();
    let text = read(PAGE);
    let begin = "\n|---|---|---|---|---|---|---|---|\n";
    let start = text.find(begin).expect("the table must have eight columns") + begin.len();
    let end = start + text[start..].find("\n\n").expect("a paragraph must follow the table") + 1;
    if std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some() {
        fs::write(package.join(PAGE), [&text[..start], rows.as_str(), &text[end..]].concat()).unwrap();
    } else {
        assert!(text[start..end] == rows, "{PAGE} differs from timed.md; update it with PQLAB_RENEW_SNAPSHOTS=1");
    }
}

#[test]
fn hashes_give_known_answers_alone_and_in_batches() {
    for provider in selected() {
        check_known_digests(&provider);
        check_batches_and_pieces(&provider);
    }
}

#[test]
fn keys_serve_several_threads() {
    let quick = |algorithm: &str| !algorithm.starts_with("SLH-DSA") && !algorithm.starts_with("SPHINCS+");
    selected().iter().for_each(|provider| check_threads(provider, quick));
}

#[test]
fn kems_round_trip_in_every_encoding() {
    for kem in kems() {
        let parameters = &kem.info().parameters;
        let generated = kem.generate(Coins::Internal).unwrap();
        let mut public = vec![0; parameters.encapsulation_key];
        assert_eq!(generated.encapsulation_key().unwrap().encode(&mut public), Ok(public.len()));
        let sent = encapsulate(&*kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);

        for &encoding in kem.written() {
            let mut private = vec![0; kem.info().decapsulation_key(encoding).unwrap()];
            assert_eq!(generated.encode(encoding, &mut private), Ok(private.len()));
            let loaded = kem.load_decapsulation_key(encoding, &private).unwrap();
            assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret, "{}", parameters.algorithm);
            let mut again = vec![0; public.len()];
            loaded.encapsulation_key().unwrap().encode(&mut again).unwrap();
            assert_eq!(again, public);
        }

        let mut private = vec![0; kem.info().decapsulation_key(kem.info().encodings[0]).unwrap()];
        kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let loaded = kem.load_decapsulation_key(kem.info().encodings[0], &private).unwrap();
        let mut sent = encapsulate(&*kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
        sent.ciphertext[0] ^= 1;
        assert_ne!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
    }
}

#[test]
fn kems_take_exact_coins() {
    for kem in kems().iter().filter(|kem| kem.info().coins.keygen && kem.info().coins.operation) {
        let parameters = &kem.info().parameters;
        let run = |keygen: u8, operation: u8| {
            let key = kem.generate(Coins::Exact(&bytes(parameters.keygen_coins, keygen))).unwrap();
            let public = key.encapsulation_key().unwrap();
            let mut encoded = vec![0; parameters.encapsulation_key];
            public.encode(&mut encoded).unwrap();
            let coins = bytes(parameters.encapsulation_coins, operation);
            let sent = encapsulate(&**kem, &*public, Coins::Exact(&coins));
            assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
            (encoded, sent.ciphertext, sent.secret)
        };
        let reference = run(1, 2);
        assert_eq!(run(1, 2), reference);
        let (other_key, other_operation) = (run(9, 2), run(1, 9));
        assert_ne!(other_key.0, reference.0);
        assert_eq!(other_operation.0, reference.0);
        assert_ne!(other_operation.1, reference.1);

        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        assert_ne!(
            encapsulate(&**kem, &*public, Coins::Internal).ciphertext,
            encapsulate(&**kem, &*public, Coins::Internal).ciphertext
        );
    }
}

#[test]
fn kems_refuse_wrong_lengths_and_foreign_encodings() {
    kems().iter().for_each(|kem| check_kem_refusals(&**kem));
}

#[test]
fn x25519_agrees_and_refuses_points_of_small_order() {
    for provider in selected().into_iter().filter(|provider| provider.key_agreement("X25519").is_some()) {
        x25519(&provider);
    }
}

fn x25519(provider: &Provider) {
    let agreement = provider.key_agreement("X25519").unwrap();
    let (mut public_a, mut private_a) = ([0; 32], [0; 32]);
    agreement.generate_encoded(Coins::Internal, &mut public_a, &mut private_a).unwrap();
    let a = agreement.load_private_key(&private_a).unwrap();
    let b = agreement.generate(Coins::Exact(&bytes(32, 5))).unwrap();
    let (mut public_b, mut again) = ([0; 32], [0; 32]);
    b.public_key(&mut public_b).unwrap();
    a.public_key(&mut again).unwrap();
    assert_eq!(again, public_a);
    b.encode(&mut again).unwrap();
    assert_eq!(again[..], bytes(32, 5));

    let (mut secret_a, mut secret_b) = ([0; 32], [0; 32]);
    a.agree(&public_b, &mut secret_a).unwrap();
    b.agree(&public_a, &mut secret_b).unwrap();
    assert_eq!(secret_a, secret_b);
    assert!(matches!(a.agree(&[0; 32], &mut secret_a), Err(Error::Malformed(_))));
    assert!(length_error(a.agree(&[9; 31], &mut secret_a)));
    assert!(length_error(a.agree(&public_b, &mut [0; 31])));
    assert!(length_error(agreement.load_private_key(&[0; 33])));

    let kem = provider.kem("X25519").unwrap();
    let small = kem.load_encapsulation_key(&[0; 32]).unwrap();
    let refused = small.encapsulate(Coins::Internal, &mut [0; 32], &mut [0; 32]);
    assert!(matches!(refused, Err(Error::Malformed(_))));
    let key = kem.generate(Coins::Internal).unwrap();
    assert!(matches!(decapsulate(&*key, &[0; 32]), Err(Error::Malformed(_))));
}

#[test]
fn signatures_round_trip_in_every_encoding() {
    for scheme in schemes() {
        let info = scheme.info();
        let context: &[u8] = if info.context { b"context" } else { b"" };
        let message = b"message";
        let generated = scheme.generate(Coins::Internal).unwrap();
        let public = encoded_verifying_key(info, &*generated.verifying_key().unwrap());
        let verifying = scheme.load_verifying_key(&public).unwrap();
        assert_eq!(encoded_verifying_key(info, &*verifying), public);
        for &encoding in scheme.written() {
            let mut private = vec![0; info.signing_key(encoding).unwrap()];
            // The length of a DER encoding varies.
            let length = generated.encode(encoding, &mut private).unwrap();
            assert!(length == private.len() || encoding == KeyEncoding::Der);
            private.truncate(length);
            let loaded = scheme.load_signing_key(encoding, &private).unwrap();
            match loaded.verifying_key() {
                Ok(key) => assert_eq!(encoded_verifying_key(info, &*key), public),
                // Some libraries cannot compute the public key from an expanded key.
                Err(error) => assert!(matches!(error, Error::Unsupported(_)), "{error}"),
            }
            let signature = sign(info, &*loaded, context, message, Coins::Internal);
            if info.context {
                assert_eq!(verifying.verify(b"", message, &signature), Err(Error::VerificationFailed));
            } else {
                assert!(unsupported_error(verifying.verify(b"x", message, &signature)));
                assert!(unsupported_error(loaded.sign(b"x", message, Coins::Internal, &mut signature.clone())));
            }
            check_accepts_only(&*verifying, context, message, signature);
        }
    }
}

#[test]
fn signature_schemes_refuse_wrong_lengths_and_foreign_encodings() {
    for scheme in schemes() {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let given = scheme.generate(Coins::Exact(&[1]));
        assert!(if info.coins.keygen { length_error(given) } else { unsupported_error(given) });
        // A DER parser reports malformed input before anyone can check the length.
        let refused = |error: Option<Error>| matches!(error, Some(Error::Length { .. } | Error::Malformed(_)));
        assert!(refused(scheme.load_verifying_key(&bytes(info.parameters.verifying_key - 1, 0)).err()));
        assert!(length_error(key.verifying_key().unwrap().encode(&mut [])));
        for &encoding in scheme.written() {
            let length = info.signing_key(encoding).unwrap();
            assert!(refused(scheme.load_signing_key(encoding, &bytes(length + 1, 0)).err()));
            assert!(length_error(key.encode(encoding, &mut vec![0; length / 2])));
        }
        assert!(
            info.encodings.contains(&KeyEncoding::Der)
                || matches!(scheme.load_signing_key(KeyEncoding::Der, &[]), Err(Error::Unsupported(_)))
        );
        let short = &mut vec![0; info.parameters.signature - 1];
        if !info.parameters.variable_length {
            assert!(length_error(key.sign(b"", b"message", Coins::Internal, short)));
        }
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
    }
}
