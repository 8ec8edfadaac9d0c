use super::*;
use crate::shared::testing::*;
use flate2::read::GzDecoder;
use pqlab_primitives::{Coins, KeyEncoding};
use pqlab_testing::{Need, require};
use pqlab_verification::vectors_root;
use std::fs::File;
use std::io::Read;

fn provider() -> Provider {
    providers().pop().unwrap()
}

/// Returns the SHA3-256 digest of the concatenated parts, for comparing long outputs. `hashes_give_known_answers`
/// checks this hash function.
fn digest(parts: &[&[u8]]) -> String {
    let mut out = [0; 32];
    provider().hash("SHA3-256").unwrap().digest(&parts.concat(), &mut out).unwrap();
    hex::encode(out)
}

#[test]
fn offers_every_algorithm_in_scope() {
    let provider = provider();
    assert_eq!(provider.kems.len(), kem::ALGORITHMS.len(), "{:?}", provider.unsupported);
    assert_eq!(provider.signatures.len(), signature::ALGORITHMS.len(), "{:?}", provider.unsupported);
    assert_eq!((provider.hashes.len(), provider.xofs.len()), (3, 2));
    assert!(provider.signatures.iter().all(|scheme| {
        let info = scheme.info();
        info.context == info.parameters.algorithm.starts_with("ML-DSA")
    }));
    let BuildInfo { version, build } = provider.build_info;
    assert_eq!(crate_version("oqs-sys").split_once("+liboqs-").unwrap().1, version);
    assert!(build.contains("OQS_DIST_BUILD=1"), "{build}");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(build.contains(" avx2 "), is_x86_feature_detected!("avx2"), "{build}");
}

#[test]
fn ml_kem_generates_known_keys() {
    let provider = provider();
    for (algorithm, seed, answer) in ML_KEM_KEYGEN {
        let kem = provider.kem(algorithm).unwrap();
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        kem.generate_encoded(Coins::Exact(&hex(seed)), &mut public, &mut private).unwrap();
        assert_eq!(digest(&[&public, &private]), answer, "{algorithm}");

        let key = kem.generate(Coins::Exact(&hex(seed))).unwrap();
        assert_eq!(encoded_encapsulation_key(&**kem, &*key.encapsulation_key().unwrap()), public);
        let mut again = vec![0; private.len()];
        assert_eq!(key.encode(KeyEncoding::Expanded, &mut again), Ok(again.len()));
        assert_eq!(again, private);
    }
}

#[test]
fn kems_round_trip() {
    for kem in &provider().kems {
        let generated = kem.generate(Coins::Internal).unwrap();
        let public = encoded_encapsulation_key(&**kem, &*generated.encapsulation_key().unwrap());
        let loaded_public = kem.load_encapsulation_key(&public).unwrap();
        let sent = encapsulate(&**kem, &*loaded_public, Coins::Internal);
        assert_ne!(encapsulate(&**kem, &*loaded_public, Coins::Internal).ciphertext, sent.ciphertext);
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        assert_eq!(generated.encode(KeyEncoding::Expanded, &mut private), Ok(private.len()));
        let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
        assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
        let mut tampered = sent.ciphertext;
        tampered[0] ^= 1;
        assert_ne!(decapsulate(&*loaded, &tampered).unwrap(), sent.secret);
        // For a rejected ciphertext, the secret is derived from the key (FIPS 203, algorithm 18, line 7).
        assert_eq!(decapsulate(&*loaded, &tampered), decapsulate(&*generated, &tampered));
    }
}

#[test]
fn kems_reject_wrong_lengths_and_unsupported_requests() {
    for kem in &provider().kems {
        check_kem_refusals(&**kem);
        let key = kem.generate(Coins::Internal).unwrap();
        assert!(unsupported_error(kem.load_decapsulation_key(KeyEncoding::Seed, &[0; 64])));
        assert!(unsupported_error(key.encode(KeyEncoding::Seed, &mut [0; 64])));
    }
}

