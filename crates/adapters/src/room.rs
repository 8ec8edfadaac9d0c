//! Writes to buffers supplied by the caller.

use pqlab_primitives::{Error, Result};

/// Returns the first `length` bytes of `out`.
///
/// # Errors
/// [`Error::Length`] if `out` is shorter.
#[inline]
pub fn front_of<'a>(what: &'static str, out: &'a mut [u8], length: usize) -> Result<&'a mut [u8]> {
    let actual = out.len();
    out.get_mut(..length).ok_or(Error::Length { what, expected: length, actual })
}

/// Writes `bytes` to the start of `out` and returns the number of bytes.
///
/// # Errors
/// [`Error::Length`] if `out` is shorter.
#[inline]
pub fn write(what: &'static str, out: &mut [u8], bytes: &[u8]) -> Result<usize> {
    front_of(what, out, bytes.len())?.copy_from_slice(bytes);
    Ok(bytes.len())
}
