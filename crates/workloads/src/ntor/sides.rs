//! The two sides of a handshake, for measuring each of its steps.

use super::handshake_fault;
use pqlab_constructions::ntor::{EphemeralKeys, IDENTITY, Initiator, Pending, Protocol, Responder};
use pqlab_harness::Fault;
use pqlab_primitives::Coins;
use std::sync::Arc;

/// Lengths of messages and keys, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// The client's message.
    pub(super) onionskin: usize,
    /// The peer's answer.
    pub(super) reply: usize,
    /// Keys that each side derives.
    pub(super) keys: usize,
}

/// A client and its peer, with one method per step of their handshake.
pub(super) trait Sides: Send + 'static {
    /// State of the client between its two steps.
    type Pending: Send;
    /// The client's ephemeral keys, generated in advance.
    type Ahead: Send;

    fn lengths(&self) -> Lengths;

    /// Returns whether every part of the handshake does real work. If a part does nothing, the keys may be zero.
    fn whole(&self) -> bool;

    fn create(&self, onionskin: &mut [u8]) -> Result<Self::Pending, Fault>;

    fn ahead(&self) -> Result<Self::Ahead, Fault>;

    fn create_with(&self, keys: Self::Ahead, onionskin: &mut [u8]) -> Result<Self::Pending, Fault>;

    fn reply(&self, onionskin: &[u8], reply: &mut [u8], keys: &mut [u8]) -> Result<(), Fault>;

    fn finish(&self, pending: Self::Pending, reply: &[u8], keys: &mut [u8]) -> Result<(), Fault>;
}

/// Identity of the answering relay.
const RELAY: [u8; IDENTITY] = *b"a relay to measure..";

/// A client and a relay.
pub(super) struct Parties {
    protocol: Arc<Protocol>,
    whole: bool,
    client: Initiator,
    relay: Responder,
}

impl Parties {
    pub(super) fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Parties, Fault> {
        let relay = Responder::new(protocol.clone(), RELAY, Coins::Internal).map_err(handshake_fault)?;
        let client = Initiator::new(protocol.clone(), relay.descriptor());
        Ok(Parties { protocol, whole, client, relay })
    }
}

impl Sides for Parties {
    type Pending = Pending;
    type Ahead = EphemeralKeys;

    fn lengths(&self) -> Lengths {
        let Parties { protocol, .. } = self;
        Lengths { onionskin: protocol.onionskin(), reply: protocol.reply(), keys: protocol.keys() }
    }

    fn whole(&self) -> bool {
        self.whole
    }

    #[inline(always)]
    fn create(&self, onionskin: &mut [u8]) -> Result<Pending, Fault> {
        self.client.start(Coins::Internal, onionskin).map_err(handshake_fault)
    }

    fn ahead(&self) -> Result<EphemeralKeys, Fault> {
        self.protocol.ephemeral_keys(Coins::Internal).map_err(handshake_fault)
    }

    #[inline(always)]
    fn create_with(&self, keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Pending, Fault> {
        self.client.start_with(keys, onionskin).map_err(handshake_fault)
    }

    #[inline(always)]
    fn reply(&self, onionskin: &[u8], reply: &mut [u8], keys: &mut [u8]) -> Result<(), Fault> {
        self.relay.respond(onionskin, Coins::Internal, reply, keys).map_err(handshake_fault)
    }

    #[inline(always)]
    fn finish(&self, pending: Pending, reply: &[u8], keys: &mut [u8]) -> Result<(), Fault> {
        pending.finish(reply, keys).map_err(handshake_fault)
    }
}

/// A client and a relay that loads its private onion key from bytes for each answer.
pub(super) struct Loading {
    parties: Parties,
    onion_key: zeroize::Zeroizing<[u8; 32]>,
}

impl Loading {
    pub(super) fn new(parties: Parties) -> Result<Loading, Fault> {
        let mut onion_key = zeroize::Zeroizing::new([0; 32]);
        parties.relay.encode_onion_key(&mut onion_key).map_err(handshake_fault)?;
        Ok(Loading { parties, onion_key })
    }
}

impl Sides for Loading {
    type Pending = Pending;
    type Ahead = EphemeralKeys;

    fn lengths(&self) -> Lengths {
        self.parties.lengths()
    }

    fn whole(&self) -> bool {
        self.parties.whole()
    }

    #[inline(always)]
    fn create(&self, onionskin: &mut [u8]) -> Result<Pending, Fault> {
        self.parties.create(onionskin)
    }

    fn ahead(&self) -> Result<EphemeralKeys, Fault> {
        self.parties.ahead()
    }

    #[inline(always)]
    fn create_with(&self, keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Pending, Fault> {
        self.parties.create_with(keys, onionskin)
    }

    #[inline(always)]
    fn reply(&self, onionskin: &[u8], reply: &mut [u8], keys: &mut [u8]) -> Result<(), Fault> {
        let Parties { protocol, relay, .. } = &self.parties;
        let relay = Responder::load(protocol.clone(), relay.descriptor(), &self.onion_key).map_err(handshake_fault)?;
        relay.respond(onionskin, Coins::Internal, reply, keys).map_err(handshake_fault)
    }

    #[inline(always)]
    fn finish(&self, pending: Pending, reply: &[u8], keys: &mut [u8]) -> Result<(), Fault> {
        self.parties.finish(pending, reply, keys)
    }
}
