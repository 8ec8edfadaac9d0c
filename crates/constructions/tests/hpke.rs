//! Tests HPKE: published vectors, round trips with every library, and corrupted messages.
#![allow(clippy::unwrap_used)]

mod common;

use aes_gcm::aead::{AeadInOut, KeyInit};
use common::{hash, hex_field, kems, providers};
use pqlab_constructions::HybridKem;
use pqlab_constructions::hpke::{DhKem, Kdf, Suite};
use pqlab_primitives::{Aead, AeadKey, Coins, Error, Kem, KeyEncoding, Mac, Result, Xof};
use pqlab_testing::{Need, require};
use pqlab_verification::fetched_vectors;
use std::io::Read;
use std::marker::PhantomData;
use std::sync::Arc;

/// AEAD from a crate that is not under test, for published vectors that require it.
struct Other<C>(&'static str, usize, PhantomData<C>);

struct OtherKey<C>(C);

impl<C: AeadInOut + KeyInit + Send + Sync + 'static> Aead for Other<C> {
    fn algorithm(&self) -> &str {
        self.0
    }

    fn key_len(&self) -> usize {
        self.1
    }

    fn nonce_len(&self) -> usize {
        12
    }

    fn tag_len(&self) -> usize {
        16
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Ok(Box::new(OtherKey(C::new_from_slice(key).map_err(|_| Error::Malformed("key"))?)))
    }
}

impl<C: AeadInOut + Send + Sync> AeadKey for OtherKey<C> {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        let nonce = nonce.try_into().unwrap();
        tag.copy_from_slice(&self.0.encrypt_inout_detached(nonce, associated_data, buffer.into()).unwrap());
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        let (nonce, tag) = (nonce.try_into().unwrap(), tag.try_into().unwrap());
        let opened = self.0.decrypt_inout_detached(nonce, associated_data, buffer.into(), tag);
        opened.map_err(|_| Error::VerificationFailed)
    }
}

fn aead(id: u64) -> Option<Arc<dyn Aead>> {
    Some(match id {
        1 => Arc::new(Other::<aes_gcm::Aes128Gcm>("AES-128-GCM", 16, PhantomData)),
        2 => providers().iter().find_map(|provider| provider.aead("AES-256-GCM").cloned()).unwrap(),
        3 => Arc::new(Other::<chacha20poly1305::ChaCha20Poly1305>("ChaCha20-Poly1305", 32, PhantomData)),
        _ => return None,
    })
}

fn hmac() -> Arc<dyn Mac> {
    providers().iter().find_map(|provider| provider.mac("HMAC-SHA256").cloned()).unwrap()
}

fn shake256() -> Arc<dyn Xof> {
    providers().iter().find_map(|provider| provider.xof("SHAKE256").cloned()).unwrap()
}

fn kdf(id: u64) -> Option<Kdf> {
    match id {
        0x01 => Some(Kdf::HkdfSha256(hmac())),
        0x11 => Some(Kdf::Shake256(shake256())),
        _ => None,
    }
}

/// Returns the KEM with this HPKE identifier from every library.
fn kems_of(id: u64) -> Vec<(String, Arc<dyn Kem>)> {
    let x_wing = |post_quantum| {
        let classical = kems("X25519").remove(0).1;
        Arc::new(HybridKem::x_wing(classical, post_quantum, hash("SHA3-256"), shake256()).unwrap()) as Arc<dyn Kem>
    };
    match id {
        0x20 => {
            let from_provider = |provider: &Arc<pqlab_primitives::Provider>| {
                let agreement = provider.key_agreement("X25519")?.clone();
                let kem: Arc<dyn Kem> = Arc::new(DhKem::new(agreement, provider.mac("HMAC-SHA256")?.clone()).unwrap());
                Some((provider.id(), kem))
            };
            providers().iter().filter_map(from_provider).collect()
        }
        0x40 => kems("ML-KEM-512"),
        0x41 => kems("ML-KEM-768"),
        0x42 => kems("ML-KEM-1024"),
        0x647a => kems("ML-KEM-768").into_iter().map(|(id, kem)| (id, x_wing(kem))).collect(),
        _ => Vec::new(),
    }
}

