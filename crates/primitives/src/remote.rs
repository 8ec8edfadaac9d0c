use crate::Result;
use serde::{Deserialize, Serialize};

/// A user-defined function in another process. That process prepares the inputs and times the function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Number of input sets that the function cycles through; at least 1.
    pub inputs: usize,
    /// Whether the other process checks the function's results.
    pub verified: bool,
}

/// A provider in another process. That process times its own loops, because timing calls from here would include the
/// communication between the processes.
pub trait Remote: Send + Sync {
    /// Prepares an operation for timing. The operation cycles through the input sets in `sets`. For decapsulation, for
    /// example, a set consists of the name of the key's encoding, the key and a ciphertext. `docs/workers.md` describes
    /// the sets of all operations.
    ///
    /// # Errors
    /// Errors reported by the other process; [`crate::Error::Library`] if it does not respond.
    fn prepare(&self, operation: &str, algorithm: &str, sets: &[Vec<Vec<u8>>]) -> Result<Box<dyn RemoteCase>>;
}

/// An operation prepared in another process. Dropping this value releases the operation there.
pub trait RemoteCase: Send {
    /// Runs `count` operations. They cycle through the input sets, starting at index `first`. Returns the elapsed time
    /// in ns, measured with the other process's clock.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn visit(&mut self, first: u64, count: u64) -> Result<u64>;

    /// Returns the operating system's id of the process that runs the operations, if known.
    fn process(&self) -> Option<u32>;

    /// Returns the index and the outputs of each input set that the last [`visit`](Self::visit) used.
    ///
    /// # Errors
    /// Same as [`Remote::prepare`].
    fn answers(&mut self) -> Result<Vec<(usize, Vec<Vec<u8>>)>>;
}
