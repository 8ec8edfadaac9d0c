use super::{KnownAnswer, WrongAnswer, check, check_fully};
use InjectedFault::*;
use pqlab_primitives::{
    Aead, AeadKey, BuildInfo, Coins, DecapsulationKey, EncapsulationKey, Error, Hash, HashParameters, Kdf, Kem,
    KemInfo, KeyAgreement, KeyAgreementInfo, KeyEncoding, KeyLengths, Mac, MacKey, Primitive, PrivateKey, Provider,
    Result, SignatureInfo, SignatureScheme, SigningKey, StreamCipher, VerifyingKey, Xof, XofParameters, XofReader,
};
use std::sync::Arc;

fn rustcrypto() -> Arc<Provider> {
    pqlab_providers::providers().into_iter().find(|provider| provider.library == "rustcrypto").unwrap()
}

#[test]
fn every_algorithm_of_every_provider_gives_the_known_answers() {
    for provider in pqlab_providers::providers() {
        for algorithm in provider.algorithms() {
            let found = check(&provider, &algorithm);
            match found {
                Ok(KnownAnswer::Checked(count)) => assert!(count > 0, "{algorithm}@{}", provider.id()),
                Ok(KnownAnswer::NotAvailable(_)) => {
                    assert_ne!(provider.library, "rustcrypto", "{algorithm} must have known answers");
                }
                Err(wrong) => panic!("{}: {wrong}", provider.id()),
            }
        }
    }
}

/// Tests only one small parameter set, because the others run the same code and each takes a second in test builds.
#[test]
fn a_full_check_reaches_the_slow_signatures() {
    let provider = rustcrypto();
    let counts = [check, check_fully].map(|check| match check(&provider, "SLH-DSA-SHA2-128s") {
        Ok(KnownAnswer::Checked(count)) => count,
        other => panic!("{other:?}"),
    });
    assert!(counts[1] > counts[0], "{counts:?}");
}

#[test]
fn reports_algorithms_without_known_answers() {
    let providers = pqlab_providers::providers();
    let null = providers.iter().find(|provider| provider.library == "null").unwrap();
    assert!(matches!(check(null, "null"), Ok(KnownAnswer::NotAvailable(reason)) if reason.contains("embedded")));
    assert!(matches!(check(null, "ML-KEM-768"), Ok(KnownAnswer::NotAvailable(reason)) if reason.contains("offer")));
}

/// Fault that a wrapper injects into a primitive. Faults named `Flips...` invert the lowest bit of a result's first
/// byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InjectedFault {
    FlipsPublicKey,
    FlipsPrivateKey,
    FlipsLoadedPublicKey,
    FlipsExpandedKey,
    FlipsCiphertext,
    FlipsSecret,
    FlipsReceivedSecret,
    FlipsZeroCiphertextSecret,
    FlipsSignature,
    AcceptsEverything,
    RefusesEverything,
    IgnoresContext,
    FlipsOutput,
    FlipsBatch,
    FlipsSqueezed,
    FlipsTag,
    FlipsPlaintext,
    Fails,
}

/// A library's primitive with an injected fault.
struct Faulty<T: ?Sized>(Arc<T>, InjectedFault);
struct FaultyKey<T: ?Sized>(Box<T>, InjectedFault);

fn flip(condition: bool, bytes: &mut [u8]) {
    if condition {
        bytes[0] ^= 1;
    }
}

impl Kem for Faulty<dyn Kem> {
    fn info(&self) -> &KemInfo {
        self.0.info()
    }
    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
        if self.1 == Fails {
            return Err(Error::Library { call: "keygen", detail: "out of luck".into() });
        }
        self.0.generate_encoded(coins, public, private)?;
        flip(self.1 == FlipsPublicKey, public);
        flip(self.1 == FlipsPrivateKey, private);
        Ok(())
    }
    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(FaultyKey(self.0.generate(coins)?, self.1)))
    }
    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(FaultyKey(self.0.load_encapsulation_key(bytes)?, self.1)))
    }
    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(FaultyKey(self.0.load_decapsulation_key(encoding, bytes)?, self.1)))
    }
}

