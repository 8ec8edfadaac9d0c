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
                // libcrux cannot derive a verifying key from an expanded key, so match the keys by
                // a signature.
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

/// Only white space may vary in PEM (RFC 7468, section 2).
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
    // Decoding a changed file must fail or yield a key that survives re-encoding.
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

/// Returns a DER element with a definite length.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..=0x7f => vec![tag, length as u8],
        0x80..=0xff => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, content.to_vec()].concat()
}

/// Returns a PKCS #8 structure: version, AlgorithmIdentifier of `identifier`, contents, and further elements.
fn pkcs8(version: u8, identifier: &Identifier, content: &[u8], more: &[u8]) -> Vec<u8> {
    let oid = der::Encode::to_der(&identifier.oid).unwrap();
    let curve = if identifier.algorithm == "ECDSA-P-256" { P256.to_vec() } else { Vec::new() };
    let algorithm = tlv(0x30, &[oid, curve].concat());
    tlv(0x30, &[tlv(0x02, &[version]), algorithm, tlv(0x04, content), more.to_vec()].concat())
}

/// Object identifier of P-256 (prime256v1) in DER.
const P256: [u8; 10] = [0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];

fn attributes() -> Vec<u8> {
    let name = tlv(0x31, &tlv(0x0c, b"key"));
    let oid = hex::decode("06092a864886f70d010914").unwrap();
    tlv(0xa0, &tlv(0x30, &[oid, name].concat()))
}

#[test]
fn the_public_key_of_version_2_must_match() {
    let identifier = Identifier::named("Ed25519").unwrap();
    for (provider, scheme) in signatures("Ed25519") {
        let key = scheme.load_signing_key(KeyEncoding::Seed, &[5; 32]).unwrap();
        let mut public = vec![0; 32];
        key.verifying_key().unwrap().encode(&mut public).unwrap();
        let seed = tlv(0x04, &[5; 32]);
        let structure = |public: &[u8]| pkcs8(1, identifier, &seed, &tlv(0x81, &[&[0][..], public].concat()));
        let read = PrivateKey::from_der(&structure(&public)).unwrap();
        assert_eq!(read.public_key(), Some(public.as_slice()));
        assert_eq!(read.to_der().unwrap().as_slice(), structure(&public));
        assert!(read.signing_key(scheme.as_ref()).is_ok(), "{provider}");
        public[3] ^= 1;
        let refused = PrivateKey::from_der(&structure(&public)).unwrap().signing_key(scheme.as_ref()).map(|_| ());
        assert_eq!(refused, Err(DecodeError::OtherPublicKey { algorithm: "Ed25519" }), "{provider}");
    }
    let seed = tlv(0x04, &[5; 32]);
    let public = tlv(0x81, &[0; 33]);
    for (der, wanted) in [
        (pkcs8(0, identifier, &seed, &public), "its version is 1"),
        (pkcs8(1, identifier, &seed, &[]), "no public key"),
        (pkcs8(2, identifier, &seed, &public), "unknown version"),
        (pkcs8(1, identifier, &seed, &tlv(0x81, &[0; 32])), "31 bytes, expected 32"),
        (pkcs8(0, identifier, &seed, &tlv(0xa0, &[])), "empty set of attributes"),
        (pkcs8(0, identifier, &seed, &tlv(0xa0, &[5, 0])), "not valid DER"),
        (pkcs8(0, identifier, &seed, &[attributes(), vec![0]].concat()), "not valid DER"),
    ] {
        let error = PrivateKey::from_der(&der).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
    }
}

#[test]
fn attributes_are_kept() {
    let identifier = Identifier::named("X25519").unwrap();
    let der = pkcs8(0, identifier, &tlv(0x04, &[5; 32]), &attributes());
    let read = PrivateKey::from_der(&der).unwrap();
    assert!(read.has_attributes() && read.public_key().is_none());
    assert_eq!(read.to_der().unwrap().as_slice(), der);
    assert!(!PrivateKey::new(identifier, Some(&[5; 32]), None).unwrap().has_attributes());
}

