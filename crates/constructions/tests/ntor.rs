//! Tests circuit handshakes: published vectors, authentication, and corrupted messages.

#![allow(clippy::unwrap_used)]

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use pqlab_constructions::ntor::{
    HandshakeError, IDENTITY, Initiator, Parts, Protocol, RelayDescriptor, Responder, Variant,
};
use pqlab_primitives::{Coins, Provider};
use pqlab_testing::{Need, require};
use pqlab_verification::vectors_root;
use sha2::{Digest, Sha256};
use std::sync::Arc;

const ID: [u8; IDENTITY] = [7; IDENTITY];
const VARIANTS: [Variant; 3] = [Variant::V1, Variant::KemOnly, Variant::Authenticated];

fn parts(kem: &str) -> Parts {
    let providers = pqlab_providers::providers();
    let find = |has: &dyn Fn(&Provider) -> bool| providers.iter().find(|provider| has(provider)).unwrap().clone();
    let rust = find(&|provider| provider.library == "rustcrypto");
    Parts {
        agreement: rust.key_agreement("X25519").unwrap().clone(),
        kem: rust.kem(kem).unwrap().clone(),
        hash: rust.hash("SHA-256").unwrap().clone(),
        mac: rust.mac("HMAC-SHA256").unwrap().clone(),
        kdf: rust.kdf("HKDF-SHA256").unwrap().clone(),
    }
}

fn protocol(variant: Variant, kem: &str) -> Arc<Protocol> {
    Protocol::new(variant, parts(kem)).unwrap()
}

/// Returns pseudorandom bytes that depend only on the label.
fn coins(label: &str, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Hkdf::<Sha256>::new(None, label.as_bytes()).expand(b"coins", &mut bytes).unwrap();
    bytes
}

struct Exchange {
    protocol: Arc<Protocol>,
    responder: Responder,
    initiator: Initiator,
    onionskin: Vec<u8>,
    reply: Vec<u8>,
    keys: Vec<u8>,
}

impl Exchange {
    fn new(variant: Variant, kem: &str) -> Exchange {
        let protocol = protocol(variant, kem);
        let responder = Responder::new(protocol.clone(), ID, Coins::Exact(&coins("onion key", 32))).unwrap();
        let initiator = Initiator::new(protocol.clone(), responder.descriptor());
        let mut onionskin = vec![0; protocol.onionskin()];
        let mut reply = vec![0; protocol.reply()];
        let mut keys = vec![0; protocol.keys()];
        initiator.start(Coins::Exact(&coins("client", protocol.start_coins())), &mut onionskin).unwrap();
        let coins = coins("relay", protocol.respond_coins());
        responder.respond(&onionskin, Coins::Exact(&coins), &mut reply, &mut keys).unwrap();
        Exchange { protocol, responder, initiator, onionskin, reply, keys }
    }

    /// Starts the client again with the random bytes that `new` used, then finishes the handshake with `reply`.
    fn finish(&self, reply: &[u8]) -> Result<Vec<u8>, HandshakeError> {
        let mut onionskin = vec![0; self.onionskin.len()];
        let coins = coins("client", self.protocol.start_coins());
        let pending = self.initiator.start(Coins::Exact(&coins), &mut onionskin)?;
        let mut keys = vec![0; self.keys.len()];
        pending.finish(reply, &mut keys).map(|()| keys)
    }

    fn respond(&self, onionskin: &[u8]) -> Result<(Vec<u8>, Vec<u8>), HandshakeError> {
        let (mut reply, mut keys) = (vec![0; self.reply.len()], vec![0; self.keys.len()]);
        let coins = coins("relay", self.protocol.respond_coins());
        self.responder.respond(onionskin, Coins::Exact(&coins), &mut reply, &mut keys)?;
        Ok((reply, keys))
    }
}