impl EncapsulationKey for FaultyKey<dyn EncapsulationKey> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        self.0.encapsulate(coins, ciphertext, secret)?;
        flip(self.1 == FlipsCiphertext, ciphertext);
        flip(self.1 == FlipsSecret, secret);
        Ok(())
    }
    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.0.encode(out)?;
        flip(self.1 == FlipsLoadedPublicKey, out);
        Ok(length)
    }
}

impl DecapsulationKey for FaultyKey<dyn DecapsulationKey> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let zero = ciphertext.iter().all(|&byte| byte == 0);
        if zero && self.1 == AcceptsEverything {
            return Ok(());
        }
        self.0.decapsulate(ciphertext, secret)?;
        flip(self.1 == FlipsReceivedSecret && !zero || self.1 == FlipsZeroCiphertextSecret && zero, secret);
        Ok(())
    }
    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(FaultyKey(self.0.encapsulation_key()?, self.1)))
    }
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        let length = self.0.encode(encoding, out)?;
        flip(self.1 == FlipsExpandedKey && encoding == KeyEncoding::Expanded, out);
        Ok(length)
    }
}

impl SignatureScheme for Faulty<dyn SignatureScheme> {
    fn info(&self) -> &SignatureInfo {
        self.0.info()
    }
    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<KeyLengths> {
        let lengths = self.0.generate_encoded(coins, public, private)?;
        flip(self.1 == FlipsPublicKey, public);
        flip(self.1 == FlipsPrivateKey, private);
        Ok(lengths)
    }
    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(FaultyKey(self.0.generate(coins)?, self.1)))
    }
    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(FaultyKey(self.0.load_signing_key(encoding, bytes)?, self.1)))
    }
    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(FaultyKey(self.0.load_verifying_key(bytes)?, self.1)))
    }
}

impl SigningKey for FaultyKey<dyn SigningKey> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let context = if self.1 == IgnoresContext { &[] } else { context };
        let length = self.0.sign(context, message, coins, out)?;
        flip(self.1 == FlipsSignature, out);
        Ok(length)
    }
    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(FaultyKey(self.0.verifying_key()?, self.1)))
    }
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        let length = self.0.encode(encoding, out)?;
        flip(self.1 == FlipsExpandedKey && encoding == KeyEncoding::Expanded, out);
        Ok(length)
    }
}

impl VerifyingKey for FaultyKey<dyn VerifyingKey> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        match self.1 {
            AcceptsEverything => Ok(()),
            RefusesEverything => Err(Error::VerificationFailed),
            _ => self.0.verify(context, message, signature),
        }
    }
    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.0.encode(out)?;
        flip(self.1 == FlipsLoadedPublicKey, out);
        Ok(length)
    }
}

impl KeyAgreement for Faulty<dyn KeyAgreement> {
    fn info(&self) -> &KeyAgreementInfo {
        self.0.info()
    }
    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
        self.0.generate_encoded(coins, public, private)
    }
    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        self.0.generate(coins)
    }
    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(FaultyKey(self.0.load_private_key(bytes)?, self.1)))
    }
}

impl PrivateKey for FaultyKey<dyn PrivateKey> {
    fn agree(&self, peer: &[u8], secret: &mut [u8]) -> Result<()> {
        let agreed = self.0.agree(peer, secret);
        flip(self.1 == FlipsSecret, secret);
        if self.1 == AcceptsEverything { Ok(()) } else { agreed }
    }
    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        self.0.public_key(out)?;
        flip(self.1 == FlipsPublicKey, out);
        Ok(())
    }
    fn encode(&self, out: &mut [u8]) -> Result<()> {
        self.0.encode(out)
    }
}

/// Methods shared by hash functions and XOFs.
macro_rules! faulty_digests {
    () => {
        fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
            self.0.digest(message, out)?;
            flip(self.1 == FlipsOutput, out);
            Ok(())
        }
        fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
            self.0.digest_batch(messages, count, out)?;
            flip(self.1 == FlipsBatch, out);
            Ok(())
        }
    };
}

impl Hash for Faulty<dyn Hash> {
    fn info(&self) -> &HashParameters {
        self.0.info()
    }
    faulty_digests!();
}