/// `openssl genpkey` writes the public key, and other programs also write the curve (RFC 5915, section 3).
#[test]
fn ec_keys_may_contain_the_curve_and_the_public_key() {
    let identifier = Identifier::named("ECDSA-P-256").unwrap();
    for (provider, scheme) in signatures("ECDSA-P-256") {
        let key = scheme.load_signing_key(KeyEncoding::Scalar, &[9; 32]).unwrap();
        let mut public = vec![0; 65];
        key.verifying_key().unwrap().encode(&mut public).unwrap();
        let structure = |curve: &[u8], public: &[u8]| {
            let curve = if curve.is_empty() { Vec::new() } else { tlv(0xa0, curve) };
            let public = tlv(0xa1, &tlv(0x03, &[&[0][..], public].concat()));
            let inner = tlv(0x30, &[tlv(0x02, &[1]), tlv(0x04, &[9; 32]), curve, public].concat());
            pkcs8(0, identifier, &inner, &[])
        };
        for curve in [&[][..], &P256] {
            let der = structure(curve, &public);
            let read = PrivateKey::from_der(&der).unwrap();
            assert_eq!(read.to_der().unwrap().as_slice(), der);
            assert!(read.signing_key(scheme.as_ref()).is_ok(), "{provider}");
        }
        let mut other = public.clone();
        other[40] ^= 1;
        let refused = PrivateKey::from_der(&structure(&[], &other)).unwrap().signing_key(scheme.as_ref()).map(|_| ());
        assert_eq!(refused, Err(DecodeError::OtherPublicKey { algorithm: "ECDSA-P-256" }), "{provider}");
        let p384 = hex::decode("06052b81040022").unwrap();
        assert!(PrivateKey::from_der(&structure(&p384, &public)).unwrap_err().to_string().contains("two different"));
    }
}

/// RFC 9881, section 6, and RFC 9935, section 6, define the only valid encodings inside PKCS #8.
#[test]
fn illegal_wrappings_of_ml_kem_and_ml_dsa_are_named() {
    for (algorithm, seed, expanded, public) in [("ML-DSA-65", 32, 4032, 1952), ("ML-KEM-768", 64, 2400, 1184)] {
        let identifier = Identifier::named(algorithm).unwrap();
        let (seed, expanded, public) = (vec![9; seed], vec![9; expanded], vec![9; public]);
        let string = |bytes: &[u8]| tlv(0x04, bytes);
        let joined = |one: &[u8], other: &[u8]| [one, other].concat();
        for (content, wanted) in [
            (string(&seed), "seed in an OCTET STRING"),
            (string(&string(&seed)), "in an OCTET STRING twice"),
            (string(&string(&expanded)), "in an OCTET STRING twice"),
            (string(&tlv(0x80, &seed)), "additional OCTET STRING"),
            (tlv(0xa0, &string(&seed)), "the tag must be implicit"),
            (seed.clone(), "a bare seed"),
            (expanded.clone(), "a bare expanded key"),
            (joined(&expanded, &public), "followed by the public key"),
            (string(&joined(&expanded, &public)), "public key after its expanded key"),
            (joined(&tlv(0x80, &seed), &[0]), "trailing bytes after its seed"),
            (joined(&string(&expanded), &[0]), "trailing bytes after its expanded key"),
            (tlv(0x30, &joined(&string(&expanded), &string(&seed))), "expanded key before the seed"),
            (tlv(0x30, &string(&seed)), "a seed without the expanded key"),
            (tlv(0x30, &string(&expanded)), "not valid DER"),
            (tlv(0x80, &seed[1..]), "bytes, expected"),
            (string(&expanded[1..]), "bytes, expected"),
            (tlv(0x05, &[]), "neither a seed"),
            (Vec::new(), "is empty"),
        ] {
            let error = PrivateKey::from_der(&pkcs8(0, identifier, &content, &[])).unwrap_err().to_string();
            assert!(error.contains(wanted), "{algorithm}: {wanted}: {error}");
        }
        for content in [tlv(0x80, &seed), string(&expanded), tlv(0x30, &joined(&string(&seed), &string(&expanded)))] {
            let der = pkcs8(0, identifier, &content, &[]);
            assert_eq!(PrivateKey::from_der(&der).unwrap().to_der().unwrap().as_slice(), der);
        }
    }
}

