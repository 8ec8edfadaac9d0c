//! Tests published certificates, newly built certificates, and corrupted ones.

#![allow(clippy::unwrap_used)]

mod common;

use base64ct::{Base64, Encoding};
use common::{hash, read_json, signatures};
use pqlab_constructions::CompositeSignature;
use pqlab_constructions::certificate::detached::Bundle;
use pqlab_constructions::certificate::{
    Certificate, CertificateError, Profile, Schemes, Signatures, SigningKeys, SubjectType, build, verify_chain,
};
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_openssl_sys as openssl;
use pqlab_primitives::{Coins, SignatureScheme, SigningKey};
use pqlab_testing::{Need, program, require};
use pqlab_verification::vectors_root;
use sha2::{Digest, Sha256};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, SubjectKeyIdentifier};

const NOW: Duration = Duration::from_secs(1_800_000_000);
const DAY: Duration = Duration::from_secs(86_400);

fn composite() -> Arc<dyn SignatureScheme> {
    let halves = (signatures("Ed25519").remove(0).1, signatures("ML-DSA-65").remove(0).1);
    Arc::new(CompositeSignature::new(halves.0, halves.1, hash("SHA-512")).unwrap())
}

fn scheme(algorithm: &str) -> Arc<dyn SignatureScheme> {
    if algorithm == CompositeSignature::ALGORITHM { composite() } else { signatures(algorithm).remove(0).1 }
}

fn schemes() -> Schemes {
    let classical = ["Ed25519", "ECDSA-P-256", "RSA-2048"];
    let names = classical.into_iter().chain(["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", CompositeSignature::ALGORITHM]);
    Schemes::new(names.map(scheme).collect())
}

/// Subject or issuer with one key, or with a classical and an alternative key.
struct Owner {
    name: &'static str,
    keys: Vec<(&'static Identifier, Box<dyn SigningKey>, PublicKey)>,
}

impl Owner {
    fn new(name: &'static str, algorithms: &[&str]) -> Owner {
        let keys = algorithms.iter().map(|algorithm| {
            let scheme = scheme(algorithm);
            let key = scheme.generate(Coins::Internal).unwrap();
            let mut public = vec![0; scheme.info().parameters.verifying_key];
            key.verifying_key().unwrap().encode(&mut public).unwrap();
            let identifier = Identifier::named(algorithm).unwrap();
            (identifier, key, PublicKey::new(identifier, &public).unwrap())
        });
        Owner { name, keys: keys.collect() }
    }

    fn signing_keys(&self) -> SigningKeys<'_> {
        match self.keys.as_slice() {
            [(identifier, key, _)] => SigningKeys::Single(identifier, key.as_ref()),
            [first, second] => SigningKeys::Alternative {
                classical: (first.0, first.1.as_ref()),
                alternative: (second.0, second.1.as_ref()),
            },
            _ => unreachable!(),
        }
    }

    fn issue(&self, subject: &Owner, subject_type: SubjectType) -> Certificate {
        Certificate::from_der(&self.issue_with(&profile(self, subject, subject_type), subject)).unwrap()
    }

    fn key_identifier(&self) -> [u8; 20] {
        self.keys[0].2.key_identifier(hash("SHA-256").as_ref()).unwrap()
    }

    fn issue_with(&self, profile: &Profile, subject: &Owner) -> Vec<u8> {
        let alternative = subject.keys.get(1).map(|key| &key.2);
        build(profile, &subject.keys[0].2, alternative, &self.signing_keys(), Coins::Internal).unwrap()
    }
}

fn profile(issuer: &Owner, subject: &Owner, subject_type: SubjectType) -> Profile {
    Profile {
        serial_number: vec![0x7f, 1, 2, 3],
        issuer: format!("CN={},O=pqlab", issuer.name),
        subject: format!("CN={},O=pqlab", subject.name),
        subject_key_identifier: subject.key_identifier(),
        authority_key_identifier: issuer.key_identifier(),
        not_before: NOW - DAY,
        not_after: NOW + DAY,
        dns_names: if subject_type == SubjectType::Leaf { vec!["leaf.example".into()] } else { Vec::new() },
        subject_type,
    }
}

