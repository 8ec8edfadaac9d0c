//! Tests detached signatures in CMS: every library against every other, changed files and signatures, and the command
//! `openssl cms`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{hash, signatures};
use pqlab_constructions::certificate::{Certificate, Profile, SigningKeys, SubjectType, build};
use pqlab_constructions::cms::{CmsError, SignedData, Signer, TrustedKey, sign};
use pqlab_constructions::keys::{Identifier, PrivateKey, PublicKey};
use pqlab_primitives::{Coins, Error, Hash, KeyEncoding, SignatureScheme, SigningKey, VerifyingKey, cms_digest};
use pqlab_testing::{Need, program, require};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

const IMAGE: &[u8] = b"firmware image";
const ALGORITHMS: [&str; 12] = [
    "Ed25519",
    "ECDSA-P-256",
    "RSA-2048",
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "SLH-DSA-SHA2-128s",
    "SLH-DSA-SHA2-128f",
    "SLH-DSA-SHA2-192s",
    "SLH-DSA-SHA2-192f",
    "SLH-DSA-SHA2-256s",
    "SLH-DSA-SHA2-256f",
];

/// A signer with the keys of one algorithm.
struct Owner {
    identifier: &'static Identifier,
    signing: Box<dyn SigningKey>,
    verifying: Box<dyn VerifyingKey>,
    public: PublicKey,
    hash: Arc<dyn Hash>,
}

impl Owner {
    fn new(algorithm: &str) -> Owner {
        Owner::with(signatures(algorithm).remove(0).1.as_ref())
    }

    fn with(scheme: &dyn SignatureScheme) -> Owner {
        let signing = scheme.generate(Coins::Internal).unwrap();
        let verifying = signing.verifying_key().unwrap();
        let mut public = vec![0; scheme.info().parameters.verifying_key];
        verifying.encode(&mut public).unwrap();
        let algorithm = &scheme.info().parameters.algorithm;
        let identifier = Identifier::named(algorithm).unwrap();
        let public = PublicKey::new(identifier, &public).unwrap();
        Owner { identifier, signing, verifying, public, hash: hash(cms_digest(algorithm).unwrap()) }
    }

    fn key_identifier(&self) -> [u8; 20] {
        self.public.key_identifier(hash("SHA-256").as_ref()).unwrap()
    }

    fn sign(&self, image: &[u8]) -> Vec<u8> {
        let key_identifier = self.key_identifier();
        let signer = Signer { identifier: self.identifier, key: self.signing.as_ref(), key_identifier };
        sign(&signer, self.hash.as_ref(), image, Coins::Internal).unwrap()
    }

    fn trusted(&self) -> TrustedKey<'_> {
        let key_identifier = self.key_identifier();
        TrustedKey { identifier: self.identifier, key: self.verifying.as_ref(), key_identifier }
    }

    fn verify(&self, der: &[u8], image: &[u8]) -> Result<(), CmsError> {
        SignedData::from_der(der)?.verify(&self.trusted(), self.hash.as_ref(), image)
    }
}

#[test]
fn every_library_verifies_the_signatures_of_every_other() {
    for algorithm in ALGORITHMS {
        // Signing with the small variants of SLH-DSA takes long, so one library signs.
        let all = signatures(algorithm);
        let count = if algorithm.ends_with('s') { 1 } else { all.len() };
        for (signer, scheme) in &all[..count] {
            let owner = Owner::with(scheme.as_ref());
            let der = owner.sign(IMAGE);
            for (verifier, other) in &all {
                let key = other.load_verifying_key(owner.public.as_bytes()).unwrap();
                let trusted = TrustedKey { key: key.as_ref(), ..owner.trusted() };
                let signed = SignedData::from_der(&der).unwrap();
                let verified = signed.verify(&trusted, owner.hash.as_ref(), IMAGE);
                assert_eq!(verified, Ok(()), "{algorithm}: {signer} signs, {verifier} verifies");
                assert_eq!((signed.signature_algorithm(), signed.content()), (owner.identifier, None));
            }
        }
    }
}

