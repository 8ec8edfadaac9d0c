//! Tests circuit handshakes with precomputed state: a client's ephemeral keys, and a relay's key loaded from bytes.

#![allow(clippy::unwrap_used)]

use pqlab_constructions::ntor::{
    HandshakeError, IDENTITY, Initiator, Parts, Protocol, RelayDescriptor, Responder, Variant,
};
use pqlab_primitives::{Coins, Error};
use std::sync::Arc;

const ID: [u8; IDENTITY] = [7; IDENTITY];
const VARIANTS: [Variant; 3] = [Variant::V1, Variant::KemOnly, Variant::Authenticated];

fn protocol(variant: Variant, kem: &str) -> Arc<Protocol> {
    let providers = pqlab_providers::providers();
    let rust = providers.iter().find(|provider| provider.library == "rustcrypto").unwrap();
    let parts = Parts {
        agreement: rust.key_agreement("X25519").unwrap().clone(),
        kem: rust.kem(kem).unwrap().clone(),
        hash: rust.hash("SHA-256").unwrap().clone(),
        mac: rust.mac("HMAC-SHA256").unwrap().clone(),
        kdf: rust.kdf("HKDF-SHA256").unwrap().clone(),
    };
    Protocol::new(variant, parts).unwrap()
}

#[test]
fn keys_generated_in_advance_yield_the_same_messages() {
    for variant in VARIANTS {
        for kem in ["ML-KEM-512", "ML-KEM-1024"] {
            let protocol = protocol(variant, kem);
            let relay = Responder::new(protocol.clone(), ID, Coins::Internal).unwrap();
            let client = Initiator::new(protocol.clone(), relay.descriptor());
            let coins: Vec<u8> = (0..protocol.start_coins()).map(|at| at as u8 + 1).collect();
            let (mut spot, mut ahead) = (vec![0; protocol.onionskin()], vec![0xff; protocol.onionskin()]);
            client.start(Coins::Exact(&coins), &mut spot).unwrap();
            let keys = protocol.ephemeral_keys(Coins::Exact(&coins)).unwrap();
            let pending = client.start_with(keys, &mut ahead).unwrap();
            assert_eq!(spot, ahead, "{variant:?} {kem}");
            let mut reply = vec![0; protocol.reply()];
            let (mut at_relay, mut at_client) = (vec![0; protocol.keys()], vec![0; protocol.keys()]);
            relay.respond(&ahead, Coins::Internal, &mut reply, &mut at_relay).unwrap();
            pending.finish(&reply, &mut at_client).unwrap();
            assert_eq!(at_client, at_relay);
        }
    }
}

#[test]
fn rejects_ephemeral_keys_from_another_handshake() {
    let all = VARIANTS.map(|variant| protocol(variant, "ML-KEM-512"));
    let longer = protocol(Variant::Authenticated, "ML-KEM-768");
    let refused = |keys_of: &Protocol, protocol: &Arc<Protocol>| {
        let relay = RelayDescriptor { identity: ID, onion_key: [9; 32] };
        let keys = keys_of.ephemeral_keys(Coins::Internal).unwrap();
        let started = Initiator::new(protocol.clone(), relay).start_with(keys, &mut vec![0; protocol.onionskin()]);
        matches!(started, Err(HandshakeError::Primitive(Error::Unsupported(_))))
    };
    for (one, other) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        assert!(refused(&all[one], &all[other]), "keys from {:?} must not work for {:?}", all[one], all[other]);
    }
    assert!(refused(&longer, &all[2]) && refused(&all[2], &longer));
}

#[test]
fn loaded_relays_answer_only_with_the_right_key() {
    for variant in VARIANTS {
        let protocol = protocol(variant, "ML-KEM-512");
        let relay = Responder::new(protocol.clone(), ID, Coins::Internal).unwrap();
        let mut key = [0; 32];
        relay.encode_onion_key(&mut key).unwrap();
        let finishes = |key: &[u8; 32]| {
            let loaded = Responder::load(protocol.clone(), relay.descriptor(), key).unwrap();
            let (mut onionskin, mut reply) = (vec![0; protocol.onionskin()], vec![0; protocol.reply()]);
            let (mut at_relay, mut at_client) = (vec![0; protocol.keys()], vec![0; protocol.keys()]);
            let client = Initiator::new(protocol.clone(), relay.descriptor());
            let pending = client.start(Coins::Internal, &mut onionskin).unwrap();
            loaded.respond(&onionskin, Coins::Internal, &mut reply, &mut at_relay).unwrap();
            pending.finish(&reply, &mut at_client).map(|()| at_client == at_relay)
        };
        assert_eq!(finishes(&key), Ok(true));
        key[5] ^= 1;
        let expected = if variant == Variant::KemOnly { Ok(true) } else { Err(HandshakeError::Authenticator) };
        assert_eq!(finishes(&key), expected, "{variant:?}");
    }
}