const AUTHORITY: SubjectType = SubjectType::Authority { path_length: None };
const FORMS: [&[&str]; 4] = [&["Ed25519", "ML-DSA-65"], &[CompositeSignature::ALGORITHM], &["ML-DSA-65"], &["Ed25519"]];

fn chain(form: &[&str]) -> (Vec<Certificate>, Certificate) {
    let (root, middle, leaf) = (Owner::new("root", form), Owner::new("middle", form), Owner::new("leaf", form));
    let first = root.issue(&root, AUTHORITY);
    (
        vec![
            middle.issue(&leaf, SubjectType::Leaf),
            root.issue(&middle, SubjectType::Authority { path_length: Some(0) }),
        ],
        first,
    )
}

#[test]
fn verifies_a_chain_of_three_in_every_form() {
    for form in FORMS {
        let (chain, root) = chain(form);
        verify_chain(&chain, &root, NOW, &schemes()).unwrap();
        let expected = if form.len() == 2 { Signatures::Both } else { Signatures::One };
        assert_eq!(root.verify(&root, &schemes()), Ok(expected));
        assert_eq!(chain[0].has_alternative_signature(), form.len() == 2);
        assert_eq!(Certificate::subject(root.as_der()).unwrap(), "CN=root,O=pqlab");
        let again = Certificate::from_pem(&root.to_pem().unwrap()).unwrap();
        assert_eq!(again.as_der(), root.as_der());
    }
}

/// ECDSA and RSA differ from the other algorithms. Their key identifiers have parameters and differ from their
/// signature identifiers. Certificates encode ECDSA signatures in DER.
#[test]
fn verifies_ecdsa_and_rsa_chains_unless_changed() {
    for algorithm in ["ECDSA-P-256", "RSA-2048"] {
        let (chain, root) = chain(&[algorithm]);
        verify_chain(&chain, &root, NOW, &schemes()).unwrap();
        assert_eq!(chain[0].signature_algorithm().algorithm, algorithm);
        assert_eq!(chain[0].subject_key().identifier().algorithm, algorithm);
        let mut changed = chain[0].as_der().to_vec();
        *changed.last_mut().unwrap() ^= 1;
        let changed = Certificate::from_der(&changed).unwrap();
        assert_eq!(changed.verify(&chain[1], &schemes()), Err(CertificateError::Signature("outer")), "{algorithm}");
    }
}

/// RFC 5280, sections 4.2.1.1 and 4.2.1.2, defines the extensions with key identifiers.
#[test]
fn certificates_name_the_key_of_subject_and_issuer() {
    for form in FORMS {
        let (root, leaf) = (Owner::new("root", form), Owner::new("leaf", form));
        for (subject, subject_type) in [(&root, AUTHORITY), (&leaf, SubjectType::Leaf)] {
            let certificate = root.issue(subject, subject_type);
            let tbs = certificate.parsed().tbs_certificate();
            let (critical, identifier) = tbs.get_extension::<SubjectKeyIdentifier>().unwrap().unwrap();
            assert!(!critical);
            let digest = Sha256::digest(subject.keys[0].2.as_bytes());
            assert_eq!(identifier.0.as_bytes(), &digest[..20]);
            let (critical, identifier) = tbs.get_extension::<AuthorityKeyIdentifier>().unwrap().unwrap();
            assert!(!critical);
            let digest = Sha256::digest(root.keys[0].2.as_bytes());
            assert_eq!(identifier.key_identifier.unwrap().as_bytes(), &digest[..20]);
        }
    }
}

