use super::{digest_of, error_queue_is_empty, hex, pattern, provider};
use crate::shared::testing::ML_DSA_KEYGEN;
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme, SigningKey};

const MESSAGE: &[u8] = b"a message";

fn encode_verifying_key(scheme: &dyn SignatureScheme, key: &dyn SigningKey) -> Vec<u8> {
    let mut bytes = vec![0; scheme.info().parameters.verifying_key];
    let length = key.verifying_key().unwrap().encode(&mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

fn encode_signing_key(scheme: &dyn SignatureScheme, key: &dyn SigningKey, encoding: KeyEncoding) -> Vec<u8> {
    let mut bytes = vec![0; scheme.info().signing_key(encoding).unwrap()];
    let length = key.encode(encoding, &mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

fn sign(scheme: &dyn SignatureScheme, key: &dyn SigningKey, message: &[u8], coins: Coins) -> Vec<u8> {
    let mut signature = vec![0; scheme.info().parameters.signature];
    assert_eq!(key.sign(&[], message, coins, &mut signature).unwrap(), signature.len());
    signature
}

#[test]
fn round_trip_in_every_encoding() {
    for scheme in &provider().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let public = encode_verifying_key(scheme.as_ref(), key.as_ref());
        let verifier = scheme.load_verifying_key(&public).unwrap();
        for message in [&b""[..], MESSAGE, &[7; 5000]] {
            let signature = sign(scheme.as_ref(), key.as_ref(), message, Coins::Internal);
            verifier.verify(&[], message, &signature).unwrap();
        }
        for &encoding in &scheme.info().encodings {
            let encoded = encode_signing_key(scheme.as_ref(), key.as_ref(), encoding);
            let loaded = scheme.load_signing_key(encoding, &encoded).unwrap();
            let signature = sign(scheme.as_ref(), loaded.as_ref(), MESSAGE, Coins::Internal);
            verifier.verify(&[], MESSAGE, &signature).unwrap();
            assert_eq!(encode_verifying_key(scheme.as_ref(), loaded.as_ref()), public);
            assert_eq!(encode_signing_key(scheme.as_ref(), loaded.as_ref(), encoding), encoded);
        }
    }
}

#[test]
fn generated_encodings_match() {
    for scheme in &provider().signatures {
        let parameters = &scheme.info().parameters;
        let encoding = scheme.info().encodings[0];
        let mut public = vec![0; parameters.verifying_key];
        let mut private = vec![0; parameters.signing_key(encoding).unwrap()];
        let (public_len, private_len) = scheme.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let key = scheme.load_signing_key(encoding, &private[..private_len]).unwrap();
        assert_eq!(encode_verifying_key(scheme.as_ref(), key.as_ref()), public[..public_len]);
    }
}

#[test]
fn rejects_tampering() {
    for scheme in &provider().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifier = key.verifying_key().unwrap();
        let signature = sign(scheme.as_ref(), key.as_ref(), MESSAGE, Coins::Internal);
        let refused = Err(Error::VerificationFailed);
        assert_eq!(verifier.verify(&[], b"another message", &signature), refused);
        for position in [0, signature.len() / 2, signature.len() - 1] {
            let mut tampered = signature.clone();
            tampered[position] ^= 1;
            assert_eq!(verifier.verify(&[], MESSAGE, &tampered), refused);
        }
        for wrong in [&signature[1..], &[], &[signature.as_slice(), &[0]].concat(), &vec![0; signature.len()]] {
            assert_eq!(verifier.verify(&[], MESSAGE, wrong), refused);
        }
        let other = scheme.generate(Coins::Internal).unwrap().verifying_key().unwrap();
        assert_eq!(other.verify(&[], MESSAGE, &signature), refused);
        verifier.verify(&[], MESSAGE, &signature).unwrap();
        assert!(error_queue_is_empty());
    }
}

#[test]
fn exact_coins_are_reproducible() {
    for scheme in &provider().signatures {
        let parameters = &scheme.info().parameters;
        let coins = pattern(parameters.keygen_coins, 1);
        if !scheme.info().coins.keygen {
            assert!(matches!(scheme.generate(Coins::Exact(&coins)).err(), Some(Error::Unsupported(_))));
            continue;
        }
        let (one, two) =
            (scheme.generate(Coins::Exact(&coins)).unwrap(), scheme.generate(Coins::Exact(&coins)).unwrap());
        let public = encode_verifying_key(scheme.as_ref(), one.as_ref());
        assert_eq!(public, encode_verifying_key(scheme.as_ref(), two.as_ref()));
        let encoding = scheme.info().encodings[0];
        let mut encoded = vec![0; parameters.verifying_key];
        let mut private = vec![0; parameters.signing_key(encoding).unwrap()];
        scheme.generate_encoded(Coins::Exact(&coins), &mut encoded, &mut private).unwrap();
        assert_eq!(public, encoded);

        let mut signature = vec![0; parameters.signature];
        if !scheme.info().coins.operation {
            let refused = one.sign(&[], MESSAGE, Coins::Exact(&[]), &mut signature);
            assert!(matches!(refused, Err(Error::Unsupported(_))));
            continue;
        }
        let deterministic = sign(scheme.as_ref(), one.as_ref(), MESSAGE, Coins::Exact(&[]));
        assert_eq!(deterministic, sign(scheme.as_ref(), two.as_ref(), MESSAGE, Coins::Exact(&[])));
        let verifier = one.verifying_key().unwrap();
        verifier.verify(&[], MESSAGE, &deterministic).unwrap();
        if parameters.signing_coins > 0 {
            let coins = pattern(parameters.signing_coins, 2);
            let given = sign(scheme.as_ref(), one.as_ref(), MESSAGE, Coins::Exact(&coins));
            assert_eq!(given, sign(scheme.as_ref(), two.as_ref(), MESSAGE, Coins::Exact(&coins)));
            assert_ne!(given, deterministic);
            verifier.verify(&[], MESSAGE, &given).unwrap();
        }
    }
}

#[test]
fn hedged_schemes_never_repeat_a_signature() {
    for scheme in &provider().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let one = sign(scheme.as_ref(), key.as_ref(), MESSAGE, Coins::Internal);
        let two = sign(scheme.as_ref(), key.as_ref(), MESSAGE, Coins::Internal);
        assert_eq!(one != two, scheme.info().hedged, "{}", scheme.info().parameters.algorithm);
    }
}

#[test]
fn signatures_depend_on_the_context_string() {
    for scheme in &provider().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifier = key.verifying_key().unwrap();
        let mut signature = vec![0; scheme.info().parameters.signature];
        if !scheme.info().context {
            let refused = key.sign(b"context", MESSAGE, Coins::Internal, &mut signature);
            assert!(matches!(refused, Err(Error::Unsupported(_))));
            assert!(matches!(verifier.verify(b"context", MESSAGE, &signature), Err(Error::Unsupported(_))));
            continue;
        }
        for coins in [Coins::Internal, Coins::Exact(&[])] {
            for context in [&b"context"[..], &[9; 255]] {
                key.sign(context, MESSAGE, coins, &mut signature).unwrap();
                verifier.verify(context, MESSAGE, &signature).unwrap();
                assert_eq!(verifier.verify(&[], MESSAGE, &signature), Err(Error::VerificationFailed));
                assert_eq!(verifier.verify(&context[1..], MESSAGE, &signature), Err(Error::VerificationFailed));
                // A later call without a context string must not reuse the previous one.
                key.sign(&[], MESSAGE, coins, &mut signature).unwrap();
                verifier.verify(&[], MESSAGE, &signature).unwrap();
                assert_eq!(verifier.verify(context, MESSAGE, &signature), Err(Error::VerificationFailed));
            }
        }
        let too_long = Error::Length { what: "context", expected: 255, actual: 256 };
        assert_eq!(key.sign(&[0; 256], MESSAGE, Coins::Internal, &mut signature), Err(too_long.clone()));
        assert_eq!(verifier.verify(&[0; 256], MESSAGE, &signature), Err(too_long));
    }
}

