//! Messages of a batch of digests.

use pqlab_primitives::{Error, Result};

/// Checks that the pool has a message if `count` is above zero.
///
/// # Errors
/// [`Error::Length`] if the pool is empty.
#[inline]
pub fn check(messages: &[Vec<u8>], count: usize) -> Result<()> {
    if messages.is_empty() && count > 0 {
        return Err(Error::Length { what: "pool of messages", expected: 1, actual: 0 });
    }
    Ok(())
}

/// Returns `count` messages in order, starting over at the end of the pool.
///
/// # Errors
/// Returns the error of [`check`].
#[inline]
pub fn in_turn(messages: &[Vec<u8>], count: usize) -> Result<impl Iterator<Item = &Vec<u8>>> {
    check(messages, count)?;
    Ok(messages.iter().cycle().take(count))
}
