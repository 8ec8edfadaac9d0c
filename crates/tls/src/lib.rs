//! TLS 1.3 handshakes (RFC 8446) by rustls and by OpenSSL. Each side takes records and gives records: there are neither sockets
//! nor clocks here. What connections have in common, a [`Context`], is made once; a connection of it is an [`Endpoint`].
//!
//! Client and server offer exactly one key exchange and one signature scheme, and the cipher suite TLS_AES_256_GCM_SHA384,
//! which both implementations prefer by themselves. Servers give out no tickets but to those that [`Setup::prime`] sends.

#[cfg(feature = "openssl")]
mod by_openssl;
#[cfg(feature = "rustls")]
mod by_rustls;
mod config;
mod credentials;
mod flight;
mod setup;
pub mod stream;

pub use config::{Authentication, Config, Group, Implementation, Resumption};
pub use credentials::{Credentials, Leaf, SERVER_NAME};
pub use flight::{Flight, INITIAL_WINDOW, SEGMENT, ServerHello};
pub use setup::{ANSWER, Flights, REQUEST, Setup, handshake};

use pqlab_constructions::certificate::CertificateError;
use pqlab_constructions::keys::DecodeError;
use std::any::Any;

/// Why there is no handshake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The implementation lacks what is asked for.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The library's own report.
    #[error("{call}: {detail}")]
    Library {
        /// What was called.
        call: &'static str,
        /// What the library says.
        detail: String,
    },
    /// The handshake is not the one that was asked for.
    #[error("{0}")]
    Wrong(String),
    /// A certificate cannot be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A key cannot be written.
    #[error(transparent)]
    Key(#[from] DecodeError),
    /// A key cannot be made.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
}

/// What comes of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// One side of one connection.
pub trait Endpoint: Any + Send {
    /// Takes records and does what they ask for.
    ///
    /// # Errors
    /// Whatever ends the connection.
    fn receive(&mut self, records: &[u8]) -> Result<()>;

    /// Appends to `out` the records that are to be sent; a client's first ones are its ClientHello.
    ///
    /// # Errors
    /// Whatever ends the connection.
    fn send(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Whether the handshake is complete, seen from this side.
    fn is_done(&self) -> bool;

    /// The key exchange that was agreed on; `None` for one that is not among [`Group::ALL`].
    fn group(&self) -> Option<Group>;

    /// How the other side has shown in this handshake that it has the key of its certificate; `None` where it has not.
    fn peer_signature(&self) -> Option<Authentication>;

    /// Whether an earlier connection was resumed.
    fn is_resumed(&self) -> bool;

    /// Encrypts data for the other side, to be [sent](Self::send).
    ///
    /// # Errors
    /// Whatever ends the connection.
    fn write(&mut self, data: &[u8]) -> Result<()>;

    /// Reads what the other side has encrypted, as far as it was [received](Self::receive); returns its length in bytes.
    ///
    /// # Errors
    /// Whatever ends the connection.
    fn read(&mut self, out: &mut [u8]) -> Result<usize>;
}

/// What the connections of a client or of a server have in common: keys, certificates, choices, tickets.
pub trait Context: Send + Sync {
    /// A new connection. A client that has a ticket uses it.
    ///
    /// # Errors
    /// What the library says.
    fn connection(&self) -> Result<Box<dyn Endpoint>>;

    /// A new connection in which a server gives out so many tickets, and a client keeps what it is given.
    ///
    /// # Errors
    /// What the library says.
    fn priming(&self, tickets: usize) -> Result<Box<dyn Endpoint>>;

    /// Keeps the tickets that a client was given in a connection of this context.
    ///
    /// # Errors
    /// If there is none.
    fn keep(&self, primed: &dyn Endpoint) -> Result<()>;

    /// How many connections the client can still resume: `usize::MAX` where it may use a ticket more than once.
    fn resumptions(&self) -> usize;
}