#[test]
fn both_sides_share_keys_and_lengths_match() {
    for (kem, kem_only, authenticated) in [
        ("ML-KEM-512", (820, 800), (884, 832)),
        ("ML-KEM-768", (1204, 1120), (1268, 1152)),
        ("ML-KEM-1024", (1588, 1600), (1652, 1632)),
    ] {
        for (variant, lengths) in VARIANTS.into_iter().zip([(84, 64), kem_only, authenticated]) {
            let exchange = Exchange::new(variant, kem);
            assert_eq!((exchange.onionskin.len(), exchange.reply.len()), lengths, "{variant:?} {kem}");
            assert_eq!(exchange.finish(&exchange.reply).unwrap(), exchange.keys);
            // Use the libraries' own randomness. No two handshakes may yield the same keys.
            let run = || {
                let (mut onionskin, mut reply) = (exchange.onionskin.clone(), exchange.reply.clone());
                let (mut client, mut relay) = (exchange.keys.clone(), exchange.keys.clone());
                let pending = exchange.initiator.start(Coins::Internal, &mut onionskin).unwrap();
                exchange.responder.respond(&onionskin, Coins::Internal, &mut reply, &mut relay).unwrap();
                pending.finish(&reply, &mut client).unwrap();
                assert_eq!(client, relay);
                client
            };
            assert_ne!(run(), run());
        }
    }
}