#[test]
fn rejects_every_broken_chain_rule() {
    let form = FORMS[0];
    let (good, root) = chain(form);
    let refused = |chain: &[Certificate], root: &Certificate, at| match verify_chain(chain, root, at, &schemes()) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("accepted"),
    };
    assert!(refused(&good, &root, NOW + DAY + DAY).contains("expired"));
    assert!(refused(&good, &root, NOW - DAY - DAY).contains("not valid yet"));
    assert!(refused(&[], &root, NOW).contains("missing"));
    assert!(refused(&good[..1], &root, NOW).contains("names a different issuer"));
    let (others, other_root) = chain(form);
    assert!(refused(&good, &other_root, NOW).contains("signature is invalid"));
    assert!(refused(&[good[0].clone(), others[1].clone()], &root, NOW).contains("signature is invalid"));
    // In `by_leaf`, a leaf signs a certificate. `too_long` exceeds a path length of 0.
    let (root, middle, leaf, last) =
        (Owner::new("root", form), Owner::new("middle", form), Owner::new("leaf", form), Owner::new("last", form));
    let first = root.issue(&root, AUTHORITY);
    let by_leaf = [leaf.issue(&last, SubjectType::Leaf), root.issue(&leaf, SubjectType::Leaf)];
    assert!(refused(&by_leaf, &first, NOW).contains("not a CA certificate"));
    let too_long = [
        leaf.issue(&last, SubjectType::Leaf),
        middle.issue(&leaf, AUTHORITY),
        root.issue(&middle, SubjectType::Authority { path_length: Some(0) }),
    ];
    assert!(refused(&too_long, &first, NOW).contains("has a path length constraint that the chain exceeds"));
}

/// An attacker who breaks the classical key must not be able to remove the alternative signature.
#[test]
fn rejects_stripped_hybrid_certificates() {
    let hybrid = Owner::new("root", FORMS[0]);
    let root = hybrid.issue(&hybrid, AUTHORITY);
    let (identifier, key, public) = &hybrid.keys[0];
    let keys = SigningKeys::Single(identifier, key.as_ref());
    let stripped = build(&profile(&hybrid, &hybrid, AUTHORITY), public, None, &keys, Coins::Internal).unwrap();
    let stripped = Certificate::from_der(&stripped).unwrap();
    assert_eq!(stripped.verify(&root, &schemes()), Err(CertificateError::Signature("alternative")));
}

#[test]
fn verifies_the_alternative_signature_independently() {
    let owner = Owner::new("root", FORMS[0]);
    let root = owner.issue(&owner, AUTHORITY);
    let der = root.as_der();
    let signature = root.alternative_signature().unwrap();
    let start = der.windows(signature.len()).position(|window| window == signature).unwrap();
    let flipped = |place: usize| {
        let mut changed = der.to_vec();
        changed[place] ^= 1;
        Certificate::from_der(&changed).unwrap()
    };
    let refused = Err(CertificateError::Signature("alternative"));
    assert_eq!(root.verify_alternative(&root, &schemes()), Ok(()));
    let outer = flipped(der.len() - 1);
    assert_eq!(outer.verify_alternative(&root, &schemes()), Ok(()));
    assert_eq!(outer.verify(&root, &schemes()), Err(CertificateError::Signature("outer")));
    assert_eq!(flipped(start).verify_alternative(&root, &schemes()), refused);
    let other = Owner::new("root", FORMS[0]);
    assert_eq!(root.verify_alternative(&other.issue(&other, AUTHORITY), &schemes()), refused);
    let classical = Owner::new("root", FORMS[3]);
    let classical = classical.issue(&classical, AUTHORITY);
    assert_eq!(classical.verify_alternative(&classical, &schemes()), refused);
    assert_eq!(root.verify_alternative(&classical, &schemes()), refused);
}