/// Everything but a signature of ML-DSA has 226 bytes, of which the digest takes 64.
#[test]
fn the_length_depends_on_the_algorithm_alone() {
    for (algorithm, expected) in [
        ("Ed25519", 280),
        ("ML-DSA-44", 2_646),
        ("ML-DSA-65", 3_535),
        ("ML-DSA-87", 4_853),
        ("SLH-DSA-SHA2-128f", 17_282),
    ] {
        assert_eq!(Owner::new(algorithm).sign(IMAGE).len(), expected, "{algorithm}");
    }
}

#[test]
fn rejects_other_images_keys_and_digests() {
    for algorithm in ["Ed25519", "ECDSA-P-256", "RSA-2048", "ML-DSA-44", "SLH-DSA-SHA2-128f"] {
        let (owner, other) = (Owner::new(algorithm), Owner::new(algorithm));
        let der = owner.sign(IMAGE);
        assert_eq!(owner.verify(&der, IMAGE), Ok(()), "{algorithm}");
        assert_eq!(owner.verify(&der, b"firmware imagf"), Err(CmsError::Content), "{algorithm}");
        assert_eq!(owner.verify(&der, &IMAGE[1..]), Err(CmsError::Content), "{algorithm}");
        assert_eq!(other.verify(&der, IMAGE), Err(CmsError::Key), "{algorithm}");
        let signed = SignedData::from_der(&der).unwrap();
        let stranger = TrustedKey { key: other.verifying.as_ref(), ..owner.trusted() };
        assert_eq!(signed.verify(&stranger, owner.hash.as_ref(), IMAGE), Err(CmsError::Signature), "{algorithm}");
        let wrong_hash = hash(if cms_digest(algorithm) == Some("SHA-256") { "SHA-512" } else { "SHA-256" });
        let refused = signed.verify(&owner.trusted(), wrong_hash.as_ref(), IMAGE);
        assert!(matches!(refused, Err(CmsError::Primitive(Error::Unsupported(_)))), "{algorithm}: {refused:?}");
    }
    let (one, other) = (Owner::new("ML-DSA-44"), Owner::new("ML-DSA-65"));
    assert_eq!(other.verify(&one.sign(IMAGE), IMAGE), Err(CmsError::Key));
}

