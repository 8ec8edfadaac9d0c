use crate::Result;
use serde::{Deserialize, Serialize};

/// A function of another process. That process prepares inputs and checks results itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Number of input sets that it cycles through; at least 1.
    pub inputs: usize,
    /// Whether the other process checks its results.
    pub verified: bool,
}

/// A provider in another process that times its own loops. A call through the other traits would measure the
/// communication as well.
pub trait Remote: Send + Sync {
    /// Prepares an operation for timing, with input sets to cycle through. For decapsulation, a set is the name of the
    /// key's encoding, the key, and a ciphertext. `docs/workers.md` documents the sets.
    ///
    /// # Errors
    /// Errors reported by the other process; [`crate::Error::Library`] if it does not respond.
    fn prepare(&self, operation: &str, algorithm: &str, sets: &[Vec<Vec<u8>>]) -> Result<Box<dyn RemoteCase>>;
}

/// An operation prepared in another process. Dropping it releases it there.
pub trait RemoteCase: Send {
    /// Runs `count` operations on the input sets in turn, starting with set `first`. Returns the elapsed time in ns by
    /// the other process's clock.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn visit(&mut self, first: u64, count: u64) -> Result<u64>;

    /// Returns the id of the process that runs the operations.
    fn process(&self) -> Option<u32>;

    /// Returns the outputs of the sets that the last visit used, each with the set's number.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn answers(&mut self) -> Result<Vec<(usize, Vec<Vec<u8>>)>>;
}
