use super::*;
use crate::shared::testing::{check_threads, length_error};

const SCHEMES: [(&str, u8); 2] = [("Falcon-padded-512", 0x39), ("Falcon-padded-1024", 0x3a)];

fn scheme(algorithm: &str) -> Arc<dyn SignatureScheme> {
    providers().pop().unwrap().signature(algorithm).unwrap().clone()
}

fn sign(scheme: &dyn SignatureScheme, key: &dyn SigningKey, message: &[u8]) -> Vec<u8> {
    let mut out = vec![0; scheme.info().parameters.signature];
    assert_eq!(key.sign(b"", message, Coins::Internal, &mut out), Ok(out.len()));
    out
}

/// Returns the encoded verifying key and the encoded signing key.
fn encoded(scheme: &dyn SignatureScheme, key: &dyn SigningKey) -> (Vec<u8>, Vec<u8>) {
    let mut public = vec![0; scheme.info().parameters.verifying_key];
    assert_eq!(key.verifying_key().unwrap().encode(&mut public), Ok(public.len()));
    let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
    assert_eq!(key.encode(KeyEncoding::Expanded, &mut private), Ok(private.len()));
    (public, private)
}

fn unsupported_error<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Unsupported(_)))
}

/// Version 0.4 of the crate implements the draft of FN-DSA, which is a different algorithm.
#[test]
fn the_version_is_the_last_with_falcon() {
    let provider = providers().pop().unwrap();
    assert!(provider.build_info.version.starts_with("0.3."), "{:?}", provider.build_info);
    assert_eq!((provider.signatures.len(), provider.unsupported.len()), (2, 2));
}

#[test]
fn lengths_match_the_table() {
    for (algorithm, logn) in [("Falcon-padded-512", 9), ("Falcon-padded-1024", 10)] {
        let parameters = SignatureParameters::of(algorithm).unwrap();
        assert_eq!(parameters.verifying_key, vrfy_key_size(logn));
        assert_eq!(parameters.signing_key(KeyEncoding::Expanded), Some(sign_key_size(logn)));
        assert_eq!(parameters.signature, signature_size(logn));
    }
}

#[test]
fn signatures_round_trip_and_reject_tampering() {
    for (algorithm, header) in SCHEMES {
        let scheme = scheme(algorithm);
        let generated = scheme.generate(Coins::Internal).unwrap();
        let (public, private) = encoded(&*scheme, &*generated);
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        assert_eq!(encoded(&*scheme, &*loaded), (public.clone(), private), "must give the same public key");
        let verifying = scheme.load_verifying_key(&public).unwrap();
        for key in [&generated, &loaded] {
            let mut signature = sign(&*scheme, &**key, b"message");
            assert_eq!(signature[0], header);
            assert_ne!(sign(&*scheme, &**key, b"message"), signature, "each signature must use a new nonce");
            assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
            let refused = Err(Error::VerificationFailed);
            assert_eq!(verifying.verify(b"", b"massage", &signature), refused);
            assert_eq!(verifying.verify(b"", b"message", &signature[1..]), refused);
            assert_eq!(verifying.verify(b"", b"message", b""), refused);
            signature[50] ^= 1;
            assert_eq!(verifying.verify(b"", b"message", &signature), refused);
        }

        let (mut public, mut private) = (public, vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()]);
        let lengths = scheme.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        assert_eq!(lengths, (public.len(), private.len()));
        let key = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let signature = sign(&*scheme, &*key, b"message");
        assert_eq!(scheme.load_verifying_key(&public).unwrap().verify(b"", b"message", &signature), Ok(()));
    }
}

#[test]
fn rejects_damaged_keys() {
    for (algorithm, _) in SCHEMES {
        let scheme = scheme(algorithm);
        let (mut public, mut private) = encoded(&*scheme, &*scheme.generate(Coins::Internal).unwrap());
        public[0] ^= 1;
        private[0] ^= 1;
        assert!(matches!(scheme.load_verifying_key(&public), Err(Error::Malformed(_))), "accepted a wrong header");
        assert!(matches!(scheme.load_signing_key(KeyEncoding::Expanded, &private), Err(Error::Malformed(_))));
        public[0] ^= 1;
        public[1] = 0xff;
        public[2] = 0xff;
        assert!(matches!(scheme.load_verifying_key(&public), Err(Error::Malformed(_))), "accepted coefficient above q");
    }
}

