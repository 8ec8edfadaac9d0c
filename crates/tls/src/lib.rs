//! TLS 1.3 handshakes (RFC 8446) with rustls and OpenSSL. Each side takes and returns TLS records as bytes. This crate
//! does not open sockets or read clocks. A [`Context`] holds the state that connections share. An [`Endpoint`] is one
//! side of a connection.
//!
//! Client and server offer exactly one key exchange, one signature scheme and one cipher suite. The cipher suite is
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

#[cfg(feature = "rustls")]
pub use by_rustls::{rustls_client_config, rustls_server_config};
pub use config::{Authentication, Config, Group, Implementation, Resumption};
pub use credentials::{Credentials, Leaf, SERVER_NAME};
pub use flight::{Flight, INITIAL_WINDOW, SEGMENT, ServerHello};
pub use setup::{ANSWER, Flights, REQUEST, Setup, handshake};

use pqlab_constructions::certificate::CertificateError;
use pqlab_constructions::keys::DecodeError;
use std::any::Any;

/// Error from a TLS handshake or its setup.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The implementation does not support the configuration.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The TLS library reported an error.
    #[error("{call}: {detail}")]
    Library {
        /// Name of the library function.
        call: &'static str,
        /// The library's error message.
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

/// Result of a TLS operation.
pub type Result<T> = std::result::Result<T, Error>;

/// One side of a connection.
pub trait Endpoint: Any + Send {
    /// Processes received records.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn receive(&mut self, records: &[u8]) -> Result<()>;

    /// Appends outgoing records to `out`. On a client, the first call appends the ClientHello.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn send(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Returns whether the handshake is complete on this side.
    fn is_done(&self) -> bool;

    /// Returns the negotiated key exchange, if it is in [`Group::ALL`].
    fn group(&self) -> Option<Group>;

    /// Returns the algorithm of the peer's handshake signature, or `None` if the peer did not sign.
    fn peer_signature(&self) -> Option<Authentication>;

    /// Returns whether the handshake resumed an earlier connection.
    fn is_resumed(&self) -> bool;

    /// Encrypts data for the peer. Call [`send`](Self::send) to get the records.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn write(&mut self, data: &[u8]) -> Result<()>;

    /// Decrypts [received](Self::receive) data into `out` and returns the length of the data in bytes, or 0 if no data
    /// is available.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn read(&mut self, out: &mut [u8]) -> Result<usize>;
}

/// State that the connections of a client or a server share: keys, certificates, configuration, tickets.
pub trait Context: Send + Sync {
    /// Creates a connection. A client that has a ticket uses it to resume.
    ///
    /// # Errors
    /// Propagates errors from the library.
    fn connection(&self) -> Result<Box<dyn Endpoint>>;

    /// Creates a connection for obtaining tickets. A server sends `tickets` tickets on it. A client performs a full
    /// handshake even if it already has tickets.
    ///
    /// # Errors
    /// Propagates errors from the library.
    fn priming(&self, tickets: usize) -> Result<Box<dyn Endpoint>>;

    /// Stores the tickets that a client received on `primed`, a connection from [`priming`](Self::priming).
    ///
    /// # Errors
    /// OpenSSL clients fail if they received no ticket. rustls clients never fail, because they store tickets on
    /// receipt.
    fn keep(&self, primed: &dyn Endpoint) -> Result<()>;

    /// Returns the number of connections that the client can still resume, or `usize::MAX` if tickets are reusable.
    fn resumptions(&self) -> usize;
}
