//! Handshakes that use SHA-3 and carry messages: ntor v3, and hs-ntor with and without ML-KEM-768.

#![allow(dead_code)] // Each target uses one of the two protocols.

#[path = "altered.rs"]
mod altered;
#[path = "parts.rs"]
mod parts;

use altered::altered;
use parts::part;
use pqlab_constructions::ntor::onion_service::{Service, ServiceClient, ServicePending, ServiceProtocol};
use pqlab_constructions::ntor::{Sha3Parts, v3};
use pqlab_primitives::Coins;
use std::sync::{Arc, LazyLock};

/// Length of the data in an introduction, in bytes.
const DATA: usize = 190;
/// Messages in ntor v3. The client sends the first with the onionskin, and the relay sends the second with the reply.
const MESSAGES: [&[u8]; 2] = [b"ask", b"tell"];
const VERIFICATION: &[u8] = b"circuit";

/// A handshake with both sides. All randomness is constant, so that findings can be reproduced.
pub enum Handshake {
    V3 { protocol: Arc<v3::Protocol>, relay: v3::Relay, client: v3::Client },
    OnionService { protocol: Arc<ServiceProtocol>, service: Service, client: ServiceClient },
}

/// State of the client while it waits for the answer.
pub enum Pending {
    V3(v3::Pending),
    OnionService(ServicePending),
}

impl Handshake {
    /// Performs the client's first step, which always produces the same message.
    pub fn start(&self) -> (Pending, Vec<u8>) {
        match self {
            Handshake::V3 { protocol, client, .. } => {
                let mut onionskin = vec![0; protocol.onionskin(MESSAGES[0].len())];
                let pending = client.start(Coins::Exact(&coins(1, 32)), MESSAGES[0], &mut onionskin);
                (Pending::V3(pending.expect("the buffer must fit")), onionskin)
            }
            Handshake::OnionService { protocol, client, .. } => {
                let mut introduction = vec![0; protocol.introduction()];
                let randomness = coins(1, protocol.start_coins());
                let pending = client.start(Coins::Exact(&randomness), &coins(4, DATA), &mut introduction);
                (Pending::OnionService(pending.expect("the buffers must fit")), introduction)
            }
        }
    }

    /// Performs the responder's step. Returns the answer and the keys if the responder accepts the message. Also checks
    /// that an accepted message carries the data that the client sent.
    pub fn respond(&self, message: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        match self {
            Handshake::V3 { protocol, relay, .. } => {
                let (mut reply, mut keys) = (vec![0; protocol.reply(MESSAGES[1].len())], vec![0; protocol.keys()]);
                let compose = |message: &[u8]| {
                    assert_eq!(message, MESSAGES[0], "the decrypted message must equal the message that was sent");
                    MESSAGES[1]
                };
                let answered = relay.respond(message, Coins::Exact(&coins(2, 32)), compose, &mut reply, &mut keys);
                answered.is_ok().then_some((reply, keys))
            }
            Handshake::OnionService { protocol, service, .. } => {
                let (mut answer, mut keys) = (vec![0; protocol.answer()], vec![0; protocol.keys()]);
                let (mut data, randomness) = (vec![0; DATA], coins(2, protocol.respond_coins()));
                service.respond(message, Coins::Exact(&randomness), &mut data, &mut answer, &mut keys).ok()?;
                assert_eq!(data, coins(4, DATA), "the decrypted data must be the sent data");
                Some((answer, keys))
            }
        }
    }

    /// Performs the client's last step. Returns the keys if the client accepts the answer. Checks that an accepted
    /// answer carries the message that the responder sent.
    pub fn finish(&self, pending: Pending, answer: &[u8]) -> Option<Vec<u8>> {
        match (self, pending) {
            (Handshake::V3 { protocol, .. }, Pending::V3(pending)) => {
                let (mut message, mut keys) = (vec![0; MESSAGES[1].len()], vec![0; protocol.keys()]);
                pending.finish(answer, &mut message, &mut keys).ok()?;
                assert_eq!(message, MESSAGES[1], "the decrypted message must equal the message that was sent");
                Some(keys)
            }
            (Handshake::OnionService { protocol, .. }, Pending::OnionService(pending)) => {
                let mut keys = vec![0; protocol.keys()];
                pending.finish(answer, &mut keys).is_ok().then_some(keys)
            }
            _ => unreachable!("the pending state belongs to another protocol"),
        }
    }
}

