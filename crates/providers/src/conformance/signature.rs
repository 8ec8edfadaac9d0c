use super::{ENCODINGS, selected};
use crate::shared::testing::*;
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme, VerifyingKey};
use std::sync::Arc;

const MESSAGE: &[u8] = b"message";

/// Algorithms with their group orders in hexadecimal (SEC 2, section 2.4.1; SP 800-186, sections 3.2.1.3 and 3.2.1.4).
const CURVES: [(&str, &str); 3] = [
    ("ECDSA-secp256k1", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    ("ECDSA-P-256", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    ("ECDSA-P-384", "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
];

/// Returns the signature schemes except the small (`s`) parameter sets of SLH-DSA, which take seconds per signature.
/// The cross-library checks in the `verification` crate cover those sets.
fn schemes() -> Vec<Arc<dyn SignatureScheme>> {
    let slow = |algorithm: &str| algorithm.starts_with("SLH-DSA") && algorithm.ends_with('s');
    let all = selected().iter().flat_map(|provider| provider.signatures.clone()).collect::<Vec<_>>();
    all.into_iter().filter(|scheme| !slow(&scheme.info().parameters.algorithm)).collect()
}

fn schemes_of(algorithm: &str) -> Vec<Arc<dyn SignatureScheme>> {
    selected().iter().filter_map(|provider| provider.signature(algorithm).cloned()).collect()
}

fn generate_encoded(scheme: &dyn SignatureScheme, coins: Coins) -> (Vec<u8>, Vec<u8>) {
    let info = scheme.info();
    let mut public = vec![0; info.parameters.verifying_key];
    let mut private = vec![0; info.signing_key(info.encodings[0]).unwrap()];
    let lengths = scheme.generate_encoded(coins, &mut public, &mut private).unwrap();
    public.truncate(lengths.0);
    private.truncate(lengths.1);
    (public, private)
}

/// Returns whether a key or a signature of the wrong length was rejected. For DER, the parser
/// reports malformed input before the adapter can check the length.
fn refused<T>(result: pqlab_primitives::Result<T>) -> bool {
    matches!(result, Err(Error::Length { .. } | Error::Malformed(_)))
}

/// Checks that a signature verifies only for the signed message, and that changed, shorter or longer signatures do not
/// verify.
fn check_accepts_only(key: &dyn VerifyingKey, context: &[u8], message: &[u8], mut signature: Vec<u8>) {
    let refused = Err(Error::VerificationFailed);
    assert_eq!(key.verify(context, message, &signature), Ok(()));
    assert_eq!(key.verify(context, b"massage", &signature), refused);
    for position in [0, signature.len() / 2, signature.len() - 1] {
        signature[position] ^= 1;
        assert_eq!(key.verify(context, message, &signature), refused, "byte {position}");
        signature[position] ^= 1;
    }
    for fill in [0, 0xff] {
        assert_eq!(key.verify(context, message, &vec![fill; signature.len()]), refused);
    }
    assert_eq!(key.verify(context, message, &signature[1..]), refused);
    assert_eq!(key.verify(context, message, &[]), refused);
    // Not zero: a Falcon signature one byte shorter than the padded length becomes a valid, padded one.
    signature.push(0xff);
    assert_eq!(key.verify(context, message, &signature), refused);
}

#[test]
fn signatures_round_trip_in_every_encoding() {
    for scheme in schemes() {
        let info = scheme.info();
        let context: &[u8] = if info.context { b"context" } else { b"" };
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
            let mut again = vec![0; info.signing_key(encoding).unwrap()];
            assert_eq!(loaded.encode(encoding, &mut again), Ok(length), "{}", info.parameters.algorithm);
            assert_eq!(again[..length], private);
            if encoding == KeyEncoding::Expanded {
                assert!(unsupported_error(loaded.encode(KeyEncoding::Seed, &mut [0; 64])));
            }
            let signature = sign(info, &*loaded, context, MESSAGE, Coins::Internal);
            check_accepts_only(&*verifying, context, MESSAGE, signature);

            let mut signature = vec![0; info.parameters.signature];
            let length = scheme.sign_from(encoding, &private, context, MESSAGE, Coins::Internal, &mut signature);
            assert_eq!(verifying.verify(context, MESSAGE, &signature[..length.unwrap()]), Ok(()));
        }

        let (public, private) = generate_encoded(&*scheme, Coins::Internal);
        let key = scheme.load_signing_key(info.encodings[0], &private).unwrap();
        let verifying = scheme.load_verifying_key(&public).unwrap();
        let signature = sign(info, &*key, context, MESSAGE, Coins::Internal);
        assert_eq!(verifying.verify(context, MESSAGE, &signature), Ok(()), "{}", info.parameters.algorithm);
        let other = generated.verifying_key().unwrap();
        assert_eq!(other.verify(context, MESSAGE, &signature), Err(Error::VerificationFailed));
    }
}

/// Signs and verifies with alternating contexts, because a prepared key may remember the previous context.
#[test]
fn signatures_depend_on_the_context() {
    for scheme in schemes() {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        let mut out = vec![0; info.parameters.signature];
        if !info.context {
            assert!(unsupported_error(key.sign(b"x", MESSAGE, Coins::Internal, &mut out)));
            assert!(unsupported_error(verifying.verify(b"x", MESSAGE, &out)));
            continue;
        }
        let longest = [7; 255];
        let contexts: [&[u8]; 4] = [b"", b"one", &longest, b"on"];
        let contexts = if info.parameters.standard == "FIPS 205" { &contexts[..2] } else { &contexts };
        let coins = [Coins::Internal, Coins::Exact(&[])];
        for coins in &coins[..if info.coins.operation { 2 } else { 1 }] {
            let signatures: Vec<_> =
                contexts.iter().map(|context| sign(info, &*key, context, MESSAGE, *coins)).collect();
            for (signed, signature) in contexts.iter().zip(&signatures) {
                for context in contexts {
                    let expected = if context == signed { Ok(()) } else { Err(Error::VerificationFailed) };
                    assert_eq!(
                        verifying.verify(context, MESSAGE, signature),
                        expected,
                        "{}",
                        info.parameters.algorithm
                    );
                }
            }
            assert!(length_error(key.sign(&[0; 256], MESSAGE, *coins, &mut out)));
        }
        assert!(length_error(verifying.verify(&[0; 256], MESSAGE, &out)));
    }
}

#[test]
fn signature_schemes_take_exact_coins() {
    for scheme in schemes() {
        let (info, parameters) = (scheme.info(), &scheme.info().parameters);
        let coins = bytes(parameters.keygen_coins, 1);
        if info.coins.keygen {
            let (public, private) = generate_encoded(&*scheme, Coins::Exact(&coins));
            assert_eq!(generate_encoded(&*scheme, Coins::Exact(&coins)), (public.clone(), private.clone()));
            assert_ne!(generate_encoded(&*scheme, Coins::Internal).0, public, "{}", parameters.algorithm);
            let key = scheme.generate(Coins::Exact(&coins)).unwrap();
            assert_eq!(encoded_verifying_key(info, &*key.verifying_key().unwrap()), public);
            if scheme.written().contains(&info.encodings[0]) {
                let mut again = vec![0; private.len()];
                assert_eq!(key.encode(info.encodings[0], &mut again), Ok(private.len()));
                assert_eq!(again, private);
            }
        } else {
            assert!(unsupported_error(scheme.generate(Coins::Exact(&coins))));
        }

        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        let signed = |coins| sign(info, &*key, b"", MESSAGE, coins);
        let internal = signed(Coins::Internal);
        assert_eq!(internal != signed(Coins::Internal), scheme.draws_to_sign(), "{}", parameters.algorithm);
        let mut out = vec![0xff; parameters.signature];
        if !info.coins.operation {
            assert!(unsupported_error(key.sign(b"", MESSAGE, Coins::Exact(&[]), &mut out)));
            continue;
        }
        let deterministic = signed(Coins::Exact(&[]));
        assert_eq!(internal != deterministic, info.hedged, "{}", parameters.algorithm);
        // Deterministic signing must not affect later hedged signing with the same key.
        assert_eq!(signed(Coins::Internal) != deterministic, info.hedged, "{}", parameters.algorithm);
        // Old contents of the buffer must not leak into the signature.
        let length = key.sign(b"", MESSAGE, Coins::Exact(&[]), &mut out).unwrap();
        assert_eq!(out[..length], deterministic);
        assert_eq!(verifying.verify(b"", MESSAGE, &deterministic), Ok(()));
        let wrong = vec![0; parameters.signing_coins + 1];
        assert!(length_error(key.sign(b"", MESSAGE, Coins::Exact(&wrong), &mut out)));
        if parameters.signing_coins == 0 {
            continue;
        }
        assert!(length_error(key.sign(b"", MESSAGE, Coins::Exact(&wrong[2..]), &mut out)));
        let given = bytes(parameters.signing_coins, 4);
        let exact = signed(Coins::Exact(&given));
        assert_ne!(exact, deterministic);
        assert_eq!(signed(Coins::Exact(&given)), exact);
        assert_eq!(verifying.verify(b"", MESSAGE, &exact), Ok(()));
        // The deterministic variants use fixed coins: zeros in ML-DSA (FIPS 204, algorithm 2, line 5) and `PK.seed` in
        // SLH-DSA (FIPS 205, algorithm 22, line 3).
        let fixed = match parameters.standard.as_ref() {
            "FIPS 204" => vec![0; parameters.signing_coins],
            _ => encoded_verifying_key(info, &*verifying)[..parameters.signing_coins].to_vec(),
        };
        assert_eq!(signed(Coins::Exact(&fixed)), deterministic, "{}", parameters.algorithm);
    }
}

#[test]
fn signature_schemes_refuse_wrong_lengths_and_foreign_encodings() {
    for scheme in schemes() {
        let (info, parameters) = (scheme.info(), &scheme.info().parameters);
        let algorithm = &parameters.algorithm;
        let key = scheme.generate(Coins::Internal).unwrap();
        if info.coins.keygen {
            for length in [1, parameters.keygen_coins + 1] {
                assert!(length_error(scheme.generate(Coins::Exact(&bytes(length, 1)))), "{algorithm}");
            }
        }
        let mut public = encoded_verifying_key(info, &*key.verifying_key().unwrap());
        for short in [0, 1, public.len() - 1] {
            assert!(refused(scheme.load_verifying_key(&public[..short])), "{algorithm}");
        }
        public.push(0);
        assert!(refused(scheme.load_verifying_key(&public)), "{algorithm}");
        assert!(length_error(key.verifying_key().unwrap().encode(&mut vec![0; parameters.verifying_key - 1])));

        let mut out = vec![0; parameters.signature];
        for encoding in ENCODINGS {
            let length = info.signing_key(encoding).unwrap_or(32);
            if !info.encodings.contains(&encoding) {
                let signed = scheme.sign_from(encoding, &[1; 32], b"", MESSAGE, Coins::Internal, &mut out);
                assert!(unsupported_error(signed), "{algorithm}");
                assert!(unsupported_error(scheme.load_signing_key(encoding, &[1; 32])), "{algorithm}");
            }
            if !scheme.written().contains(&encoding) {
                assert!(unsupported_error(key.encode(encoding, &mut vec![0; length])), "{algorithm}");
                continue;
            }
            assert!(length_error(key.encode(encoding, &mut vec![0; length / 2])));
            let mut private = vec![0; length];
            let length = key.encode(encoding, &mut private).unwrap();
            private.resize(length + 1, 0);
            for wrong in [0, length - 1, length + 1] {
                let private = &private[..wrong];
                assert!(refused(scheme.load_signing_key(encoding, private)), "{algorithm}, {wrong} bytes");
                assert!(refused(scheme.sign_from(encoding, private, b"", MESSAGE, Coins::Internal, &mut out)));
            }
            let private = &private[..length];
            let signed = scheme.sign_from(encoding, private, b"", MESSAGE, Coins::Internal, &mut out[..9]);
            assert!(length_error(signed), "{algorithm}");
            if !info.context {
                let signed = scheme.sign_from(encoding, private, b"x", MESSAGE, Coins::Internal, &mut out);
                assert!(unsupported_error(signed), "{algorithm}");
            }
            if !info.coins.operation {
                let signed = scheme.sign_from(encoding, private, b"", MESSAGE, Coins::Exact(&[1]), &mut out);
                assert!(unsupported_error(signed), "{algorithm}");
            }
        }
        if !parameters.variable_length {
            assert!(length_error(key.sign(b"", MESSAGE, Coins::Internal, &mut out[1..])));
            if info.coins.operation {
                assert!(length_error(key.sign(b"", MESSAGE, Coins::Exact(&[]), &mut out[1..])));
            }
        }
        let (mut public, mut private) = generate_encoded(&*scheme, Coins::Internal);
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut public[1..], &mut private)));
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut public, &mut [0; 16])));
    }
}