#[test]
fn classical_ntor_matches_the_published_vectors() {
    let vectors = require!(vectors_root(), Need::Vectors);
    let text = std::fs::read_to_string(vectors.join("tor-ntor/tor-ntor-vectors.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let field = |name: &str| hex::decode(json["ntor_v1"][name].as_str().unwrap()).unwrap();
    let protocol = protocol(Variant::V1, "ML-KEM-512");
    let responder =
        Responder::new(protocol.clone(), field("id").try_into().unwrap(), Coins::Exact(&field("b_sk"))).unwrap();
    assert_eq!(responder.descriptor().onion_key.as_slice(), field("b_pk"));
    let (mut onionskin, mut reply) = ([0; 84], [0; 64]);
    let (mut client, mut relay) = ([0; 72], [0; 72]);
    let pending =
        Initiator::new(protocol, responder.descriptor()).start(Coins::Exact(&field("x_sk")), &mut onionskin).unwrap();
    assert_eq!(onionskin.as_slice(), field("client_handshake"));
    responder.respond(&onionskin, Coins::Exact(&field("y_sk")), &mut reply, &mut relay).unwrap();
    assert_eq!(reply.as_slice(), field("server_handshake"));
    pending.finish(&reply, &mut client).unwrap();
    assert_eq!(client.as_slice(), field("keys"));
    assert_eq!(relay, client);
}

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(message).finalize().into_bytes().to_vec()
}

fn hkdf(salt: &[u8], material: &[u8], info: &[u8], length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    Hkdf::<Sha256>::new(Some(salt), material).expand(info, &mut out).unwrap();
    out
}

/// Recomputes the reply and keys of the authenticated handshake step by step from the definition.
#[test]
fn authenticated_handshake_matches_its_definition() {
    for (kem, name) in [("ML-KEM-512", "mlkem512"), ("ML-KEM-768", "mlkem768"), ("ML-KEM-1024", "mlkem1024")] {
        let exchange = Exchange::new(Variant::Authenticated, kem);
        let parts = parts(kem);
        let client = coins("client", exchange.protocol.start_coins());
        let relay = coins("relay", exchange.protocol.respond_coins());
        let private = parts.agreement.load_private_key(&client[..32]).unwrap();
        let key = parts.kem.generate(Coins::Exact(&client[32..])).unwrap();
        let agree = |public: &[u8]| {
            let mut secret = [0; 32];
            private.agree(public, &mut secret).unwrap();
            secret
        };
        let a = exchange.responder.descriptor().onion_key;
        let (x, epk) = exchange.onionskin[52..].split_at(32);
        let (mut expected_x, mut encoded) = ([0; 32], vec![0; epk.len()]);
        private.public_key(&mut expected_x).unwrap();
        key.encapsulation_key().unwrap().encode(&mut encoded).unwrap();
        assert_eq!((x, epk), (expected_x.as_slice(), encoded.as_slice()));
        assert_eq!(exchange.onionskin[..52], [ID.as_slice(), &a].concat());

        let (mut c, mut s2) = (vec![0; exchange.reply.len() - 64], [0; 32]);
        let public = key.encapsulation_key().unwrap();
        public.encapsulate(Coins::Exact(&relay[32..]), &mut c, &mut s2).unwrap();
        let mut y = [0; 32];
        parts.agreement.load_private_key(&relay[..32]).unwrap().public_key(&mut y).unwrap();
        let s0: [u8; 32] = Sha256::digest(agree(&a)).into();
        let s1 = agree(&y);

        let protoid = format!("ntor-x25519-{name}-sha256-1");
        let salt = [ID.as_slice(), &a, x, epk].concat();
        let secrets = [s0, s1, s2].concat();
        let verify = hkdf(&salt, &secrets, format!("{protoid}:auth").as_bytes(), 32);
        let auth = hmac(&verify, &[&salt, y.as_slice(), &c, protoid.as_bytes()].concat());
        assert_eq!(exchange.reply, [y.as_slice(), &c, &auth].concat());
        assert_eq!(exchange.keys, hkdf(&salt, &secrets, format!("{protoid}:key").as_bytes(), 72));
    }
}

#[test]
fn kem_only_handshake_matches_its_definition() {
    let exchange = Exchange::new(Variant::KemOnly, "ML-KEM-512");
    let parts = parts("ML-KEM-512");
    let key = parts.kem.generate(Coins::Exact(&coins("client", 64))).unwrap();
    let (ciphertext, auth) = exchange.reply.split_at(768);
    let mut secret = [0; 32];
    key.decapsulate(ciphertext, &mut secret).unwrap();
    let transcript = [&exchange.onionskin[..800], ciphertext, &ID].concat();
    let material = hkdf(&Sha256::digest(&transcript), &secret, b"pq-ntor-keys", 112);
    assert_eq!(auth, hmac(&material[..32], &[&transcript, b"server".as_slice()].concat()));
    assert_eq!(exchange.keys, material[32..]);
}

/// Returns a relay with the victim's identity but a different onion key, and a client of the victim.
fn impostor(protocol: &Arc<Protocol>, victim: RelayDescriptor) -> (Responder, Initiator) {
    let responder = Responder::new(protocol.clone(), victim.identity, Coins::Internal).unwrap();
    (responder, Initiator::new(protocol.clone(), victim))
}

#[test]
fn only_the_kem_only_handshake_accepts_an_impostor() {
    for variant in VARIANTS {
        let victim = Exchange::new(variant, "ML-KEM-512");
        let (responder, client) = impostor(&victim.protocol, victim.responder.descriptor());
        let mut onionskin = victim.onionskin.clone();
        let (mut reply, mut relay, mut keys) = (victim.reply.clone(), victim.keys.clone(), victim.keys.clone());
        let pending = client.start(Coins::Internal, &mut onionskin).unwrap();
        if variant != Variant::KemOnly {
            // Redirect the onionskin to the impostor's own onion key.
            assert_eq!(
                responder.respond(&onionskin, Coins::Internal, &mut reply, &mut relay),
                Err(HandshakeError::KeyId)
            );
            onionskin[IDENTITY..IDENTITY + 32].copy_from_slice(&responder.descriptor().onion_key);
        }
        responder.respond(&onionskin, Coins::Internal, &mut reply, &mut relay).unwrap();
        let finished = pending.finish(&reply, &mut keys);
        if variant == Variant::KemOnly {
            finished.unwrap();
            assert_eq!(keys, relay, "without authentication, an impostor shares keys with the client");
        } else {
            assert_eq!(finished, Err(HandshakeError::Authenticator));
            assert_eq!(keys, victim.keys, "keys must stay unchanged on error");
        }
    }
}

/// Handshakes with KEMs larger than ML-KEM-512.
const LONGER: [(Variant, &str); 4] = [
    (Variant::KemOnly, "ML-KEM-768"),
    (Variant::KemOnly, "ML-KEM-1024"),
    (Variant::Authenticated, "ML-KEM-768"),
    (Variant::Authenticated, "ML-KEM-1024"),
];

/// X25519 ignores the top bit of a public key (RFC 7748, section 5), but the transcript covers that bit.
#[test]
fn rejects_every_bit_flip() {
    for variant in VARIANTS {
        let exchange = Exchange::new(variant, "ML-KEM-512");
        let mut refused_by_relay = 0;
        for bit in 0..8 * exchange.onionskin.len() {
            let mut onionskin = exchange.onionskin.clone();
            onionskin[bit / 8] ^= 1 << (bit % 8);
            match exchange.respond(&onionskin) {
                Err(_) => refused_by_relay += 1,
                Ok((reply, _)) => {
                    assert_eq!(exchange.finish(&reply), Err(HandshakeError::Authenticator), "{variant:?} bit {bit}");
                }
            }
        }
        let header = if variant == Variant::KemOnly { IDENTITY } else { IDENTITY + 32 };
        assert!(refused_by_relay >= 8 * header, "the relay must reject onionskins for other relays");
        for bit in 0..8 * exchange.reply.len() {
            let mut reply = exchange.reply.clone();
            reply[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(exchange.finish(&reply), Err(HandshakeError::Authenticator), "{variant:?} bit {bit}");
        }
    }
}

/// Flips one bit per byte, at a varying position. Flipping every bit is unnecessary, because the same code handles
/// messages of all lengths.
#[test]
fn rejects_changed_bytes_in_longer_messages() {
    for (variant, kem) in LONGER {
        let exchange = Exchange::new(variant, kem);
        for at in 0..exchange.onionskin.len() {
            let mut onionskin = exchange.onionskin.clone();
            onionskin[at] ^= 1 << (at % 8);
            if let Ok((reply, _)) = exchange.respond(&onionskin) {
                assert_eq!(exchange.finish(&reply), Err(HandshakeError::Authenticator), "{variant:?} {kem} byte {at}");
            }
        }
        for at in 0..exchange.reply.len() {
            let mut reply = exchange.reply.clone();
            reply[at] ^= 1 << (at % 8);
            assert_eq!(exchange.finish(&reply), Err(HandshakeError::Authenticator), "{variant:?} {kem} byte {at}");
        }
    }
}

#[test]
fn rejects_truncated_and_extended_messages() {
    for (variant, kem) in VARIANTS.map(|variant| (variant, "ML-KEM-512")).into_iter().chain(LONGER) {
        let exchange = Exchange::new(variant, kem);
        for length in (0..exchange.onionskin.len()).chain([exchange.onionskin.len() + 1]) {
            let mut onionskin = exchange.onionskin.clone();
            onionskin.resize(length, 0);
            assert!(matches!(exchange.respond(&onionskin), Err(HandshakeError::Length { message: "onionskin", .. })));
        }
        for length in (0..exchange.reply.len()).chain([exchange.reply.len() + 1]) {
            let mut reply = exchange.reply.clone();
            reply.resize(length, 0);
            assert!(matches!(exchange.finish(&reply), Err(HandshakeError::Length { message: "reply", .. })));
        }
    }
}

#[test]
fn rejects_invalid_public_keys() {
    for variant in [Variant::V1, Variant::Authenticated] {
        let exchange = Exchange::new(variant, "ML-KEM-512");
        let mut onionskin = exchange.onionskin.clone();
        onionskin[IDENTITY + 32..IDENTITY + 64].fill(0);
        assert_eq!(exchange.respond(&onionskin), Err(HandshakeError::LowOrder));
        let mut reply = exchange.reply.clone();
        reply[..32].fill(0);
        assert_eq!(exchange.finish(&reply), Err(HandshakeError::LowOrder));
    }
    for (variant, at) in [(Variant::KemOnly, 0), (Variant::Authenticated, IDENTITY + 64)] {
        let exchange = Exchange::new(variant, "ML-KEM-512");
        let mut onionskin = exchange.onionskin.clone();
        // Set a coefficient to 4095, which is not reduced modulo 3329.
        onionskin[at..at + 2].fill(0xff);
        assert_eq!(exchange.respond(&onionskin), Err(HandshakeError::EncapsulationKey));
    }
}