impl Xof for Faulty<dyn Xof> {
    fn info(&self) -> &XofParameters {
        self.0.info()
    }
    faulty_digests!();
    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(FaultyKey(self.0.absorb(message)?, self.1)))
    }
}

impl XofReader for FaultyKey<dyn XofReader> {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        self.0.squeeze(out)?;
        flip(self.1 == FlipsSqueezed, out);
        Ok(())
    }
}

impl Mac for Faulty<dyn Mac> {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }
    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }
    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        Ok(Box::new(FaultyKey(self.0.load_key(key)?, self.1)))
    }
}

impl MacKey for FaultyKey<dyn MacKey> {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.0.tag(message, out)?;
        flip(self.1 == FlipsTag, out);
        Ok(())
    }
}

impl Kdf for Faulty<dyn Kdf> {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }
    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
        self.0.derive(salt, key_material, info, out)?;
        flip(self.1 == FlipsOutput, out);
        Ok(())
    }
}

impl Aead for Faulty<dyn Aead> {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }
    fn key_len(&self) -> usize {
        self.0.key_len()
    }
    fn nonce_len(&self) -> usize {
        self.0.nonce_len()
    }
    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }
    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Ok(Box::new(FaultyKey(self.0.load_key(key)?, self.1)))
    }
}

impl StreamCipher for Faulty<dyn StreamCipher> {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }
    fn key_len(&self) -> usize {
        self.0.key_len()
    }
    fn counter_len(&self) -> usize {
        self.0.counter_len()
    }
    fn apply_once(&self, key: &[u8], counter: &[u8], buffer: &mut [u8]) -> Result<()> {
        self.0.apply_once(key, counter, buffer)?;
        flip(self.1 == FlipsCiphertext, buffer);
        Ok(())
    }
}

impl AeadKey for FaultyKey<dyn AeadKey> {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.0.seal(nonce, associated_data, buffer, tag)?;
        flip(self.1 == FlipsCiphertext, buffer);
        flip(self.1 == FlipsTag, tag);
        Ok(())
    }
    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        let opened = self.0.open(nonce, associated_data, buffer, tag);
        flip(self.1 == FlipsPlaintext, buffer);
        if self.1 == AcceptsEverything { Ok(()) } else { opened }
    }
}

/// Returns RustCrypto with the fault injected into every primitive.
fn flawed(fault: InjectedFault) -> Provider {
    let sound = rustcrypto();
    let mut provider = Provider::new("flawed", BuildInfo { version: String::new(), build: String::new() });
    for primitive in sound.primitives() {
        match primitive {
            Primitive::Kem(kem) => provider.kems.push(Arc::new(Faulty(kem.clone(), fault))),
            Primitive::Signature(scheme) => provider.signatures.push(Arc::new(Faulty(scheme.clone(), fault))),
            Primitive::KeyAgreement(kex) => provider.key_agreements.push(Arc::new(Faulty(kex.clone(), fault))),
            Primitive::Hash(hash) => provider.hashes.push(Arc::new(Faulty(hash.clone(), fault))),
            Primitive::Xof(xof) => provider.xofs.push(Arc::new(Faulty(xof.clone(), fault))),
            Primitive::LaneHash(_) | Primitive::BatchVerifier(_) => {}
            Primitive::Mac(mac) => provider.macs.push(Arc::new(Faulty(mac.clone(), fault))),
            Primitive::Kdf(kdf) => provider.kdfs.push(Arc::new(Faulty(kdf.clone(), fault))),
            Primitive::Aead(aead) => provider.aeads.push(Arc::new(Faulty(aead.clone(), fault))),
            Primitive::StreamCipher(ctr) => provider.stream_ciphers.push(Arc::new(Faulty(ctr.clone(), fault))),
        }
    }
    provider
}