#[test]
fn rejects_bit_flips_and_wrong_lengths() {
    let schemes = schemes();
    for form in [FORMS[0], FORMS[1], FORMS[2]] {
        let owner = Owner::new("root", form);
        let root = owner.issue(&owner, AUTHORITY);
        let mut der = root.as_der().to_vec();
        let believed = |der: &[u8]| {
            Certificate::from_der(der).is_ok_and(|certificate| certificate.verify(&root, &schemes).is_ok())
        };
        assert!(believed(&der));
        for bit in 0..der.len() * 8 {
            der[bit / 8] ^= 1 << (bit % 8);
            assert!(!believed(&der), "{form:?}: verification must depend on bit {bit} of {}", der.len() * 8);
            der[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..der.len() {
            assert!(Certificate::from_der(&der[..length]).is_err());
        }
        for byte in 0..=255 {
            assert!(Certificate::from_der(&[&der[..], &[byte]].concat()).is_err());
        }
    }
}

#[test]
fn verifies_the_published_certificates() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-mldsa-certs");
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let pem = std::fs::read_to_string(folder.join(format!("{algorithm}.crt"))).unwrap();
        let certificate = Certificate::from_pem(&pem).unwrap();
        assert_eq!(certificate.signature_algorithm().algorithm, algorithm);
        assert_eq!(certificate.verify(&certificate, &schemes()), Ok(Signatures::One), "{algorithm}");
    }
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-mlkem-certs");
    let issuers = require!(vectors_root(), Need::Vectors).join("lamps-mldsa-certs");
    for (algorithm, issuer) in [("ML-KEM-512", "ML-DSA-44"), ("ML-KEM-768", "ML-DSA-65"), ("ML-KEM-1024", "ML-DSA-87")]
    {
        let read = |path: std::path::PathBuf| Certificate::from_pem(&std::fs::read_to_string(path).unwrap()).unwrap();
        let certificate = read(folder.join(format!("{algorithm}.crt")));
        assert_eq!(certificate.subject_key().identifier().algorithm, algorithm);
        let issuer = read(issuers.join(format!("{issuer}.crt")));
        assert_eq!(certificate.verify(&issuer, &schemes()), Ok(Signatures::One), "{algorithm}");
    }
}

#[test]
fn verifies_the_published_composite_certificates() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-composite-sigs");
    let mut verified = 0;
    for test in read_json(folder.join("testvectors.json"))["tests"].as_array().unwrap() {
        let der = Base64::decode_vec(test["x5c"].as_str().unwrap()).unwrap();
        match test["tcId"].as_str().unwrap() {
            "id-ML-DSA-44" | "id-ML-DSA-65" | "id-ML-DSA-87" | "id-MLDSA65-Ed25519-SHA512" => {
                let certificate = Certificate::from_der(&der).unwrap();
                assert_eq!(certificate.verify(&certificate, &schemes()), Ok(Signatures::One));
                verified += 1;
            }
            // Certificates with unsupported algorithms must be rejected, not skipped.
            _ => assert!(Certificate::from_der(&der).is_err()),
        }
    }
    assert_eq!(verified, 4);
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-composite-kem");
    let file = read_json(folder.join("testvectors.json"));
    let issuer = Certificate::from_der(&Base64::decode_vec(file["cacert"].as_str().unwrap()).unwrap()).unwrap();
    let mut verified = 0;
    for test in file["tests"].as_array().unwrap() {
        if !["id-alg-ml-kem-768", "id-alg-ml-kem-1024", "id-MLKEM768-X25519-SHA3-256"]
            .contains(&test["tcId"].as_str().unwrap())
        {
            continue;
        }
        let certificate = Certificate::from_der(&Base64::decode_vec(test["x5c"].as_str().unwrap()).unwrap()).unwrap();
        assert_eq!(certificate.verify(&issuer, &schemes()), Ok(Signatures::One));
        verified += 1;
    }
    assert_eq!(verified, 3);
}

#[test]
fn detached_signatures_are_bound_to_their_certificate() {
    let owner = Owner::new("root", &["Ed25519"]);
    let root = owner.issue(&owner, AUTHORITY);
    let scheme = scheme("ML-DSA-65");
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifier = key.verifying_key().unwrap();
    let bundle = Bundle::sign(root.as_der(), key.as_ref(), Coins::Internal).unwrap();
    assert_eq!(bundle.verify(verifier.as_ref()), Ok(()));
    let encoded = bundle.encode().unwrap();
    assert_eq!(Bundle::decode(&encoded).unwrap(), bundle);
    for length in 0..encoded.len() {
        assert!(Bundle::decode(&encoded[..length]).is_err());
    }
    assert!(Bundle::decode(&[&encoded[..], &[0]].concat()).is_err());
    for bit in 0..encoded.len() * 8 {
        let mut changed = encoded.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let believed = Bundle::decode(&changed).is_ok_and(|bundle| bundle.verify(verifier.as_ref()).is_ok());
        assert!(!believed, "verification must depend on bit {bit}");
    }
    // A sender can sign under any context, but `Bundle::verify` uses a fixed one.
    let other = key.sign(b"chosen by the sender", &encoded, Coins::Internal, &mut vec![0; 3309]);
    assert!(other.is_ok());
}