#[test]
fn ecdsa_refuses_scalars_out_of_range_and_points_off_the_curve() {
    for (algorithm, order) in CURVES {
        for scheme in schemes_of(algorithm) {
            let order = hex(order);
            for outside in [vec![0; order.len()], order.clone(), vec![0xff; order.len()]] {
                assert!(malformed_error(scheme.load_signing_key(KeyEncoding::Scalar, &outside)), "{algorithm}");
                assert!(malformed_error(scheme.generate(Coins::Exact(&outside))), "{algorithm}");
            }
            let mut last = order.clone();
            *last.last_mut().unwrap() -= 1;
            assert!(scheme.load_signing_key(KeyEncoding::Scalar, &last).is_ok(), "{algorithm}");
            // Form 4 is uncompressed. Form 6 is the hybrid form, which SEC 1 does not define.
            for form in [4, 6] {
                for fill in [1, 0xff] {
                    let mut point = vec![fill; 1 + 2 * order.len()];
                    point[0] = form;
                    assert!(malformed_error(scheme.load_verifying_key(&point)), "{algorithm}, form {form}");
                    assert!(refused(scheme.load_verifying_key(&point[..1 + order.len()])), "{algorithm}");
                }
            }
            let mut point = vec![0xff; 1 + order.len()];
            point[0] = 2;
            assert!(refused(scheme.load_verifying_key(&point)), "{algorithm}");
        }
    }
}

