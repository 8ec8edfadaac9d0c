//! QUIC handshakes (RFC 9000, RFC 9001) with quinn-proto, between two sides in one process. This crate does not open
//! sockets or read clocks. A [`Setup`] holds the configuration that connections share. A [`Pair`] is a client and a
//! server, with a simulated link between them.
//!
//! Time is simulated. The link delays and drops datagrams, and the clock jumps to the next event. The time that a side
//! computes can be included: see [`Pair::connect`].
//!
//! Client and server use the TLS configuration of `pqlab_tls`: exactly one key exchange, one signature scheme and one
//! cipher suite. A call sends one datagram, as without segmentation offload. Datagrams have at most 1,200 bytes, because
//! the sides do not search for a larger path MTU.

mod initial;
mod pair;
mod setup;

pub use initial::Initials;
pub use pair::{Flight, Pair, Sides};
pub use setup::Setup;

pub use pqlab_tls::{Error, Result};

/// Version of quinn-proto.
pub const VERSION: &str = env!("PQLAB_VERSION_QUINN_PROTO");
/// Maximum ratio of the bytes that a server sends to the bytes that it has received, before it knows that the client
/// receives at its address (RFC 9000, section 8.1).
pub const AMPLIFICATION: usize = 3;
/// Length of an IPv4 header and a UDP header in bytes.
pub const HEADERS: usize = 20 + 8;