/// FIPS 203, section 7.3, requires a check of H(ek), the hash of the encapsulation key. Some libraries omit it.
#[test]
fn expanded_ml_kem_keys_with_a_wrong_hash_are_refused_by_every_provider() {
    for (algorithm, length) in [("ML-KEM-512", 1632), ("ML-KEM-768", 2400), ("ML-KEM-1024", 3168)] {
        let identifier = Identifier::named(algorithm).unwrap();
        for (provider, kem) in kems(algorithm) {
            let Ok(key) = kem.load_decapsulation_key(KeyEncoding::Seed, &[4; 64]) else { continue };
            let mut expanded = vec![0; length];
            if key.encode(KeyEncoding::Expanded, &mut expanded).is_err() {
                continue;
            }
            let prepared = |expanded: &[u8]| {
                let key = PrivateKey::new(identifier, None, Some(expanded)).unwrap();
                key.decapsulation_key(kem.as_ref()).map(|_| ())
            };
            match prepared(&expanded) {
                Err(DecodeError::Primitive(Error::Unsupported(_))) => continue,
                outcome => assert_eq!(outcome, Ok(()), "{algorithm}@{provider}"),
            }
            for place in [length - 64, length - 33] {
                let mut changed = expanded.clone();
                changed[place] ^= 1;
                assert!(prepared(&changed).is_err(), "{algorithm}@{provider}: byte {place}");
            }
        }
    }
}

/// RFC 9909, section 6: PKCS #8 contains the private key without another OCTET STRING around it.
#[test]
fn slh_dsa_keys_round_trip() {
    for (algorithm, private, public) in [("SLH-DSA-SHA2-128s", 64, 32), ("SLH-DSA-SHAKE-256f", 128, 64)] {
        let identifier = Identifier::named(algorithm).unwrap();
        let der = pkcs8(0, identifier, &vec![7; private], &[]);
        let read = PrivateKey::from_der(&der).unwrap();
        assert_eq!((read.identifier().algorithm, read.to_der().unwrap().as_slice()), (algorithm, der.as_slice()));
        let wrapped = PrivateKey::from_der(&pkcs8(0, identifier, &tlv(0x04, &vec![7; private]), &[]));
        assert!(wrapped.unwrap_err().to_string().contains("additional OCTET STRING"));
        let key = PublicKey::new(identifier, &vec![7; public]).unwrap();
        assert_eq!(PublicKey::from_der(&key.to_der().unwrap()), Ok(key));
    }
    let (_, scheme) = signatures("SLH-DSA-SHA2-128f").remove(0);
    let key = scheme.generate(Coins::Internal).unwrap();
    let mut bytes = vec![0; 64];
    key.encode(KeyEncoding::Expanded, &mut bytes).unwrap();
    let private = PrivateKey::new(Identifier::named("SLH-DSA-SHA2-128f").unwrap(), Some(&bytes), None).unwrap();
    assert!(private.signing_key(scheme.as_ref()).is_ok());
    for (provider, scheme) in signatures("SLH-DSA-SHA2-128f") {
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        let changed = PrivateKey::new(private.identifier(), Some(&changed), None).unwrap();
        let error = changed.signing_key(scheme.as_ref()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("the root in the key does not belong to its seeds"), "{provider}: {error}");
    }
}

/// The hash of the public key is part of an expanded ML-DSA key (FIPS 204, section 5.1).
#[test]
fn rejects_an_expanded_ml_dsa_key_with_a_wrong_public_part() {
    let identifier = Identifier::named("ML-DSA-44").unwrap();
    let mut rejected = 0;
    for (_, scheme) in signatures("ML-DSA-44") {
        let Ok(key) = scheme.load_signing_key(KeyEncoding::Seed, &[4; 32]) else { continue };
        let mut expanded = vec![0; 2560];
        if key.encode(KeyEncoding::Expanded, &mut expanded).is_err() {
            continue;
        }
        let prepared = |expanded: &[u8]| {
            let key = PrivateKey::new(identifier, None, Some(expanded)).unwrap();
            key.signing_key(scheme.as_ref()).map(|key| key.verifying_key().is_ok())
        };
        // Without a verifying key, nothing can be checked.
        let Ok(true) = prepared(&expanded) else { continue };
        // The layout is rho, K, tr, ... Some libraries ignore tr and compute it again.
        expanded[70] ^= 1;
        rejected += usize::from(prepared(&expanded).is_err());
    }
    assert!(rejected > 0);
}

