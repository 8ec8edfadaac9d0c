//! Programs in any language as providers. The programs speak the protocol in `docs/workers.md` over standard input and
//! output or over a socket.
//!
//! - [`frame`] encodes and decodes messages.
//! - [`Program`] starts a program and sends requests. If the program exceeds a time limit, [`Program`] stops it. The
//!   next request then starts it again.
//! - [`open`] turns a program's list of algorithms into a provider.

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

/// Returns the folder of the workers that come with pqlab, which `make workers` creates. `None` if the home folder is
/// unknown.
pub fn folder() -> Option<PathBuf> {
    let cache = std::env::var_os("PQLAB_CACHE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/pqlab"));
    cache.or_else(home).map(|cache| cache.join("workers"))
}

/// Error from starting a program or requesting an operation from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// No worker has the requested name.
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
        /// The program's path.
        program: String,
        /// The operating system's error.
        reason: String,
    },
    /// The program ended, was stopped, or does not speak the protocol.
    #[error("worker {program}: {reason}")]
    Conversation {
        /// The worker's name.
        program: String,
        /// Description of the problem, with the last line of the program's standard error.
        reason: String,
    },
    /// The program does not offer the requested operation, algorithm or encoding.
    #[error("worker {program} does not support the request: {reason}")]
    Unsupported {
        /// The worker's name.
        program: String,
        /// The reason in the worker's answer.
        reason: String,
    },
    /// The program rejected the input, or a library that it calls failed.
    #[error("worker {program}: {reason}")]
    Refused {
        /// The worker's name.
        program: String,
        /// The reason in the worker's answer.
        reason: String,
    },
}
