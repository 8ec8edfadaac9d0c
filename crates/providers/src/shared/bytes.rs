//! Length checks for inputs, outputs and context strings.

pub(crate) use pqlab_adapters::{front_of, write};
use pqlab_primitives::{Error, Result};

/// Maximum length of a context string in bytes. The length must fit in one byte (FIPS 204, section 5.2; FIPS 205,
/// section 10.2).
const CONTEXT: usize = 255;

/// Returns `bytes` as an array of `N` bytes.
///
/// # Errors
/// [`Error::Length`] unless `bytes` is exactly `N` bytes long.
pub(crate) fn sized<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8; N]> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, actual: bytes.len() })
}

/// Returns the buffer as an array of `N` bytes.
///
/// # Errors
/// [`Error::Length`] unless the buffer is exactly `N` bytes long.
pub(crate) fn sized_mut<'a, const N: usize>(what: &'static str, out: &'a mut [u8]) -> Result<&'a mut [u8; N]> {
    let actual = out.len();
    out.try_into().map_err(|_| Error::Length { what, expected: N, actual })
}

/// Returns the first `N` bytes of the buffer.
///
/// # Errors
/// [`Error::Length`] if the buffer is shorter than `N` bytes.
pub(crate) fn front<'a, const N: usize>(what: &'static str, out: &'a mut [u8]) -> Result<&'a mut [u8; N]> {
    let actual = out.len();
    out.first_chunk_mut().ok_or(Error::Length { what, expected: N, actual })
}

/// Copies `bytes` to `out`.
///
/// # Errors
/// [`Error::Length`] unless both have the same length.
pub(crate) fn fill(what: &'static str, out: &mut [u8], bytes: &[u8]) -> Result<()> {
    Error::check_length(what, bytes.len(), out.len())?;
    out.copy_from_slice(bytes);
    Ok(())
}

/// Checks the length of a context string.
///
/// # Errors
/// [`Error::Length`] if the context string is longer than 255 bytes.
pub(crate) fn check_context(context: &[u8]) -> Result<()> {
    if context.len() > CONTEXT {
        return Err(Error::Length { what: "context", expected: CONTEXT, actual: context.len() });
    }
    Ok(())
}

/// Checks the context string for a scheme that does not take one.
///
/// # Errors
/// [`Error::Unsupported`] unless the context string is empty.
pub(crate) fn no_context(context: &[u8]) -> Result<()> {
    if context.is_empty() { Ok(()) } else { Err(Error::Unsupported("the scheme does not take a context string")) }
}
