//! The messages that a batch of digests goes through.

use pqlab_primitives::{Error, Result};

/// Checks that there is a message if any is to be digested.
///
/// # Errors
/// [`Error::Length`] for an empty pool.
#[inline]
pub fn check(messages: &[Vec<u8>], count: usize) -> Result<()> {
    if messages.is_empty() && count > 0 {
        return Err(Error::Length { what: "pool of messages", expected: 1, actual: 0 });
    }
    Ok(())
}

/// The first `count` messages in turn, beginning again where they end.
///
/// # Errors
/// Those of [`check`].
#[inline]
pub fn in_turn(messages: &[Vec<u8>], count: usize) -> Result<impl Iterator<Item = &Vec<u8>>> {
    check(messages, count)?;
    Ok(messages.iter().cycle().take(count))
}