#[test]
fn rejects_wrong_lengths_and_unsupported_requests() {
    for (algorithm, _) in SCHEMES {
        let scheme = scheme(algorithm);
        let parameters = &scheme.info().parameters;
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        let length = scheme.info().signing_key(KeyEncoding::Expanded).unwrap();
        assert!(unsupported_error(scheme.generate(Coins::Exact(&[0; 32]))));
        assert!(length_error(scheme.load_verifying_key(&vec![0; parameters.verifying_key - 1])));
        assert!(length_error(scheme.load_signing_key(KeyEncoding::Expanded, &vec![0; length + 1])));
        assert!(unsupported_error(scheme.load_signing_key(KeyEncoding::Seed, &[0; 32])));
        assert!(unsupported_error(key.encode(KeyEncoding::Seed, &mut [0; 32])));
        assert!(length_error(key.encode(KeyEncoding::Expanded, &mut vec![0; length - 1])));
        assert!(length_error(verifying.encode(&mut [])));
        let mut out = vec![0; parameters.signature];
        assert!(length_error(key.sign(b"", b"message", Coins::Internal, &mut out[1..])));
        assert!(unsupported_error(key.sign(b"", b"message", Coins::Exact(&[]), &mut out)));
        assert!(unsupported_error(key.sign(b"context", b"message", Coins::Internal, &mut out)));
        assert!(unsupported_error(verifying.verify(b"context", b"message", &out)));
        assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
    }
}

#[test]
fn keys_work_in_several_threads() {
    check_threads(&providers().pop().unwrap(), |_| true);
}

/// Checks that each library loads the other library's keys and verifies its signatures in the padded encoding.
#[cfg(feature = "liboqs")]
#[test]
fn liboqs_and_fn_dsa_interoperate() {
    let liboqs = crate::liboqs::providers().pop().unwrap();
    for (algorithm, _) in SCHEMES {
        let (ours, theirs) = (scheme(algorithm), liboqs.signature(algorithm).unwrap().clone());
        for (maker, other) in [(&ours, &theirs), (&theirs, &ours)] {
            let generated = maker.generate(Coins::Internal).unwrap();
            let (public, private) = encoded(&**maker, &*generated);
            let loaded = other.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
            for (scheme, key) in [(maker, &generated), (other, &loaded)] {
                for i in 0..8u8 {
                    let signature = sign(&**scheme, &**key, &[i]);
                    for verifier in [maker, other] {
                        let verifying = verifier.load_verifying_key(&public).unwrap();
                        assert_eq!(verifying.verify(b"", &[i], &signature), Ok(()), "{algorithm}");
                        let other_message = verifying.verify(b"", &[!i], &signature);
                        assert_eq!(other_message, Err(Error::VerificationFailed));
                    }
                }
            }
        }
    }
}

/// Checks that signing from an encoded key accepts and rejects the same requests as signing with a loaded key.
#[test]
fn signs_from_encoded_keys() {
    for provider in providers() {
        for scheme in &provider.signatures {
            let parameters = &scheme.info().parameters;
            let mut public = vec![0; parameters.verifying_key];
            let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
            scheme.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
            let mut signature = vec![0; parameters.signature];
            let mut sign = |encoding, key: &[u8], context: &[u8], coins| {
                scheme.sign_from(encoding, key, context, b"message", coins, &mut signature)
            };
            let expanded = KeyEncoding::Expanded;
            assert!(matches!(sign(KeyEncoding::Seed, &private, b"", Coins::Internal), Err(Error::Unsupported(_))));
            assert!(matches!(sign(expanded, &private, b"x", Coins::Internal), Err(Error::Unsupported(_))));
            assert!(matches!(sign(expanded, &private, b"", Coins::Exact(&[1])), Err(Error::Unsupported(_))));
            assert!(matches!(sign(expanded, &private[1..], b"", Coins::Internal), Err(Error::Length { .. })));
            let damaged = vec![0xff; private.len()];
            assert!(matches!(sign(expanded, &damaged, b"", Coins::Internal), Err(Error::Malformed(_))));
            let length = sign(expanded, &private, b"", Coins::Internal).unwrap();
            let verifier = scheme.load_verifying_key(&public).unwrap();
            assert_eq!(verifier.verify(b"", b"message", &signature[..length]), Ok(()));
            assert!(verifier.verify(b"", b"another", &signature[..length]).is_err());
            assert!(scheme.sign_from(expanded, &private, b"", b"message", Coins::Internal, &mut [0; 9]).is_err());
        }
    }
}