#[test]
fn ml_dsa_matches_known_answers() {
    for [algorithm, seed, public_digest, private_digest] in ML_DSA_KEYGEN {
        let provider = provider();
        let scheme = provider.signature(algorithm).unwrap();
        let key = scheme.load_signing_key(KeyEncoding::Seed, &hex(seed)).unwrap();
        let public = encode_verifying_key(scheme.as_ref(), key.as_ref());
        let private = encode_signing_key(scheme.as_ref(), key.as_ref(), KeyEncoding::Expanded);
        assert_eq!(digest_of(&public), public_digest, "{algorithm}");
        assert_eq!(digest_of(&private), private_digest, "{algorithm}");
    }
}

#[test]
fn ed25519_matches_known_answers() {
    // Test 2 in RFC 8032, section 7.1.
    let provider = provider();
    let scheme = provider.signature("Ed25519").unwrap();
    let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let key = scheme.load_signing_key(KeyEncoding::Seed, &seed).unwrap();
    let public = encode_verifying_key(scheme.as_ref(), key.as_ref());
    assert_eq!(hex::encode(&public), "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    let signature = sign(scheme.as_ref(), key.as_ref(), &[0x72], Coins::Internal);
    assert_eq!(
        hex::encode(&signature),
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    );
}

#[test]
fn ecdsa_matches_known_answers() {
    // Message "sample" in RFC 6979, appendix A.2.5 and A.2.6, and Wycheproof test 1 for secp256k1 with SHA-256.
    let p256 = [
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
         7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
         f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ];
    let p384 = [
        "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
        "04ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13\
         8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
        "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46\
         99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
    ];
    let provider = provider();
    for (algorithm, [scalar, public, signature]) in [("ECDSA-P-256", p256), ("ECDSA-P-384", p384)] {
        let scheme = provider.signature(algorithm).unwrap();
        let key = scheme.load_signing_key(KeyEncoding::Scalar, &hex(scalar)).unwrap();
        assert_eq!(hex::encode(encode_verifying_key(scheme.as_ref(), key.as_ref())), public);
        key.verifying_key().unwrap().verify(&[], b"sample", &hex(signature)).unwrap();
    }

    let scheme = provider.signature("ECDSA-secp256k1").unwrap();
    let uncompressed = hex("04b838ff44e5bc177bf21189d0766082fc9d843226887fc9760371100b7ee20a6f\
         f0c9d75bfba7b31a6bca1974496eeb56de357071955d83c4b1badaa0b21832e9");
    // This signature contains the greater of the two values for `s`, which is valid in ECDSA.
    let signature = hex("813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc9832365\
         900e75ad233fcc908509dbff5922647db37c21f4afd3203ae8dc4ae7794b0f87");
    let verifier = scheme.load_verifying_key(&uncompressed).unwrap();
    verifier.verify(&[], b"123400", &signature).unwrap();
    let mut compressed = [0; 33];
    assert_eq!(verifier.encode(&mut compressed).unwrap(), 33);
    assert_eq!((compressed[0], &compressed[1..]), (3, &uncompressed[1..33]));
    scheme.load_verifying_key(&compressed).unwrap().verify(&[], b"123400", &signature).unwrap();
}

#[test]
fn secp256k1_signatures_have_the_smaller_s() {
    let provider = provider();
    let scheme = provider.signature("ECDSA-secp256k1").unwrap();
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifier = key.verifying_key().unwrap();
    // Half of the group order `n` (SEC 2, section 2.4.1).
    let half_order = hex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");
    for i in 0..64u8 {
        let signature = sign(scheme.as_ref(), key.as_ref(), &[i], Coins::Internal);
        assert!(signature[32..] <= half_order[..]);
        verifier.verify(&[], &[i], &signature).unwrap();
    }
}

#[test]
fn rejects_malformed_keys() {
    let provider = provider();
    let scheme = provider.signature("ML-DSA-44").unwrap();
    let key = scheme.generate(Coins::Internal).unwrap();
    let mut expanded = encode_signing_key(scheme.as_ref(), key.as_ref(), KeyEncoding::Expanded);
    // Each of the first eight coefficients of `s1` takes three bits and must be at most 4 (FIPS 204, algorithm 25).
    expanded[128..131].fill(0xff);
    let refused = scheme.load_signing_key(KeyEncoding::Expanded, &expanded).err();
    assert_eq!(refused, Some(Error::Malformed("ML-DSA signing key")));

    for (algorithm, scalar, point) in [("ECDSA-secp256k1", 32, 33), ("ECDSA-P-256", 32, 65), ("ECDSA-P-384", 48, 97)] {
        let scheme = provider.signature(algorithm).unwrap();
        for byte in [0, 0xff] {
            let refused = scheme.load_signing_key(KeyEncoding::Scalar, &vec![byte; scalar]).err();
            assert_eq!(refused, Some(Error::Malformed("ECDSA signing key")), "{algorithm}");
            let refused = scheme.load_verifying_key(&vec![byte; point]).err();
            assert_eq!(refused, Some(Error::Malformed("ECDSA verifying key")), "{algorithm}");
        }
        // The first point is not on the curve. The second uses the hybrid form, which SEC 1 does not define.
        let mut uncompressed = vec![1; 1 + 2 * scalar];
        for form in [4, 6] {
            uncompressed[0] = form;
            let refused = scheme.load_verifying_key(&uncompressed).err();
            assert_eq!(refused, Some(Error::Malformed("ECDSA verifying key")), "{algorithm}");
        }
    }

    let scheme = provider.signature("RSA-2048").unwrap();
    let key = scheme.generate(Coins::Internal).unwrap();
    let public = encode_verifying_key(scheme.as_ref(), key.as_ref());
    let private = encode_signing_key(scheme.as_ref(), key.as_ref(), KeyEncoding::Der);
    for wrong in [&public[..269], &[], &[public.as_slice(), &[0]].concat()] {
        let refused = scheme.load_verifying_key(wrong).err();
        assert_eq!(refused, Some(Error::Malformed("RSA-2048 verifying key")));
    }
    for wrong in [&private[..private.len() - 1], &[], &public] {
        let refused = scheme.load_signing_key(KeyEncoding::Der, wrong).err();
        assert_eq!(refused, Some(Error::Malformed("RSA-2048 signing key")));
    }
    assert!(error_queue_is_empty());
}

#[test]
fn rejects_wrong_lengths() {
    let length = |result: Result<(), Error>| matches!(result, Err(Error::Length { .. }));
    for scheme in &provider().signatures {
        let parameters = &scheme.info().parameters;
        let encoding = scheme.info().encodings[0];
        let key = scheme.generate(Coins::Internal).unwrap();
        let mut signature = vec![0; parameters.signature];
        assert!(length(key.sign(&[], MESSAGE, Coins::Internal, &mut signature[1..]).map(drop)));
        if scheme.info().coins.operation {
            assert!(length(key.sign(&[], MESSAGE, Coins::Exact(&[0; 5]), &mut signature).map(drop)));
        }
        assert!(length(key.encode(encoding, &mut [0; 16]).map(drop)));
        assert!(length(key.verifying_key().unwrap().encode(&mut [0; 16]).map(drop)));
        assert!(length(scheme.generate_encoded(Coins::Internal, &mut [0; 16], &mut [0; 1200]).map(drop)));
        let mut public = vec![0; parameters.verifying_key];
        assert!(length(scheme.generate_encoded(Coins::Internal, &mut public, &mut [0; 16]).map(drop)));
        if encoding != KeyEncoding::Der {
            for &encoding in &scheme.info().encodings {
                assert!(length(scheme.load_signing_key(encoding, &[0; 31]).map(drop)));
            }
            assert!(length(scheme.load_verifying_key(&[4; 31]).map(drop)));
            assert!(length(scheme.load_verifying_key(&[]).map(drop)));
            assert!(length(scheme.generate(Coins::Exact(&[0; 31])).map(drop)));
            let unknown = scheme.load_signing_key(KeyEncoding::Der, &[0; 32]).err();
            assert!(matches!(unknown, Some(Error::Unsupported(_))));
            assert!(matches!(key.encode(KeyEncoding::Der, &mut [0; 5000]), Err(Error::Unsupported(_))));
        }
    }
}

#[test]
fn one_key_serves_several_threads() {
    for scheme in &provider().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifier = key.verifying_key().unwrap();
        let context: &[u8] = if scheme.info().context { b"context" } else { b"" };
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let (key, verifier, scheme) = (&key, &verifier, &scheme);
                scope.spawn(move || {
                    let mut signature = vec![0; scheme.info().parameters.signature];
                    // Half of the threads set a context string in the contexts that all threads share.
                    let context = if thread % 2 == 0 { context } else { b"" };
                    for i in 0..20 {
                        let message = [thread, i];
                        key.sign(context, &message, Coins::Internal, &mut signature).unwrap();
                        verifier.verify(context, &message, &signature).unwrap();
                    }
                });
            }
        });
    }
}