/// Checks that using a key performs the modulus check (FIPS 203, section 7.2) and the hash check (section 7.3).
#[test]
fn checks_ml_kem_keys_on_first_use() {
    for kem in &provider().kems {
        let key = kem.generate(Coins::Internal).unwrap();
        let mut public = encoded_encapsulation_key(&**kem, &*key.encapsulation_key().unwrap());
        let sent = encapsulate(&**kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        public[..2].copy_from_slice(&[0xff, 0x0f]);
        let refused = try_encapsulate(&**kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        assert!(matches!(refused, Err(Error::Malformed("encapsulation key"))));

        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        let hash = private.len() - 64;
        private[hash] ^= 1;
        let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
        assert_eq!(decapsulate(&*loaded, &sent.ciphertext), Err(Error::Malformed("decapsulation key")));
    }
}

#[test]
fn signatures_round_trip_and_reject_tampering() {
    for scheme in &provider().signatures {
        let info = scheme.info();
        let context: &[u8] = if info.context { b"context" } else { b"" };
        let generated = scheme.generate(Coins::Internal).unwrap();
        let public = encoded_verifying_key(info, &*generated.verifying_key().unwrap());
        let verifying = scheme.load_verifying_key(&public).unwrap();
        let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
        assert_eq!(generated.encode(KeyEncoding::Expanded, &mut private), Ok(private.len()));
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        for key in [&generated, &loaded] {
            let mut signature = sign(info, &**key, context, b"message", Coins::Internal);
            assert_ne!(sign(info, &**key, context, b"message", Coins::Internal), signature, "must be random");
            assert_eq!(verifying.verify(context, b"message", &signature), Ok(()), "{}", info.parameters.algorithm);
            let rejected = Err(Error::VerificationFailed);
            assert_eq!(verifying.verify(context, b"massage", &signature), rejected);
            assert_eq!(verifying.verify(context, b"message", &signature[1..]), rejected);
            assert_eq!(verifying.verify(context, b"message", &signature[..signature.len() - 1]), rejected);
            assert_eq!(verifying.verify(context, b"message", b""), rejected);
            signature[50] ^= 1;
            assert_eq!(verifying.verify(context, b"message", &signature), rejected);
        }
        match loaded.verifying_key() {
            Ok(key) => assert_eq!(encoded_verifying_key(info, &*key), public),
            Err(error) => {
                assert!(matches!(error, Error::Unsupported(_)));
                assert!(!info.parameters.algorithm.starts_with("SPHINCS+"));
            }
        }
    }
}

#[test]
fn ml_dsa_distinguishes_contexts() {
    let provider = provider();
    let scheme = provider.signature("ML-DSA-65").unwrap();
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifying = key.verifying_key().unwrap();
    let signature = sign(scheme.info(), &*key, b"context", b"message", Coins::Internal);
    assert_eq!(verifying.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
    assert_eq!(verifying.verify(b"contexts", b"message", &signature), Err(Error::VerificationFailed));
    let without = sign(scheme.info(), &*key, b"", b"message", Coins::Internal);
    assert_eq!(verifying.verify(b"", b"message", &without), Ok(()));
    assert!(length_error(key.sign(&[0; 256], b"", Coins::Internal, &mut signature.clone())));
    assert!(length_error(verifying.verify(&[0; 256], b"", &signature)));
}

#[test]
fn signature_schemes_reject_wrong_lengths_and_unsupported_requests() {
    for scheme in &provider().signatures {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        let length = info.signing_key(KeyEncoding::Expanded).unwrap();
        assert!(unsupported_error(scheme.generate(Coins::Exact(&[0; 32]))));
        assert!(length_error(scheme.load_verifying_key(&bytes(info.parameters.verifying_key - 1, 0))));
        assert!(length_error(verifying.encode(&mut [])));
        assert!(length_error(scheme.load_signing_key(KeyEncoding::Expanded, &bytes(length + 1, 0))));
        assert!(length_error(key.encode(KeyEncoding::Expanded, &mut vec![0; length - 1])));
        assert!(unsupported_error(scheme.load_signing_key(KeyEncoding::Seed, &[0; 32])));
        assert!(unsupported_error(key.encode(KeyEncoding::Seed, &mut [0; 32])));
        let mut out = vec![0; info.parameters.signature];
        assert!(length_error(key.sign(b"", b"message", Coins::Internal, &mut out[1..])));
        assert!(unsupported_error(key.sign(b"", b"message", Coins::Exact(&[]), &mut out)));
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
        if !info.context {
            assert!(unsupported_error(key.sign(b"context", b"message", Coins::Internal, &mut out)));
            assert!(unsupported_error(verifying.verify(b"context", b"message", &out)));
        }
    }
}

/// Falcon keys contain a header and coefficients of limited size (Falcon specification, sections 3.11.4 and 3.11.5).
/// The library checks both when a key is used.
#[test]
fn rejects_damaged_falcon_keys_on_first_use() {
    for scheme in provider().signatures.iter().filter(|scheme| scheme.info().parameters.algorithm.starts_with("Falcon"))
    {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let signature = sign(info, &*key, b"", b"message", Coins::Internal);
        let mut public = encoded_verifying_key(info, &*key.verifying_key().unwrap());
        let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        public[0] ^= 1;
        private[0] ^= 1;
        let verifying = scheme.load_verifying_key(&public).unwrap();
        assert_eq!(verifying.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let refused = loaded.sign(b"", b"message", Coins::Internal, &mut vec![0; info.parameters.signature]);
        assert_eq!(refused, Err(Error::Malformed("signing key")));
    }
}

/// Falcon signatures consist of a header, a nonce of 40 bytes and a compressed vector, with or without zero padding
/// (Falcon specification, section 3.11.3).
#[test]
fn falcon_signatures_have_one_header_and_two_lengths() {
    let provider = provider();
    for (degree, header, padded_length) in [("512", 0x39, 666), ("1024", 0x3a, 1280)] {
        let variable = provider.signature(&format!("Falcon-{degree}")).unwrap();
        let padded = provider.signature(&format!("Falcon-padded-{degree}")).unwrap();
        let key = variable.generate(Coins::Internal).unwrap();
        let mut private = vec![0; variable.info().signing_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        let public = encoded_verifying_key(variable.info(), &*key.verifying_key().unwrap());
        let padded_key = padded.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let signatures: Vec<Vec<u8>> =
            (0..16u8).map(|i| sign(variable.info(), &*key, b"", &[i], Coins::Internal)).collect();
        assert!(signatures.iter().any(|signature| signature.len() != signatures[0].len()));
        assert!(signatures.iter().all(|signature| signature[0] == header));

        let fixed = sign(padded.info(), &*padded_key, b"", b"message", Coins::Internal);
        assert_eq!((fixed[0], fixed.len()), (header, padded_length));
        let verifying = padded.load_verifying_key(&public).unwrap();
        assert_eq!(verifying.verify(b"", b"message", &fixed), Ok(()));
        for (i, signature) in (0u8..).zip(&signatures).filter(|(_, signature)| signature.len() < padded_length) {
            assert_eq!(verifying.verify(b"", &[i], signature), Err(Error::VerificationFailed), "must require padding");
            let mut with_zeros = signature.clone();
            with_zeros.resize(padded_length, 0);
            assert_eq!(verifying.verify(b"", &[i], &with_zeros), Ok(()), "must accept zero padding");
        }
    }
}

/// Checks known answers from the round 3 submission, which bcgit/bc-test-data contains. A signed message in that file
/// consists of the length of the signature in 2 bytes, the nonce, the message, the header 0x29 and the compressed
/// vector.
#[test]
fn falcon_verifies_the_published_signatures() {
    let vectors = require!(vectors_root(), Need::Vectors);
    let mut text = String::new();
    let file = File::open(vectors.join("bc-test-data/falcon/falcon512-KAT.rsp.gz")).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let provider = provider();
    let schemes = ["Falcon-512", "Falcon-padded-512"].map(|name| provider.signature(name).unwrap());
    let mut count = 0;
    for case in text.split("count = ").skip(1) {
        let field = |name: &str| {
            let line = case.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            hex(line.unwrap())
        };
        let (public, message, signed) = (field("pk"), field("msg"), field("sm"));
        let (vector, nonce) = (signed.len() - usize::from(u16::from_be_bytes([signed[0], signed[1]])), &signed[2..42]);
        assert_eq!((&signed[42..vector], signed[vector]), (&message[..], 0x29));
        let mut signature = [&[0x39], nonce, &signed[vector + 1..]].concat();
        for scheme in schemes {
            signature.resize(signature.len().max(if scheme.info().parameters.variable_length { 0 } else { 666 }), 0);
            let verifying = scheme.load_verifying_key(&public).unwrap();
            assert_eq!(verifying.verify(b"", &message, &signature), Ok(()), "{case}");
        }
        let private = field("sk");
        let key = schemes[0].load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let again = sign(schemes[0].info(), &*key, b"", &message, Coins::Internal);
        assert_eq!(schemes[0].load_verifying_key(&public).unwrap().verify(b"", &message, &again), Ok(()));
        count += 1;
    }
    assert_eq!(count, 100);
}

#[test]
fn keys_work_from_several_threads() {
    check_threads(&provider(), |_| true);
}

#[test]
fn hashes_give_known_answers() {
    assert_eq!(check_known_digests(&provider()), 5);
    check_batches_and_pieces(&provider());
}

#[test]
fn four_messages_at_once_match_single_messages() {
    let provider = provider();
    assert_eq!(provider.lane_hashes.len(), 2);
    crate::shared::lanes::tests::check(&provider, |function, message, length| {
        let mut out = vec![0; length];
        provider.xof(function).unwrap().digest(message, &mut out).unwrap();
        out
    });
}