fn read(folder: &std::path::Path, name: &str) -> Vec<serde_json::Value> {
    let mut text = String::new();
    let file = std::fs::File::open(folder.join("hpke").join(name)).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns pqlab's names for a test vector's KEM, KDF and AEAD.
fn names(vector: &serde_json::Value) -> Option<(&'static str, &'static str, &'static str)> {
    let find = |field: &str, names: &[(u64, &'static str)]| {
        names.iter().find(|(id, _)| vector[field].as_u64() == Some(*id)).map(|(_, name)| *name)
    };
    Some((
        find("kem_id", &[(0x20, DhKem::ALGORITHM), (0x40, "ML-KEM-512"), (0x41, "ML-KEM-768"), (0x42, "ML-KEM-1024")])?,
        find("kdf_id", &[(1, "HKDF-SHA256"), (2, "HKDF-SHA384")])?,
        find("aead_id", &[(1, "AES-128-GCM"), (2, "AES-256-GCM"), (3, "ChaCha20-Poly1305")])?,
    ))
}

/// Opens the first message of each vector with every library that offers the vector's HPKE suite. Returns the number of
/// opened messages, and panics if a library cannot open one.
fn opened_by_libraries(vectors: &[serde_json::Value]) -> usize {
    let mut opened = 0;
    for vector in vectors.iter().filter(|vector| vector["mode"].as_u64() == Some(0)) {
        let Some((kem, kdf, aead)) = names(vector) else { continue };
        for (id, hpke) in providers().iter().filter_map(|it| Some((it.id(), it.hpke(kem, kdf, aead)?))) {
            let recipient = hpke.load_private_key(&hex_field(vector, "skRm")).unwrap();
            let mut public = vec![0; hpke.info().public_key];
            recipient.public_key(&mut public).unwrap();
            assert!(public == hex_field(vector, "pkRm"), "{id}: wrong public key");
            let first = &vector["encryptions"][0];
            let message = [hex_field(vector, "enc"), hex_field(first, "ct")].concat();
            let mut plaintext = vec![0; message.len() - hpke.info().overhead()];
            let info = hex_field(vector, "info");
            recipient.open(&info, &hex_field(first, "aad"), &message, &mut plaintext).unwrap();
            assert_eq!(plaintext, hex_field(first, "pt"), "{kem}@{id}");
            opened += 1;
        }
    }
    opened
}

#[test]
fn libraries_open_the_published_vectors() {
    let folder = require!(fetched_vectors(), Need::Fetched);
    // AWS-LC supports ML-KEM-512 and -768 with HKDF-SHA256, and ML-KEM-1024 with HKDF-SHA384. No library supports a
    // one-stage KDF.
    assert_eq!(opened_by_libraries(&read(&folder, "hpke-pq-test-vectors.json.gz")), 3);
    // RFC 9180, appendix A: X25519 with HKDF-SHA256 and each AEAD, in both libraries.
    assert_eq!(opened_by_libraries(&read(&folder, "test-vectors.json.gz")), 6);
}

/// Tests every suite that both a library and the construction support: each side must open the other's messages and
/// reject modified ones.
#[test]
fn libraries_and_construction_interoperate() {
    let mut compared = 0;
    let providers = providers();
    let all = providers.iter().flat_map(|it| it.hpke.iter().map(|hpke| (it.id(), hpke)));
    for (id, hpke) in all {
        let info = hpke.info();
        let recipient = hpke.generate().unwrap();
        let (mut public, mut private) = (vec![0; info.public_key], vec![0; info.private_key]);
        recipient.public_key(&mut public).unwrap();
        recipient.private_key(&mut private).unwrap();
        let at = format!("{} {} {} @{id}", info.kem, info.kdf, info.aead);
        let mut message = vec![0; info.overhead() + 4];
        hpke.seal(&public, b"info", b"aad", b"text", &mut message).unwrap();
        let open = |message: &[u8], info: &[u8], aad: &[u8]| {
            let mut plaintext = vec![0; 4];
            recipient.open(info, aad, message, &mut plaintext).map(|()| plaintext)
        };
        assert_eq!(open(&message, b"info", b"aad").unwrap(), b"text", "{at}");
        assert!(open(&message, b"other", b"aad").is_err() && open(&message, b"info", b"other").is_err(), "{at}");
        for bit in 0..8 * message.len() {
            message[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&message, b"info", b"aad").is_err(), "{at}: bit {bit}");
            message[bit / 8] ^= 1 << (bit % 8);
        }
        let mut other = message.clone();
        assert!(matches!(hpke.seal(&public[1..], b"", b"", b"text", &mut other), Err(Error::Malformed(_))), "{at}");
        assert!(matches!(hpke.seal(&public, b"", b"", b"text", &mut other[1..]), Err(Error::Length { .. })), "{at}");
        assert!(matches!(hpke.load_private_key(&private[1..]), Err(Error::Length { .. })), "{at}");
        if info.kdf != "HKDF-SHA256" {
            continue;
        }
        let (kem_id, encoding) = match info.kem {
            "ML-KEM-512" => (0x40, KeyEncoding::Seed),
            "ML-KEM-768" => (0x41, KeyEncoding::Seed),
            "ML-KEM-1024" => (0x42, KeyEncoding::Seed),
            _ => (0x20, KeyEncoding::Scalar),
        };
        let aead = (1..=3).filter_map(aead).find(|aead| aead.algorithm() == info.aead).unwrap();
        for (other, kem) in kems_of(kem_id) {
            let suite = Suite::new(Arc::clone(&kem), kdf(1).unwrap(), Arc::clone(&aead)).unwrap();
            let Ok(key) = kem.load_decapsulation_key(encoding, &private) else { continue };
            assert_eq!(suite.open(key.as_ref(), b"info", b"aad", &message).unwrap(), b"text", "{at}, over {other}");
            let recipient = kem.load_encapsulation_key(&public).unwrap();
            let sealed = suite.seal(recipient.as_ref(), b"info", b"aad", b"text", Coins::Internal).unwrap();
            assert_eq!(open(&sealed, b"info", b"aad").unwrap(), b"text", "{at}, over {other}");
            compared += 1;
        }
    }
    assert!(compared > 15 * 2, "{compared}");
}

/// Checks the vectors for which a KEM, a KDF and an AEAD are available. Returns the number of vectors checked. `coins`
/// is the name of the JSON field with the random bytes for encapsulation.
fn hold(vectors: &[serde_json::Value], coins: &str) -> usize {
    let mut held = 0;
    for vector in vectors {
        let number = |field: &str| vector[field].as_u64().unwrap();
        let [kem_id, kdf_id, aead_id] = ["kem_id", "kdf_id", "aead_id"].map(number);
        let (Some(kdf), Some(aead)) = (kdf(kdf_id), aead(aead_id)) else { continue };
        if number("mode") != 0 {
            continue;
        }
        let kems = kems_of(kem_id);
        held += usize::from(!kems.is_empty());
        for (id, kem) in kems {
            let at = format!("{kem_id:x}/{kdf_id:x}/{aead_id:x}@{id}");
            let suite = Suite::new(Arc::clone(&kem), kdf.clone(), Arc::clone(&aead)).unwrap();
            let (info, enc) = (hex_field(vector, "info"), hex_field(vector, "enc"));
            let encoding = if kem_id == 0x20 { KeyEncoding::Scalar } else { KeyEncoding::Seed };
            let Ok(private) = kem.load_decapsulation_key(encoding, &hex_field(vector, "skRm")) else {
                assert!(!kem.info().encodings.contains(&encoding), "{at}: the key must load");
                continue;
            };
            let public = private.encapsulation_key().unwrap();
            let mut encoded = vec![0; kem.info().parameters.encapsulation_key];
            public.encode(&mut encoded).unwrap();
            assert!(encoded == hex_field(vector, "pkRm"), "{at}: wrong public key");
            let mut sender = None;
            if kem.info().coins.operation {
                let mut sent = vec![0; enc.len()];
                let coins = hex_field(vector, coins);
                sender = Some(suite.send(public.as_ref(), &info, Coins::Exact(&coins), &mut sent).unwrap());
                assert!(sent == enc, "{at}: wrong encapsulated secret");
            }
            let mut recipient = suite.receive(private.as_ref(), &info, &enc).unwrap();
            for message in vector["encryptions"].as_array().unwrap() {
                let [aad, ct, pt] = ["aad", "ct", "pt"].map(|field| hex_field(message, field));
                assert_eq!(recipient.open(&aad, &ct).unwrap(), pt, "{at}");
                if let Some(sender) = &mut sender {
                    assert_eq!(sender.seal(&aad, &pt).unwrap(), ct, "{at}");
                }
            }
            for export in vector["exports"].as_array().unwrap() {
                let mut out = vec![0; export["L"].as_u64().unwrap() as usize];
                recipient.export(&hex_field(export, "exporter_context"), &mut out).unwrap();
                assert_eq!(out, hex_field(export, "exported_value"), "{at}");
            }
        }
    }
    held
}

#[test]
fn construction_matches_the_published_vectors() {
    let folder = require!(fetched_vectors(), Need::Fetched);
    // ML-KEM-512, ML-KEM-768 and X-Wing with HKDF-SHA256, and X-Wing with SHAKE256. No library here supports the KEMs
    // or KDFs of the other vectors.
    assert_eq!(hold(&read(&folder, "hpke-pq-test-vectors.json.gz"), "ikmE"), 4);
    // RFC 9180, appendix A: X25519 with HKDF-SHA256 and each AEAD.
    assert_eq!(hold(&read(&folder, "test-vectors.json.gz"), "skEm"), 3);
}

/// Opens the first message in RFC 9180, appendix A.1.1.
#[test]
fn matches_the_known_answer_in_rfc_9180() {
    let bytes = |text: &str| hex::decode(text).unwrap();
    for (id, kem) in kems_of(0x20) {
        let suite = Suite::new(Arc::clone(&kem), kdf(1).unwrap(), aead(1).unwrap()).unwrap();
        let private = kem
            .load_decapsulation_key(
                KeyEncoding::Scalar,
                &bytes("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"),
            )
            .unwrap();
        let (info, aad) = (b"Ode on a Grecian Urn", b"Count-0");
        let message = suite
            .seal(
                private.encapsulation_key().unwrap().as_ref(),
                info,
                aad,
                b"Beauty is truth, truth beauty",
                Coins::Exact(&bytes("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736")),
            )
            .unwrap();
        let expected = "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431\
                        f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a";
        assert_eq!(hex::encode(&message), expected, "{id}");
        assert_eq!(suite.open(private.as_ref(), info, aad, &message).unwrap(), b"Beauty is truth, truth beauty");
    }
}

#[test]
fn rejects_every_bit_flip() {
    for id in [0x20, 0x41, 0x647a] {
        for (provider, kem) in kems_of(id) {
            let suite = Suite::new(Arc::clone(&kem), kdf(1).unwrap(), aead(2).unwrap()).unwrap();
            let private = kem.generate(Coins::Internal).unwrap();
            let public = private.encapsulation_key().unwrap();
            let mut message = suite.seal(public.as_ref(), b"info", b"aad", b"text", Coins::Internal).unwrap();
            assert_eq!(message.len(), 4 + suite.overhead());
            let open = |message: &[u8], info: &[u8], aad: &[u8]| suite.open(private.as_ref(), info, aad, message);
            assert_eq!(open(&message, b"info", b"aad").unwrap(), b"text", "{provider}");
            // X25519 ignores the top bit of a public key (RFC 7748, section 5), but the key schedule covers it.
            for bit in 0..8 * message.len() {
                message[bit / 8] ^= 1 << (bit % 8);
                assert!(open(&message, b"info", b"aad").is_err(), "{provider}: bit {bit} of {id:x}");
                message[bit / 8] ^= 1 << (bit % 8);
            }
            assert!(open(&message, b"other", b"aad").is_err() && open(&message, b"info", b"other").is_err());
            assert!((0..message.len()).all(|end| open(&message[..end], b"info", b"aad").is_err()));
            let other = kem.generate(Coins::Internal).unwrap();
            assert!(suite.open(other.as_ref(), b"info", b"aad", &message).is_err());
        }
    }
}

#[test]
fn opens_messages_only_in_order() {
    for (kem, kdf_id) in [(0x41, 1), (0x647a, 0x11)] {
        let kem = kems_of(kem).remove(0).1;
        let suite = Suite::new(Arc::clone(&kem), kdf(kdf_id).unwrap(), aead(3).unwrap()).unwrap();
        let private = kem.generate(Coins::Internal).unwrap();
        let mut enc = vec![0; kem.info().parameters.ciphertext];
        let public = private.encapsulation_key().unwrap();
        let mut sender = suite.send(public.as_ref(), b"", Coins::Internal, &mut enc).unwrap();
        let mut recipient = suite.receive(private.as_ref(), b"", &enc).unwrap();
        let messages = [0, 1, 2].map(|number| sender.seal(&[number], &[7; 9]).unwrap());
        assert!(recipient.open(&[1], &messages[1]).is_err(), "messages must be opened in order");
        for number in [0, 1, 2] {
            assert_eq!(recipient.open(&[number], &messages[usize::from(number)]).unwrap(), [7; 9]);
        }
        let (mut one, mut other) = ([0; 100], [0; 100]);
        sender.export(b"context", &mut one).unwrap();
        recipient.export(b"context", &mut other).unwrap();
        assert_eq!(one, other);
        assert!(recipient.export(b"", &mut vec![0; 70_000]).is_err());
        assert!(recipient.open(b"", &[0; 15]).is_err());
    }
}
