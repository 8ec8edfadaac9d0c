//! TLS 1.3 handshakes (RFC 8446) by rustls and by OpenSSL. Each side takes and returns records; this crate uses neither
//! sockets nor clocks. A [`Context`] holds the state shared by connections. An [`Endpoint`] is one side of a
//! connection.
//!
//! Client and server offer exactly one key exchange and one signature scheme, and the cipher suite
//! TLS_AES_256_GCM_SHA384, which both implementations prefer by default. Servers send tickets only during
//! [`Setup::prime`].

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

/// Reason why a handshake failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The implementation does not support the configuration.
    #[error("{0}")]
    Unsupported(&'static str),
    /// Error of the TLS library.
    #[error("{call}: {detail}")]
    Library {
        /// The called function.
        call: &'static str,
        /// Error message of the library.
        detail: String,
    },
    /// The handshake does not match the configuration.
    #[error("{0}")]
    Wrong(String),
    /// A certificate cannot be created.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A key cannot be encoded.
    #[error(transparent)]
    Key(#[from] DecodeError),
    /// A key cannot be generated.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
}

/// Result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// One side of one connection.
pub trait Endpoint: Any + Send {
    /// Processes received records.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn receive(&mut self, records: &[u8]) -> Result<()>;

    /// Appends the records to send to `out`. A client's first flight is its ClientHello.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn send(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Whether the handshake is complete on this side.
    fn is_done(&self) -> bool;

    /// Returns the negotiated key exchange, if it is in [`Group::ALL`].
    fn group(&self) -> Option<Group>;

    /// Returns the algorithm with which the peer proved possession of its certificate's key in this handshake, if it
    /// did.
    fn peer_signature(&self) -> Option<Authentication>;

    /// Whether an earlier connection was resumed.
    fn is_resumed(&self) -> bool;

    /// Encrypts data for the peer, to be [sent](Self::send).
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn write(&mut self, data: &[u8]) -> Result<()>;

    /// Decrypts [received](Self::receive) data into `out` and returns its length in bytes. 0 means that none is
    /// available.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn read(&mut self, out: &mut [u8]) -> Result<usize>;
}

/// State shared by the connections of a client or of a server: keys, certificates, configuration, tickets.
pub trait Context: Send + Sync {
    /// Creates a connection. A client with a ticket uses it.
    ///
    /// # Errors
    /// Propagates errors from the library.
    fn connection(&self) -> Result<Box<dyn Endpoint>>;

    /// Creates a connection in which a server sends this many tickets, and a client keeps the ones it receives.
    ///
    /// # Errors
    /// Propagates errors from the library.
    fn priming(&self, tickets: usize) -> Result<Box<dyn Endpoint>>;

    /// Keeps the tickets that a client received in a connection of this context.
    ///
    /// # Errors
    /// Fails if there is none.
    fn keep(&self, primed: &dyn Endpoint) -> Result<()>;

    /// Returns the number of connections that the client can still resume. `usize::MAX` if tickets are reusable.
    fn resumptions(&self) -> usize;
}
