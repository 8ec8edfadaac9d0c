use crate::Result;
use serde::{Deserialize, Serialize};

/// A function in another process. That process prepares the inputs and checks the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Number of input sets that the function cycles through; at least 1.
    pub inputs: usize,
    /// Whether the other process checks its results.
    pub verified: bool,
}

/// A provider in another process, which times its own loops. Timing calls through the other traits would include the
/// communication.
pub trait Remote: Send + Sync {
    /// Prepares an operation for timing. The operation cycles through `sets`, the input sets. For decapsulation, a set
    /// consists of the name of the key's encoding, the key and a ciphertext. `docs/workers.md` documents all sets.
    ///
    /// # Errors
    /// Errors reported by the other process; [`crate::Error::Library`] if it does not respond.
    fn prepare(&self, operation: &str, algorithm: &str, sets: &[Vec<Vec<u8>>]) -> Result<Box<dyn RemoteCase>>;
}

/// An operation prepared in another process. Dropping this value releases the operation there.
pub trait RemoteCase: Send {
    /// Runs `count` operations, cycling through the input sets from number `first`. Returns the elapsed time in ns,
    /// measured by the other process's clock.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn visit(&mut self, first: u64, count: u64) -> Result<u64>;

    /// Returns the id of the process that runs the operations.
    fn process(&self) -> Option<u32>;

    /// Returns the number and the outputs of each input set that the last visit used.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn answers(&mut self) -> Result<Vec<(usize, Vec<Vec<u8>>)>>;
}
