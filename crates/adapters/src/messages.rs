//! Selects the messages to hash in a batch of digests.

use pqlab_primitives::{Error, Result};

/// Checks that `messages` is not empty, unless `count` is 0.
///
/// # Errors
/// [`Error::Length`] if `messages` is empty and `count` is not 0.
#[inline]
pub fn check(messages: &[Vec<u8>], count: usize) -> Result<()> {
    if messages.is_empty() && count > 0 {
        return Err(Error::Length { what: "message pool", expected: 1, actual: 0 });
    }
    Ok(())
}

/// Iterates over `count` messages in order. After the last message, starts again with the first.
///
/// # Errors
/// Same as [`check`].
#[inline]
pub fn in_turn(messages: &[Vec<u8>], count: usize) -> Result<impl Iterator<Item = &Vec<u8>>> {
    check(messages, count)?;
    Ok(messages.iter().cycle().take(count))
}
