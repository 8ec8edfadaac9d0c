//! The seven circuit handshakes.

#[path = "altered.rs"]
mod altered;
#[path = "parts.rs"]
mod parts;

use altered::altered;
use parts::part;
use pqlab_constructions::ntor::{IDENTITY, Initiator, Parts, Pending, Protocol, Responder, Variant};
use pqlab_primitives::Coins;
use std::sync::{Arc, LazyLock};

/// A handshake protocol with a client and a relay. All randomness is constant, so that findings can
/// be reproduced.
pub struct Handshake {
    pub protocol: Arc<Protocol>,
    pub responder: Responder,
    /// The honest client's message.
    pub onionskin: Vec<u8>,
    /// The relay's answer to `onionskin`.
    pub reply: Vec<u8>,
    /// The keys that both sides derive from `onionskin` and `reply`.
    pub keys: Vec<u8>,
    initiator: Initiator,
}

impl Handshake {
    fn new(protocol: Arc<Protocol>) -> Handshake {
        let responder = Responder::new(protocol.clone(), [7; IDENTITY], Coins::Exact(&coins(3, 32)));
        let responder = responder.expect("any 32 bytes are a valid key");
        let initiator = Initiator::new(protocol.clone(), responder.descriptor());
        let mut handshake =
            Handshake { protocol, responder, initiator, onionskin: Vec::new(), reply: Vec::new(), keys: Vec::new() };
        (_, handshake.onionskin) = handshake.begin();
        let answered = handshake.respond(&handshake.onionskin);
        (handshake.reply, handshake.keys) = answered.expect("the relay must accept an honest onionskin");
        handshake
    }

    fn begin(&self) -> (Pending, Vec<u8>) {
        let mut onionskin = vec![0; self.protocol.onionskin()];
        let coins = coins(1, self.protocol.start_coins());
        let pending = self.initiator.start(Coins::Exact(&coins), &mut onionskin).expect("the buffer must fit");
        (pending, onionskin)
    }

    /// Performs the client's first step, and checks that it produces `onionskin` again.
    pub fn start(&self) -> Pending {
        let (pending, onionskin) = self.begin();
        assert!(onionskin == self.onionskin, "the same randomness must give the same onionskin");
        pending
    }

    /// Performs the relay's step. Returns the reply and the keys if the relay accepts the onionskin.
    pub fn respond(&self, onionskin: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let (mut reply, mut keys) = (vec![0; self.protocol.reply()], vec![0; self.protocol.keys()]);
        let coins = coins(2, self.protocol.respond_coins());
        let answered = self.responder.respond(onionskin, Coins::Exact(&coins), &mut reply, &mut keys);
        answered.is_ok().then_some((reply, keys))
    }

    /// Performs the client's last step. Returns the keys if the client accepts the reply.
    pub fn finish(&self, pending: Pending, reply: &[u8]) -> Option<Vec<u8>> {
        let mut keys = vec![0; self.protocol.keys()];
        pending.finish(reply, &mut keys).is_ok().then_some(keys)
    }
}

fn coins(label: u8, length: usize) -> Vec<u8> {
    (0..length).map(|i| label.wrapping_mul(101).wrapping_add(i as u8)).collect()
}

static HANDSHAKES: LazyLock<Vec<Handshake>> = LazyLock::new(|| {
    let hybrid = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"]
        .iter()
        .flat_map(|kem| [(Variant::KemOnly, *kem), (Variant::Authenticated, *kem)]);
    let all = [(Variant::V1, "ML-KEM-512")].into_iter().chain(hybrid);
    all.map(|(variant, kem)| {
        let parts = Parts {
            agreement: part(|library| library.key_agreement("X25519")),
            kem: part(|library| library.kem(kem)),
            hash: part(|library| library.hash("SHA-256")),
            mac: part(|library| library.mac("HMAC-SHA256")),
            kdf: part(|library| library.kdf("HKDF-SHA256")),
        };
        Handshake::new(Protocol::new(variant, parts).expect("the parts must fit"))
    })
    .collect()
});

/// Returns the handshake that the first byte selects, and a function that uses the other bytes to [alter](altered) an
/// honest message. Returns `None` if `bytes` is empty.
pub fn choose<'a>(bytes: &'a [u8]) -> Option<(&'static Handshake, impl Fn(&[u8]) -> Vec<u8> + use<'a>)> {
    let (&choice, rest) = bytes.split_first()?;
    let handshake = &HANDSHAKES[usize::from(choice >> 1) % HANDSHAKES.len()];
    let message = move |honest: &[u8]| altered(choice, rest, honest);
    Some((handshake, message))
}
