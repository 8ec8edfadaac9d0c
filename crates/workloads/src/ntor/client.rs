//! Client for pqlab's relay, and for other relays that frame messages in [the same way](super::relay).

use super::relay::{Link, handshake_type};
use super::{Handshake, handshakes};
use crate::pairs::Pair;
use pqlab_constructions::ntor::{HandshakeError, Initiator, Protocol, RelayDescriptor, Variant};
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, Provider};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Header lengths in bytes: 4 for a request (HTYPE and HLEN), 2 for an answer (HLEN).
const HEADS: [usize; 2] = [4, 2];

/// Reason why a handshake with a relay failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The provider does not offer an algorithm that the handshake needs.
    #[error("{0}")]
    Provider(#[from] Fault),
    /// Nothing answers at the address.
    #[error("cannot connect to the relay: {0}")]
    Unreachable(io::Error),
    /// The relay closed the connection instead of answering.
    #[error(
        "the relay closed the connection without an answer; either it has a different identity or onion key, or it \
         does not support the handshake"
    )]
    Refused,
    /// The answer did not arrive in time.
    #[error("no answer within {0} s")]
    Late(f64),
    /// The received bytes are not a valid answer.
    #[error("{0}")]
    Malformed(io::Error),
    /// The answer does not verify.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
}

/// Returns the handshake with this name or short name. The short names are `ntor`, `kem-only` and `hybrid`. `kem-only`
/// and `hybrid` use ML-KEM-768.
pub fn handshake_named(name: &str) -> Option<Handshake> {
    let named = match name {
        "ntor" => "ntor-v1",
        "kem-only" => "kem-only-mlkem768",
        "hybrid" => "ntor-x25519-mlkem768",
        other => other,
    };
    Handshake::find(named)
}

/// Returns every name that [`handshake_named`] accepts.
pub fn handshake_names() -> Vec<String> {
    let short = ["ntor", "kem-only", "hybrid"].map(str::to_owned);
    short.into_iter().chain(handshakes().iter().map(Handshake::name)).collect()
}

/// Client connected to a relay.
pub struct Client {
    link: Link,
    limit: Duration,
    number: u16,
    protocol: Arc<Protocol>,
    relay: RelayDescriptor,
    initiator: Initiator,
    keys: Zeroizing<Vec<u8>>,
}

impl Client {
    /// Connects to the relay at the address, using one provider (`aws-lc`) or two (`aws-lc+liboqs`). If no descriptor
    /// is given, requests it from the relay and trusts the answer. `limit` applies to connecting and to each answer.
    ///
    /// # Errors
    /// Fails if a provider lacks an algorithm, nothing answers, or the answer is malformed.
    pub fn connect(
        providers: &[Arc<Provider>],
        handshake: Handshake,
        pair: &str,
        (address, known): (SocketAddr, Option<RelayDescriptor>),
        limit: Duration,
    ) -> Result<Client, ClientError> {
        let (classical, post_quantum) = pair.split_once('+').unwrap_or((pair, pair));
        let pair = Pair { classical: classical.into(), post_quantum: post_quantum.into() };
        let protocol = handshake.protocol(providers, &pair, None)?;
        let mut link = Link::connect_within(address, limit).map_err(ClientError::Unreachable)?;
        let relay = match known {
            Some(relay) => relay,
            None => link.descriptor().map_err(|error| client_error(error, limit))?,
        };
        let initiator = Initiator::new(Arc::clone(&protocol), relay);
        let keys = Zeroizing::new(vec![0; protocol.keys()]);
        Ok(Client { link, limit, number: handshake_type(handshake), protocol, relay, initiator, keys })
    }

    /// Returns the descriptor of the relay.
    pub fn relay(&self) -> RelayDescriptor {
        self.relay
    }

    /// Returns whether the handshake proves that the other side holds the onion key.
    pub fn authenticates(&self) -> bool {
        self.protocol.variant() != Variant::KemOnly
    }

    /// Returns the numbers of bytes that a handshake sends and receives, including headers.
    pub fn lengths(&self) -> [usize; 2] {
        [HEADS[0] + self.protocol.onionskin(), HEADS[1] + self.protocol.reply()]
    }

    /// Performs one handshake and returns the keys. Checks the relay's authenticator, which proves that the relay has
    /// the same keys.
    ///
    /// # Errors
    /// Fails if the answer does not arrive, is malformed, or does not verify.
    pub fn handshake(&mut self) -> Result<&[u8], ClientError> {
        let mut onionskin = vec![0; self.protocol.onionskin()];
        let mut reply = vec![0; self.protocol.reply()];
        let pending = self.initiator.start(Coins::Internal, &mut onionskin)?;
        let limit = self.limit;
        self.link.ask(self.number, &onionskin, &mut reply).map_err(|error| client_error(error, limit))?;
        pending.finish(&reply, &mut self.keys)?;
        if self.link.has_more().map_err(|error| client_error(error, limit))? {
            let more = io::Error::new(io::ErrorKind::InvalidData, "the relay sent extra bytes after its answer");
            return Err(ClientError::Malformed(more));
        }
        Ok(&self.keys)
    }
}

/// Converts a socket error to a client error. `limit` is the time limit for an answer.
fn client_error(error: io::Error, limit: Duration) -> ClientError {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock};
    match error.kind() {
        UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => ClientError::Refused,
        TimedOut | WouldBlock => ClientError::Late(limit.as_secs_f64()),
        _ => ClientError::Malformed(error),
    }
}
