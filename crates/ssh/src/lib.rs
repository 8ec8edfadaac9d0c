//! SSH handshakes (RFC 4253 and RFC 4252) with russh, from the first byte to a session in which both sides are
//! authenticated. A [`Setup`] holds the keys and settings that connections share. A [`Connection`] performs a handshake
//! in memory, step by step: no socket, no thread and no waiting. [`stream`] drives one side over a blocking stream.
//! [`Setup::connect`] and [`Setup::serve`] use any asynchronous stream.
//!
//! Client and server offer exactly one key exchange, one type of key and one cipher. The cipher is
//! chacha20-poly1305@openssh.com, which russh and OpenSSH prefer by default. Both sides offer strict key exchange and
//! extension negotiation (RFC 8308), as OpenSSH does.

mod config;
mod connection;
mod driver;
mod endpoint;
mod keys;
mod session;
pub mod stream;
mod wire;

pub use config::{Config, KeyExchange, KeyType};
pub use connection::Connection;
pub use endpoint::{Client, Endpoint, Server};
pub use keys::Keys;
pub use session::{CIPHER, Session, Setup, USER};

/// Payload of a TCP segment in bytes, if the MTU is 1,500 bytes. IPv4 and TCP headers take 20 bytes each, and TCP
/// timestamps (RFC 7323) take 12.
pub const SEGMENT: usize = 1500 - 20 - 20 - 12;

/// Returns the version of russh.
pub fn version() -> &'static str {
    env!("PQLAB_VERSION_RUSSH")
}

/// Error from an SSH handshake or its setup.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// russh reported an error.
    #[error("russh: {0}")]
    Library(#[from] russh::Error),
    /// A key cannot be generated.
    #[error("key generation: {0}")]
    Key(#[from] russh::keys::ssh_key::Error),
    /// The asynchronous runtime cannot be created.
    #[error("asynchronous runtime: {0}")]
    Runtime(std::io::Error),
    /// The stream between the sides failed.
    #[error("stream: {0}")]
    Stream(std::io::Error),
    /// The handshake does not match the configuration.
    #[error("{0}")]
    Wrong(String),
}

/// Result of an SSH operation.
pub type Result<T> = std::result::Result<T, Error>;