#[test]
fn ecdsa_loads_points_in_both_forms() {
    // The generator of secp256k1 (SEC 2, section 2.4.1) is the public key for the scalar 1.
    let (x, y) = (
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    );
    for (algorithm, order) in CURVES {
        for provider in selected() {
            let Some(scheme) = provider.signature(algorithm) else { continue };
            let (info, length) = (scheme.info(), order.len() / 2);
            let mut one = vec![0; length];
            one[length - 1] = 1;
            let key = scheme.load_signing_key(KeyEncoding::Scalar, &one).unwrap();
            let native = encoded_verifying_key(info, &*key.verifying_key().unwrap());
            let (compressed, uncompressed) = match algorithm {
                "ECDSA-secp256k1" => (hex(&format!("02{x}")), hex(&format!("04{x}{y}"))),
                _ => ([&[2 | (native[2 * length] & 1)], &native[1..=length]].concat(), native.clone()),
            };
            let signature = sign(info, &*key, b"", MESSAGE, Coins::Internal);
            for form in [compressed, uncompressed] {
                let loaded = scheme.load_verifying_key(&form);
                if provider.library == "graviola" && form.len() <= 1 + length {
                    assert!(length_error(loaded), "must reject compressed points");
                    continue;
                }
                let loaded = loaded.unwrap();
                assert_eq!(loaded.verify(b"", MESSAGE, &signature), Ok(()), "{algorithm} {}", provider.id());
                assert_eq!(encoded_verifying_key(info, &*loaded), native);
            }
        }
    }
}

