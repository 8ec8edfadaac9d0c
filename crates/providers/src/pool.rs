//! The messages that a batch of digests goes through.

use pqlab_primitives::{Error, Result};

/// The first `count` messages of the pool in turn, beginning again where it ends.
pub(crate) fn pool(messages: &[Vec<u8>], count: usize) -> Result<impl Iterator<Item = &Vec<u8>>> {
    if messages.is_empty() && count > 0 {
        return Err(Error::Length { what: "pool of messages", expected: 1, actual: 0 });
    }
    Ok(messages.iter().cycle().take(count))
}
