//! The handshakes over SHA-3 with messages inside, over one Rust library: ntor v3, and hs-ntor with and without ML-KEM-768.

#![allow(dead_code)] // Each target has one of the two protocols.

#[path = "altered.rs"]
mod altered;

use altered::altered;
use pqlab_constructions::ntor::onion_service::{Service, ServiceClient, ServicePending, ServiceProtocol};
use pqlab_constructions::ntor::{Sha3Parts, v3};
use pqlab_primitives::{Coins, Provider};
use std::sync::{Arc, LazyLock};

/// Length in bytes of what an introduction carries.
const DATA: usize = 190;
/// What the client of ntor v3 sends with its onionskin, and the relay with its reply.
const MESSAGES: [&[u8]; 2] = [b"ask", b"tell"];
const VERIFICATION: &[u8] = b"circuit";

/// A handshake with whoever answers it. All coins are constants, so that a finding can be repeated.
pub enum Handshake {
    V3 { protocol: Arc<v3::Protocol>, relay: v3::Relay, client: v3::Client },
    OnionService { protocol: Arc<ServiceProtocol>, service: Service, client: ServiceClient },
}

/// The client between its message and the answer.
pub enum Pending {
    V3(v3::Pending),
    OnionService(ServicePending),
}

impl Handshake {
    /// The client's step; always the same.
    pub fn start(&self) -> (Pending, Vec<u8>) {
        match self {
            Handshake::V3 { protocol, client, .. } => {
                let mut onionskin = vec![0; protocol.onionskin(MESSAGES[0].len())];
                let pending = client.start(Coins::Exact(&coins(1, 32)), MESSAGES[0], &mut onionskin);
                (Pending::V3(pending.expect("its buffer fits")), onionskin)
            }
            Handshake::OnionService { protocol, client, .. } => {
                let mut introduction = vec![0; protocol.introduction()];
                let drawn = coins(1, protocol.start_coins());
                let pending = client.start(Coins::Exact(&drawn), &coins(4, DATA), &mut introduction);
                (Pending::OnionService(pending.expect("its buffers fit")), introduction)
            }
        }
    }

    /// The other side's step: answer and keys where the message is accepted, which then carries what was sent.
    pub fn respond(&self, message: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        match self {
            Handshake::V3 { protocol, relay, .. } => {
                let (mut reply, mut keys) = (vec![0; protocol.reply(MESSAGES[1].len())], vec![0; protocol.keys()]);
                let compose = |message: &[u8]| {
                    assert_eq!(message, MESSAGES[0], "another message was decrypted");
                    MESSAGES[1]
                };
                let answered = relay.respond(message, Coins::Exact(&coins(2, 32)), compose, &mut reply, &mut keys);
                answered.is_ok().then_some((reply, keys))
            }
            Handshake::OnionService { protocol, service, .. } => {
                let (mut answer, mut keys) = (vec![0; protocol.answer()], vec![0; protocol.keys()]);
                let (mut data, drawn) = (vec![0; DATA], coins(2, protocol.respond_coins()));
                service.respond(message, Coins::Exact(&drawn), &mut data, &mut answer, &mut keys).ok()?;
                assert_eq!(data, coins(4, DATA), "other data were decrypted");
                Some((answer, keys))
            }
        }
    }

    /// The client's last step: keys where the answer is believed, which then carries what was sent.
    pub fn finish(&self, pending: Pending, answer: &[u8]) -> Option<Vec<u8>> {
        match (self, pending) {
            (Handshake::V3 { protocol, .. }, Pending::V3(pending)) => {
                let (mut message, mut keys) = (vec![0; MESSAGES[1].len()], vec![0; protocol.keys()]);
                pending.finish(answer, &mut message, &mut keys).ok()?;
                assert_eq!(message, MESSAGES[1], "another message was decrypted");
                Some(keys)
            }
            (Handshake::OnionService { protocol, .. }, Pending::OnionService(pending)) => {
                let mut keys = vec![0; protocol.keys()];
                pending.finish(answer, &mut keys).is_ok().then_some(keys)
            }
            _ => unreachable!("the client is of the same handshake"),
        }
    }
}

fn coins(label: u8, length: usize) -> Vec<u8> {
    (0..length).map(|i| label.wrapping_mul(101).wrapping_add(i as u8)).collect()
}

fn parts(library: &Provider) -> Sha3Parts {
    Sha3Parts {
        agreement: library.key_agreement("X25519").expect("it has X25519").clone(),
        hash: library.hash("SHA3-256").expect("it has SHA3-256").clone(),
        xof: library.xof("SHAKE256").expect("it has SHAKE256").clone(),
        cipher: library.stream_cipher("AES-256-CTR").expect("it has AES-256-CTR").clone(),
    }
}

fn library() -> Arc<Provider> {
    let providers = pqlab_providers::providers();
    let library = providers.iter().find(|provider| provider.library == "rustcrypto");
    library.expect("it is built in").clone()
}

static V3: LazyLock<Vec<Handshake>> = LazyLock::new(|| {
    let handshake = |verification: &[u8]| {
        let protocol = v3::Protocol::new(parts(&library()), verification).expect("the string is short");
        let relay = v3::Relay::new(protocol.clone(), [7; v3::IDENTITY], Coins::Exact(&coins(3, 32)));
        let relay = relay.expect("any 32 bytes are a key");
        let client = v3::Client::new(protocol.clone(), relay.descriptor());
        Handshake::V3 { protocol, relay, client }
    };
    vec![handshake(&[]), handshake(VERIFICATION)]
});

static ONION_SERVICES: LazyLock<Vec<Handshake>> = LazyLock::new(|| {
    let library = library();
    let kem = library.kem("ML-KEM-768").expect("it has ML-KEM").clone();
    let handshake = |kem| {
        let protocol = ServiceProtocol::new(parts(&library), kem, DATA).expect("the parts fit");
        let service = Service::new(protocol.clone(), [7; 32], [8; 32], Coins::Exact(&coins(3, 32)));
        let service = service.expect("any 32 bytes are a key");
        let client = ServiceClient::new(protocol.clone(), service.descriptor());
        Handshake::OnionService { protocol, service, client }
    };
    vec![handshake(None), handshake(Some(kem))]
});

/// Where the message goes: to who answers, or back to the client.
pub enum To {
    Responder,
    Client,
}

/// ntor v3 with the message that the bytes make of an [honest one](altered).
pub fn v3(bytes: &[u8], to: To) {
    check(&V3, bytes, to);
}

/// hs-ntor, likewise.
pub fn onion_service(bytes: &[u8], to: To) {
    check(&ONION_SERVICES, bytes, to);
}

/// The first byte chooses the handshake. Never do both sides finish unless the message arrived as it was sent.
fn check(handshakes: &[Handshake], bytes: &[u8], to: To) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let handshake = &handshakes[usize::from(choice >> 1) % handshakes.len()];
    let (pending, honest) = handshake.start();
    let sent = match to {
        To::Responder => altered(choice, rest, &honest),
        To::Client => honest.clone(),
    };
    let answered = handshake.respond(&sent);
    assert_eq!(answered.is_some(), sent == honest, "a changed message is answered, or an honest one refused");
    let Some((honest, keys)) = answered else { return };
    let answer = match to {
        To::Responder => honest.clone(),
        To::Client => altered(choice, rest, &honest),
    };
    let finished = handshake.finish(pending, &answer);
    assert_eq!(finished.is_some(), answer == honest, "a changed answer is believed, or an honest one refused");
    assert!(finished.is_none_or(|finished| finished == keys), "the two sides have different keys");
}