/// Replacing `s` with the group order minus `s` gives another valid signature. For secp256k1, ledgers require the lower
/// of the two values.
#[test]
fn ecdsa_accepts_both_values_of_s_and_signs_with_the_lower_for_ledgers() {
    for (algorithm, order) in CURVES {
        let order = hex(order);
        for scheme in schemes_of(algorithm) {
            let key = scheme.generate(Coins::Internal).unwrap();
            let verifying = key.verifying_key().unwrap();
            for message in 0..32_u8 {
                let signature = sign(scheme.info(), &*key, b"", &[message], Coins::Internal);
                let (r, s) = signature.split_at(order.len());
                let (mut other, mut borrow) = (vec![0; order.len()], false);
                for place in (0..order.len()).rev() {
                    let (difference, first) = order[place].overflowing_sub(s[place]);
                    let (difference, second) = difference.overflowing_sub(u8::from(borrow));
                    (other[place], borrow) = (difference, first || second);
                }
                assert!(algorithm != "ECDSA-secp256k1" || *s < other[..], "must sign with the lower s");
                assert_eq!(verifying.verify(b"", &[message], &signature), Ok(()), "{algorithm}");
                assert_eq!(verifying.verify(b"", &[message], &[r, &other].concat()), Ok(()), "{algorithm}");
            }
        }
    }
}

#[test]
fn rsa_refuses_keys_of_the_wrong_kind_and_size() {
    for scheme in schemes_of("RSA-2048") {
        let (public, private) = generate_encoded(&*scheme, Coins::Internal);
        assert!(malformed_error(scheme.load_verifying_key(&private)));
        assert!(malformed_error(scheme.load_signing_key(KeyEncoding::Der, &public)));
        // `RSAPublicKey` with the modulus 0xffff, which has 2 bytes instead of 256.
        assert!(malformed_error(scheme.load_verifying_key(&hex("300a020300ffff0203010001"))));
    }
}
