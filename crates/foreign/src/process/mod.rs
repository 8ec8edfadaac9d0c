//! Programs in any language as providers. They speak the protocol of `docs/workers.md` over standard input and output
//! or over a socket.
//!
//! - [`frame`] encodes and decodes messages.
//! - [`Program`] starts a program, sends requests with time limits, ends it if it exceeds them, and starts it again.
//! - [`open`] makes a provider of what a program lists.

mod call;
mod conversation;
pub mod frame;
mod offer;
mod program;
mod provider;
mod signature;
mod socket;
#[cfg(test)]
mod tests;

pub use conversation::Limits;
pub use program::{Greeting, Program};
pub use provider::{Listing, open, open_listed};

use std::path::PathBuf;

/// Returns the folder of the workers that come with pqlab, which exists once they are built.
pub fn folder() -> Option<PathBuf> {
    let cache = std::env::var_os("PQLAB_CACHE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/pqlab"));
    cache.or_else(home).map(|cache| cache.join("workers"))
}

/// Error of using a program as a provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// No worker has that name.
    #[error(
        "no worker {name} in {folder}: build the included workers with `make workers`, or give the path of a program"
    )]
    Unknown {
        /// The requested name.
        name: String,
        /// The searched folder.
        folder: String,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {reason}")]
    Start {
        /// Its path.
        program: String,
        /// The system's error.
        reason: String,
    },
    /// The program ended, was ended, or does not speak the protocol.
    #[error("worker {program}: {reason}")]
    Conversation {
        /// Its name.
        program: String,
        /// What it did, with the last line of its standard error.
        reason: String,
    },
    /// The program does not offer what was requested.
    #[error("worker {program} does not offer this: {reason}")]
    Unsupported {
        /// Its name.
        program: String,
        /// The reason it gave.
        reason: String,
    },
    /// The program rejected the input, or its library failed.
    #[error("worker {program}: {reason}")]
    Refused {
        /// Its name.
        program: String,
        /// The reason it gave.
        reason: String,
    },
}
