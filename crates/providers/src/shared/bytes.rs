//! Bytes that go in and out, with their lengths checked, and what schemes without a context string refuse.

pub(crate) use pqlab_adapters::{front_of, write};
use pqlab_primitives::{Error, Result};

/// Longest context string in bytes: its length goes into one byte (FIPS 204, section 5.2; FIPS 205, section 10.2).
const CONTEXT: usize = 255;

/// The bytes as an array, if there are exactly `N`.
///
/// # Errors
/// [`Error::Length`].
pub(crate) fn sized<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8; N]> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, actual: bytes.len() })
}

/// The caller's buffer as an array, if it has exactly `N` bytes.
///
/// # Errors
/// [`Error::Length`].
pub(crate) fn sized_mut<'a, const N: usize>(what: &'static str, out: &'a mut [u8]) -> Result<&'a mut [u8; N]> {
    let actual = out.len();
    out.try_into().map_err(|_| Error::Length { what, expected: N, actual })
}

/// The front of a caller's buffer that has to have room for at least `N` bytes.
///
/// # Errors
/// [`Error::Length`].
pub(crate) fn front<'a, const N: usize>(what: &'static str, out: &'a mut [u8]) -> Result<&'a mut [u8; N]> {
    let actual = out.len();
    out.first_chunk_mut().ok_or(Error::Length { what, expected: N, actual })
}

/// Fills `out`, which must have exactly the length of `bytes`.
///
/// # Errors
/// [`Error::Length`].
pub(crate) fn fill(what: &'static str, out: &mut [u8], bytes: &[u8]) -> Result<()> {
    Error::check_length(what, bytes.len(), out.len())?;
    out.copy_from_slice(bytes);
    Ok(())
}

/// A context string is 255 bytes long at most.
///
/// # Errors
/// [`Error::Length`].
pub(crate) fn check_context(context: &[u8]) -> Result<()> {
    if context.len() > CONTEXT {
        return Err(Error::Length { what: "context", expected: CONTEXT, actual: context.len() });
    }
    Ok(())
}

/// Schemes that standardise no context take the empty one alone.
///
/// # Errors
/// [`Error::Unsupported`].
pub(crate) fn no_context(context: &[u8]) -> Result<()> {
    if context.is_empty() { Ok(()) } else { Err(Error::Unsupported("the scheme has no context string")) }
}