#[test]
fn detects_and_names_wrong_answers() {
    let cases = [
        ("ML-KEM-768", FlipsPublicKey, "keygen produces a wrong encapsulation key"),
        ("ML-KEM-768", FlipsPrivateKey, "keygen produces a wrong decapsulation key"),
        ("ML-KEM-512", FlipsLoadedPublicKey, "decapsulation key produces a wrong encapsulation key"),
        ("ML-KEM-768", FlipsExpandedKey, "expansion produces a wrong decapsulation key"),
        ("ML-KEM-1024", FlipsCiphertext, "encapsulation produces a wrong ciphertext"),
        ("ML-KEM-768", FlipsSecret, "encapsulation produces a wrong shared secret"),
        ("ML-KEM-768", FlipsReceivedSecret, "decapsulation produces a wrong shared secret"),
        (
            "ML-KEM-768",
            FlipsZeroCiphertextSecret,
            "decapsulation of an all-zero ciphertext produces a wrong shared secret",
        ),
        ("ML-KEM-768", Fails, "keygen fails: keygen failed: out of luck"),
        ("X25519", FlipsReceivedSecret, "decapsulation produces a wrong shared secret"),
        ("X25519", AcceptsEverything, "decapsulation accepts an all-zero ciphertext"),
        ("ML-DSA-65", FlipsPublicKey, "keygen produces a wrong verifying key"),
        ("ML-DSA-65", FlipsPrivateKey, "keygen produces a wrong signing key"),
        ("ML-DSA-44", FlipsLoadedPublicKey, "signing key produces a wrong verifying key"),
        ("ML-DSA-87", FlipsExpandedKey, "expansion produces a wrong signing key"),
        ("ML-DSA-65", FlipsSignature, "signing produces a wrong signature"),
        ("ML-DSA-65", IgnoresContext, "signing produces a wrong signature"),
        ("ML-DSA-65", AcceptsEverything, "verification accepts a signature with a bit flipped"),
        ("ML-DSA-65", RefusesEverything, "verification fails: verification failed"),
        ("SLH-DSA-SHAKE-128f", FlipsSignature, "signing produces a wrong signature"),
        ("SLH-DSA-SHA2-128s", FlipsPublicKey, "keygen produces a wrong verifying key"),
        ("Ed25519", FlipsSignature, "signing produces a wrong signature"),
        ("ECDSA-secp256k1", FlipsSignature, "signing produces a wrong signature"),
        ("ECDSA-P-256", RefusesEverything, "verification fails: verification failed"),
        ("ECDSA-P-384", FlipsPublicKey, "keygen produces a wrong verifying key"),
        ("SHA3-256", FlipsOutput, "digest produces a wrong output"),
        ("SHA-512", FlipsBatch, "digest of a batch produces a wrong output"),
        ("SHAKE128", FlipsOutput, "digest produces a wrong output"),
        ("SHAKE256", FlipsSqueezed, "squeezing produces a wrong output"),
        ("SHAKE256", FlipsBatch, "digest of a batch produces a wrong output"),
        ("HMAC-SHA256", FlipsTag, "tagging produces a wrong tag"),
        ("HKDF-SHA256", FlipsOutput, "derivation produces a wrong output"),
        ("AES-256-GCM", FlipsCiphertext, "sealing produces a wrong ciphertext"),
        ("AES-256-GCM", FlipsTag, "sealing produces a wrong tag"),
        ("AES-256-GCM", AcceptsEverything, "opening accepts a ciphertext with a bit flipped"),
        ("AES-256-GCM", FlipsPlaintext, "opening produces a wrong plaintext"),
        ("AES-256-CTR", FlipsCiphertext, "encryption produces a wrong ciphertext"),
    ];
    for (algorithm, fault, wrong) in cases {
        let expected = format!("known answer: {algorithm} {wrong}");
        assert_eq!(check(&flawed(fault), algorithm), Err(WrongAnswer(expected)), "{fault:?}");
    }
}

/// X25519 is the name of a KEM and of a key agreement. Only the key agreement is faulty here.
#[test]
fn detects_a_wrong_key_agreement_next_to_a_sound_kem() {
    for (fault, wrong) in [
        (FlipsSecret, "agreement produces a wrong shared secret"),
        (FlipsPublicKey, "private key produces a wrong public key"),
        (AcceptsEverything, "agreement accepts an all-zero public key"),
    ] {
        let mut provider = flawed(fault);
        provider.kems = rustcrypto().kems.clone();
        assert_eq!(check(&provider, "X25519"), Err(WrongAnswer(format!("known answer: X25519 {wrong}"))), "{fault:?}");
    }
}