/// SEC 1, section 2.3.3, defines compressed points.
#[test]
fn names_compressed_points() {
    let identifier = Identifier::named("ECDSA-P-256").unwrap();
    let point = [&[3][..], &[9; 32]].concat();
    let error = PublicKey::new(identifier, &point).unwrap_err().to_string();
    assert!(error.contains("openssl ec -pubin -conv_form uncompressed"), "{error}");
    let public = tlv(0xa1, &tlv(0x03, &[&[0][..], &point].concat()));
    let inner = tlv(0x30, &[tlv(0x02, &[1]), tlv(0x04, &[9; 32]), public].concat());
    let error = PrivateKey::from_der(&pkcs8(0, identifier, &inner, &[])).unwrap_err().to_string();
    assert!(error.contains("compressed public key"), "{error}");
}

/// RFC 8017, appendix A.1.2: version 1 means more than two primes.
#[test]
fn names_multi_prime_rsa_keys() {
    let modulus = tlv(0x02, &[&[0][..], &[0xff; 256]].concat());
    let key = tlv(0x30, &[tlv(0x02, &[1]), modulus, tlv(0x02, &[1, 0, 1])].concat());
    let error = PrivateKey::new(Identifier::named("RSA-2048").unwrap(), Some(&key), None).unwrap_err().to_string();
    let wanted = "RSA-2048 with more than two primes; supported: RSA-2048 with the exponent 65537";
    assert!(error.contains(wanted), "{error}");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// White space, line lengths and surrounding text do not change a key. A truncated file is never a key.
        #[test]
        fn pem_is_independent_of_its_layout(
            bytes in prop::collection::vec(any::<u8>(), 32),
            width in 1_usize..100,
            end in prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n", " \n", "\n\t "]),
            before in "[a-z \n]{0,20}",
            after in "[a-z \n]{0,20}",
            cut in any::<prop::sample::Index>(),
        ) {
            let key = PublicKey::new(Identifier::named("X25519").unwrap(), &bytes).unwrap();
            let pem = key.to_pem().unwrap();
            let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
            let lines = body.as_bytes().chunks(width).map(|line| String::from_utf8(line.to_vec()).unwrap() + end);
            let body: String = lines.collect();
            let text = format!("{before}-----BEGIN PUBLIC KEY-----{end}{body}-----END PUBLIC KEY-----{after}");
            prop_assert_eq!(PublicKey::from_pem(&text), Ok(key));
            let whole = text.len() - after.len();
            prop_assert!(PublicKey::from_pem(&text[..cut.index(whole)]).is_err());
            prop_assert!(PublicKey::from_pem(&text.repeat(2)).unwrap_err().to_string().contains("2 blocks"));
        }

        /// Re-encoding an accepted structure yields the same bytes, so nothing is lost or invented.
        #[test]
        fn accepted_private_keys_round_trip(
            algorithm in prop::sample::select(vec!["Ed25519", "X25519", "ECDSA-P-256", "ML-KEM-512", "ML-DSA-44", "SLH-DSA-SHA2-128s"]),
            version in 0_u8..3,
            public in any::<bool>(),
            attributed in any::<bool>(),
            place in any::<prop::sample::Index>(),
            flip in 0_u8..=255,
        ) {
            let identifier = Identifier::named(algorithm).unwrap();
            let (content, length) = match algorithm {
                "ECDSA-P-256" => (tlv(0x30, &[tlv(2, &[1]), tlv(4, &[9; 32])].concat()), 65),
                "ML-KEM-512" => (tlv(0x80, &[9; 64]), 800),
                "ML-DSA-44" => (tlv(0x80, &[9; 32]), 1312),
                "SLH-DSA-SHA2-128s" => (vec![9; 64], 32),
                _ => (tlv(0x04, &[9; 32]), 32),
            };
            let attributes = if attributed { attributes() } else { Vec::new() };
            let next = if public { tlv(0x81, &vec![0; length + 1]) } else { Vec::new() };
            let mut der = pkcs8(version, identifier, &content, &[attributes, next].concat());
            let read = PrivateKey::from_der(&der);
            prop_assert_eq!(read.is_ok(), version == u8::from(public), "{:?}", read);
            let place = place.index(der.len());
            der[place] ^= flip;
            if let Ok(read) = PrivateKey::from_der(&der) {
                prop_assert_eq!(read.to_der().unwrap().to_vec(), der.clone());
            }
        }
    }
}