fn coins(label: u8, length: usize) -> Vec<u8> {
    (0..length).map(|i| label.wrapping_mul(101).wrapping_add(i as u8)).collect()
}

fn parts() -> Sha3Parts {
    Sha3Parts {
        agreement: part(|library| library.key_agreement("X25519")),
        hash: part(|library| library.hash("SHA3-256")),
        xof: part(|library| library.xof("SHAKE256")),
        cipher: part(|library| library.stream_cipher("AES-256-CTR")),
    }
}

/// A handshake, and the constant messages and keys of an honest exchange.
struct Known {
    handshake: Handshake,
    message: Vec<u8>,
    answer: Vec<u8>,
    keys: Vec<u8>,
}

impl Known {
    fn new(handshake: Handshake) -> Known {
        let (_, message) = handshake.start();
        let (answer, keys) = handshake.respond(&message).expect("the responder must accept an honest message");
        Known { handshake, message, answer, keys }
    }
}

static V3: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let handshake = |verification: &[u8]| {
        let protocol = v3::Protocol::new(parts(), verification).expect("the verification string is short");
        let relay = v3::Relay::new(protocol.clone(), [7; v3::IDENTITY], Coins::Exact(&coins(3, 32)));
        let relay = relay.expect("any 32 bytes are a valid key");
        let client = v3::Client::new(protocol.clone(), relay.descriptor());
        Known::new(Handshake::V3 { protocol, relay, client })
    };
    vec![handshake(&[]), handshake(VERIFICATION)]
});

static ONION_SERVICES: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let handshake = |kem| {
        let protocol = ServiceProtocol::new(parts(), kem, DATA).expect("the parts must fit");
        let service = Service::new(protocol.clone(), [7; 32], [8; 32], Coins::Exact(&coins(3, 32)));
        let service = service.expect("any 32 bytes are a valid key");
        let client = ServiceClient::new(protocol.clone(), service.descriptor());
        Known::new(Handshake::OnionService { protocol, service, client })
    };
    vec![handshake(None), handshake(Some(part(|library| library.kem("ML-KEM-768"))))]
});

/// Recipient of the altered message.
pub enum To {
    Responder,
    Client,
}

/// Tests ntor v3. `bytes` [alter](altered) the message that `to` receives.
pub fn v3(bytes: &[u8], to: To) {
    check(&V3, bytes, to);
}

/// Tests hs-ntor. `bytes` [alter](altered) the message that `to` receives.
pub fn onion_service(bytes: &[u8], to: To) {
    check(&ONION_SERVICES, bytes, to);
}

/// Checks that the recipient rejects an altered message. The first byte selects the handshake.
fn check(handshakes: &[Known], bytes: &[u8], to: To) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let known = &handshakes[usize::from(choice >> 1) % handshakes.len()];
    match to {
        To::Responder => {
            let message = altered(choice, rest, &known.message);
            let answered = known.handshake.respond(&message);
            assert_eq!(
                answered.is_some(),
                message == known.message,
                "the responder must answer a message if and only if it is honest"
            );
            let same = |(answer, keys): (Vec<u8>, Vec<u8>)| answer == known.answer && keys == known.keys;
            assert!(answered.is_none_or(same), "the same message must get the same answer");
        }
        To::Client => {
            let (pending, message) = known.handshake.start();
            assert!(message == known.message, "the same randomness must give the same message");
            let answer = altered(choice, rest, &known.answer);
            let finished = known.handshake.finish(pending, &answer);
            assert_eq!(
                finished.is_some(),
                answer == known.answer,
                "the client must accept an answer if and only if it is honest"
            );
            assert!(finished.is_none_or(|finished| finished == known.keys), "both sides must have the same keys");
        }
    }
}