#[test]
fn rejects_bit_flips_and_wrong_lengths() {
    for algorithm in ["Ed25519", "ECDSA-P-256", "RSA-2048", "ML-DSA-44"] {
        let owner = Owner::new(algorithm);
        let mut der = owner.sign(IMAGE);
        for bit in 0..der.len() * 8 {
            der[bit / 8] ^= 1 << (bit % 8);
            assert!(owner.verify(&der, IMAGE).is_err(), "{algorithm}: verification must depend on bit {bit}");
            der[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..der.len() {
            assert!(SignedData::from_der(&der[..length]).is_err());
        }
        for byte in 0..=255 {
            assert!(SignedData::from_der(&[&der[..], &[byte]].concat()).is_err());
        }
    }
}

/// Object identifiers of SHA-256 and SHA-512 differ in their last byte.
#[test]
fn rejects_other_digest_algorithms() {
    const SHA_512: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03];
    let mut der = Owner::new("ML-DSA-65").sign(IMAGE);
    let places: Vec<usize> = (0..der.len() - 9).filter(|place| der[*place..*place + 9] == SHA_512).collect();
    assert_eq!(places.len(), 2, "the list of all digest algorithms, and the signer's");
    for place in places {
        der[place + 8] = 0x01;
    }
    let refused = SignedData::from_der(&der).unwrap_err().to_string();
    assert!(refused.contains("digest algorithm"), "{refused}");
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Writes a certificate, a private key and an image to `folder`, for the OpenSSL command.
fn write(owner: &Owner, folder: &Path) {
    let profile = Profile {
        serial_number: vec![1],
        issuer: "CN=signer".into(),
        subject: "CN=signer".into(),
        not_before: Duration::from_secs(1_700_000_000),
        not_after: Duration::from_secs(4_000_000_000),
        subject_key_identifier: owner.key_identifier(),
        authority_key_identifier: owner.key_identifier(),
        dns_names: Vec::new(),
        subject_type: SubjectType::Leaf,
    };
    let keys = SigningKeys::Single(owner.identifier, owner.signing.as_ref());
    let certificate = build(&profile, &owner.public, None, &keys, Coins::Internal).unwrap();
    let certificate = Certificate::from_der(&certificate).unwrap();
    std::fs::write(folder.join("certificate.pem"), certificate.to_pem().unwrap()).unwrap();
    let encoding = match owner.identifier.algorithm {
        "ECDSA-P-256" => KeyEncoding::Scalar,
        "RSA-2048" => KeyEncoding::Der,
        name if name.starts_with("SLH-DSA") => KeyEncoding::Expanded,
        _ => KeyEncoding::Seed,
    };
    let mut key = vec![0; 4096];
    let length = owner.signing.encode(encoding, &mut key).unwrap();
    let key = PrivateKey::new(owner.identifier, Some(&key[..length]), None).unwrap();
    std::fs::write(folder.join("key.pem"), key.to_pem().unwrap()).unwrap();
    std::fs::write(folder.join("image"), IMAGE).unwrap();
    std::fs::write(folder.join("other"), b"firmware imagf").unwrap();
}

#[test]
fn openssl_command_verifies_and_creates_signed_data() {
    require!(program("openssl"), Need::Installed("openssl"));
    let list = Command::new("openssl").args(["list", "-signature-algorithms"]).output().unwrap();
    // Older versions support neither post-quantum signatures nor Ed25519 in CMS.
    let is_new = text(&list).contains("ML-DSA-65");
    for algorithm in ALGORITHMS.into_iter().filter(|name| is_new || matches!(*name, "ECDSA-P-256" | "RSA-2048")) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let owner = Owner::new(algorithm);
        write(&owner, folder.path());
        std::fs::write(path("ours.der"), owner.sign(IMAGE)).unwrap();
        for (image, is_signed) in [("image", true), ("other", false)] {
            let verified = Command::new("openssl")
                .args(["cms", "-verify", "-binary", "-inform", "DER", "-noverify", "-in"])
                .arg(path("ours.der"))
                .arg("-content")
                .arg(path(image))
                .arg("-certfile")
                .arg(path("certificate.pem"))
                .arg("-out")
                .arg(path("out"))
                .output()
                .unwrap();
            assert_eq!(verified.status.success(), is_signed, "{algorithm}: {}", text(&verified));
        }
        let digest = cms_digest(algorithm).unwrap().replace('-', "").to_lowercase();
        // By subject key identifier without a certificate, then by issuer and serial number with one.
        for arguments in [&["-keyid", "-nocerts"][..], &[]] {
            let signed = Command::new("openssl")
                .args(["cms", "-sign", "-binary", "-outform", "DER", "-nosmimecap", "-md", &digest])
                .args(arguments)
                .arg("-signer")
                .arg(path("certificate.pem"))
                .arg("-inkey")
                .arg(path("key.pem"))
                .arg("-in")
                .arg(path("image"))
                .arg("-out")
                .arg(path("theirs.der"))
                .output()
                .unwrap();
            assert!(signed.status.success(), "{algorithm}: {}", text(&signed));
            let theirs = std::fs::read(path("theirs.der")).unwrap();
            assert_eq!(owner.verify(&theirs, IMAGE), Ok(()), "{algorithm}");
            assert_eq!(owner.verify(&theirs, b"firmware imagf"), Err(CmsError::Content), "{algorithm}");
        }
    }
}
