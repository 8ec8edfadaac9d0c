//! Handshakes over SHA-3 that carry messages: ntor v3, and hs-ntor with and without ML-KEM-768.

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
/// Messages of ntor v3: the client's with its onionskin, the relay's with its reply.
const MESSAGES: [&[u8]; 2] = [b"ask", b"tell"];
const VERIFICATION: &[u8] = b"circuit";

/// A handshake with its responder. All coins are constant, so that findings can be reproduced.
pub enum Handshake {
    V3 { protocol: Arc<v3::Protocol>, relay: v3::Relay, client: v3::Client },
    OnionService { protocol: Arc<ServiceProtocol>, service: Service, client: ServiceClient },
}

/// State of the client between its message and the answer.
pub enum Pending {
    V3(v3::Pending),
    OnionService(ServicePending),
}

impl Handshake {
    /// Performs the client's step; always the same.
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

    /// Performs the other side's step. If it accepts the message, which then carries the data sent, returns answer and
    /// keys.
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

    /// Performs the client's last step. If it accepts the answer, which then carries the data sent, returns the keys.
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

fn parts() -> Sha3Parts {
    Sha3Parts {
        agreement: part(|library| library.key_agreement("X25519")),
        hash: part(|library| library.hash("SHA3-256")),
        xof: part(|library| library.xof("SHAKE256")),
        cipher: part(|library| library.stream_cipher("AES-256-CTR")),
    }
}

/// A handshake with the messages of honest sides, which are always the same.
struct Known {
    handshake: Handshake,
    message: Vec<u8>,
    answer: Vec<u8>,
    keys: Vec<u8>,
}

impl Known {
    fn new(handshake: Handshake) -> Known {
        let (_, message) = handshake.start();
        let (answer, keys) = handshake.respond(&message).expect("the message is honest");
        Known { handshake, message, answer, keys }
    }
}

static V3: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let handshake = |verification: &[u8]| {
        let protocol = v3::Protocol::new(parts(), verification).expect("the string is short");
        let relay = v3::Relay::new(protocol.clone(), [7; v3::IDENTITY], Coins::Exact(&coins(3, 32)));
        let relay = relay.expect("any 32 bytes are a key");
        let client = v3::Client::new(protocol.clone(), relay.descriptor());
        Known::new(Handshake::V3 { protocol, relay, client })
    };
    vec![handshake(&[]), handshake(VERIFICATION)]
});

static ONION_SERVICES: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let handshake = |kem| {
        let protocol = ServiceProtocol::new(parts(), kem, DATA).expect("the parts fit");
        let service = Service::new(protocol.clone(), [7; 32], [8; 32], Coins::Exact(&coins(3, 32)));
        let service = service.expect("any 32 bytes are a key");
        let client = ServiceClient::new(protocol.clone(), service.descriptor());
        Known::new(Handshake::OnionService { protocol, service, client })
    };
    vec![handshake(None), handshake(Some(part(|library| library.kem("ML-KEM-768"))))]
});

/// Recipient of the message: the responder, or the client.
pub enum To {
    Responder,
    Client,
}

/// Tests ntor v3 with an [honest message](altered) altered by the bytes.
pub fn v3(bytes: &[u8], to: To) {
    check(&V3, bytes, to);
}

/// Tests hs-ntor with an [honest message](altered) altered by the bytes.
pub fn onion_service(bytes: &[u8], to: To) {
    check(&ONION_SERVICES, bytes, to);
}

/// Checks that neither side accepts an altered message. The first byte chooses the handshake.
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
                "a changed message is answered, or an honest one refused"
            );
            let same = |(answer, keys): (Vec<u8>, Vec<u8>)| answer == known.answer && keys == known.keys;
            assert!(answered.is_none_or(same), "another answer to the same message");
        }
        To::Client => {
            let (pending, message) = known.handshake.start();
            assert!(message == known.message, "the same coins make another message");
            let answer = altered(choice, rest, &known.answer);
            let finished = known.handshake.finish(pending, &answer);
            assert_eq!(
                finished.is_some(),
                answer == known.answer,
                "a changed answer is believed, or an honest one refused"
            );
            assert!(finished.is_none_or(|finished| finished == known.keys), "the two sides have different keys");
        }
    }
}
