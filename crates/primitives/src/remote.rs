use crate::Result;
use serde::{Deserialize, Serialize};

/// A function of another process, which readies its inputs and checks its answers itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// How many sets of inputs it takes in turn: 1 at least.
    pub inputs: usize,
    /// Whether its answers are checked there.
    pub verified: bool,
}

/// A provider in another process, which times its own loops: what its operations take is not what a call of them through
/// the other traits takes.
pub trait Remote: Send + Sync {
    /// Readies an operation of an algorithm to be timed, with sets of inputs that it takes in turn: for decapsulation the word
    /// of the key's encoding, the key, and a ciphertext, as `docs/workers.md` says.
    ///
    /// # Errors
    /// What the other process answers, and [`crate::Error::Library`] where it does not.
    fn prepare(&self, operation: &str, algorithm: &str, sets: &[Vec<Vec<u8>>]) -> Result<Box<dyn RemoteCase>>;
}

/// An operation that is ready in another process. Dropped, it is forgotten there.
pub trait RemoteCase: Send {
    /// Performs `count` operations on the sets in turn, the first of them on that of number `first`, and returns what they took by
    /// the clock of the other process, in ns.
    ///
    /// # Errors
    /// As [`Remote::prepare`].
    fn visit(&mut self, first: u64, count: u64) -> Result<u64>;

    /// The number of the process that performs them.
    fn process(&self) -> Option<u32>;

    /// The outputs of the sets that the last visit touched, each with its number.
    ///
    /// # Errors
    /// As [`Remote::prepare`].
    fn answers(&mut self) -> Result<Vec<(usize, Vec<Vec<u8>>)>>;
}
