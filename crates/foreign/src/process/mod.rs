//! Programs in any language, as providers: they speak the protocol of `docs/workers.md` over their standard input and output, or
//! over a socket.
//!
//! - [`frame`]: messages as bytes.
//! - [`Program`]: starts one, asks it with time limits, ends it where it does not keep them, and starts it again.
//! - [`open`]: what it lists, as a provider.

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

/// The folder of the workers that come along, once they are built.
pub fn folder() -> Option<PathBuf> {
    let cache = std::env::var_os("PQLAB_CACHE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/pqlab"));
    cache.or_else(home).map(|cache| cache.join("workers"))
}

/// Why a program is no provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// There is no worker of that name.
    #[error(
        "there is no worker {name} in {folder}: `make workers` builds those that come along, and a path names any other program"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        folder: String,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {reason}")]
    Start {
        /// Its path.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// It ended, or was ended, or does not speak the protocol.
    #[error("worker {program}: {reason}")]
    Conversation {
        /// Its name.
        program: String,
        /// What it did, with its last words.
        reason: String,
    },
    /// It does not offer what was asked for.
    #[error("worker {program} does not offer this: {reason}")]
    Unsupported {
        /// Its name.
        program: String,
        /// Its words.
        reason: String,
    },
    /// It takes the input for invalid, or its library failed.
    #[error("worker {program}: {reason}")]
    Refused {
        /// Its name.
        program: String,
        /// Its words.
        reason: String,
    },
}