#[test]
fn openssl_command_verifies_our_certificates() {
    require!(program("openssl"), Need::Installed("openssl"));
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, certificate: &Certificate| {
        let path = folder.path().join(name);
        std::fs::write(&path, certificate.to_pem().unwrap()).unwrap();
        path
    };
    let at = NOW.as_secs().to_string();
    for form in FORMS {
        let (chain, root) = chain(form);
        let paths = [write("leaf.pem", &chain[0]), write("middle.pem", &chain[1]), write("root.pem", &root)];
        for path in &paths {
            // Without `-nameopt`, the spacing depends on the OpenSSL version.
            let arguments = ["x509", "-noout", "-text", "-nameopt", "RFC2253", "-in"];
            let text = Command::new("openssl").args(arguments).arg(path).output().unwrap();
            let text = String::from_utf8_lossy(&text.stdout).into_owned();
            assert!(
                text.contains("O=pqlab") && text.contains("X509v3 Basic Constraints: critical"),
                "{form:?}: {text}"
            );
        }
        if form[0] == "Ed25519" {
            let verified = Command::new("openssl")
                .args(["verify", "-x509_strict", "-attime", &at, "-CAfile"])
                .args([
                    paths[2].as_os_str(),
                    std::ffi::OsStr::new("-untrusted"),
                    paths[1].as_os_str(),
                    paths[0].as_os_str(),
                ])
                .output()
                .unwrap();
            assert!(verified.status.success(), "{form:?}: {}", String::from_utf8_lossy(&verified.stderr));
        }
    }
}

/// A certificate parsed by the linked OpenSSL.
struct Foreign(*mut openssl::X509);

impl Foreign {
    fn parse(der: &[u8]) -> Option<Foreign> {
        let mut input = der.as_ptr();
        // SAFETY: `input` points to `der.len()` readable bytes.
        let parsed = unsafe { openssl::d2i_X509(std::ptr::null_mut(), &mut input, der.len().try_into().unwrap()) };
        // SAFETY: both pointers point into `der` or one past its end.
        let read_whole = || unsafe { input.offset_from(der.as_ptr()) } == der.len() as isize;
        (!parsed.is_null()).then(|| Foreign(parsed)).filter(|_| read_whole())
    }

    fn is_signed_by(&self, issuer: &Foreign) -> bool {
        // SAFETY: both certificates are alive, and the issuer owns the key.
        unsafe {
            let key = openssl::X509_get0_pubkey(issuer.0);
            assert!(!key.is_null(), "OpenSSL cannot read the issuer's key");
            openssl::X509_verify(self.0, key) == 1
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: `d2i_X509` returned the pointer, and nothing else owns it.
        unsafe { openssl::X509_free(self.0) }
    }
}

/// Checks certificates with an independent implementation of RFC 9881.
#[test]
fn linked_openssl_verifies_pure_certificates() {
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Ed25519"] {
        let (chain, root) = chain(&[algorithm]);
        let [leaf, middle, first] =
            [&chain[0], &chain[1], &root].map(|certificate| Foreign::parse(certificate.as_der()).unwrap());
        assert!(first.is_signed_by(&first), "{algorithm}");
        assert!(middle.is_signed_by(&first), "{algorithm}");
        assert!(leaf.is_signed_by(&middle), "{algorithm}");
        assert!(!leaf.is_signed_by(&first), "{algorithm}: a different key must not verify the certificate");
        let der = root.as_der();
        // Corrupt bytes of the signed part and of the signature. A parse error is also a rejection.
        for place in (0..der.len()).step_by(7).chain([der.len() - 1]) {
            let mut corrupted = der.to_vec();
            corrupted[place] ^= 1;
            let believed = Foreign::parse(&corrupted).is_some_and(|corrupted| corrupted.is_signed_by(&first));
            assert!(!believed, "{algorithm}: verification must depend on byte {place} of {}", der.len());
        }
    }
}
