//! Comparisons of a provider's results with test vectors, for all suites.

pub(crate) mod batches;
pub(crate) mod kem;
pub(crate) mod signature;

use crate::tally::{Checked, Fault};
use pqlab_primitives::{Error, Result};
use std::fmt::Display;

/// Returns an output buffer filled with 0xa5, so that unwritten bytes differ from zeros.
pub(crate) fn buffer(length: usize) -> Vec<u8> {
    vec![0xa5; length]
}

/// Returns the bytes that `write` puts at the front of a buffer of `length` bytes.
pub(crate) fn written(length: usize, write: impl FnOnce(&mut [u8]) -> Result<usize>) -> Result<Vec<u8>, Fault> {
    let mut out = buffer(length);
    let written = write(&mut out)?;
    if written > length {
        return Err(Fault::Wrong(format!("claims to have written {written} bytes to a buffer of {length} bytes")));
    }
    out.truncate(written);
    Ok(out)
}

/// Passes if `actual` equals `expected`.
pub(crate) fn equal(what: impl Display, expected: &[u8], actual: &[u8]) -> Checked {
    if expected == actual {
        return Ok(());
    }
    if expected.len() != actual.len() {
        return Err(Fault::Wrong(format!("{what}: {} bytes, expected {}", actual.len(), expected.len())));
    }
    let place = expected.iter().zip(actual).position(|(expected, actual)| expected != actual).unwrap_or_default();
    Err(Fault::Wrong(format!("{what}: first wrong byte at offset {place} of {}", expected.len())))
}

/// Passes if `one` and `other` differ.
pub(crate) fn differ(what: impl Display, one: &[u8], other: &[u8]) -> Checked {
    if one == other { Err(Fault::Wrong(format!("{what}: the same value twice"))) } else { Ok(()) }
}

/// Passes if the library rejected its input as malformed, of the wrong length or not verified. Fails if the library
/// accepted the input or reported an internal error.
pub(crate) fn refused<T>(what: impl Display, result: Result<T>) -> Checked {
    match result {
        Err(Error::Malformed(_) | Error::Length { .. } | Error::VerificationFailed) => Ok(()),
        Err(other) => Err(match other.into() {
            Fault::Wrong(reason) => Fault::Wrong(format!("{what}: rejected, but with a library error: {reason}")),
            unsupported => unsupported,
        }),
        Ok(_) => Err(Fault::Wrong(format!("{what}: accepted although invalid"))),
    }
}

/// Passes if the library reported that the signature or tag does not verify.
pub(crate) fn rejected(what: impl Display, result: Result<()>) -> Checked {
    match result {
        Err(Error::VerificationFailed) => Ok(()),
        Err(other) => Err(match other.into() {
            Fault::Wrong(reason) => Fault::Wrong(format!("{what}: rejected for a different reason: {reason}")),
            unsupported => unsupported,
        }),
        Ok(()) => Err(Fault::Wrong(format!("{what}: accepted although invalid"))),
    }
}

/// Converts [`Fault::Unsupported`] to [`Fault::NotAsked`], because the vector contains a published answer that the
/// provider cannot reproduce.
pub(crate) fn not_asked(outcome: Checked) -> Checked {
    outcome.map_err(|fault| match fault {
        Fault::Unsupported(reason) => Fault::NotAsked(reason),
        other => other,
    })
}

// Names of the operations whose published answers depend on randomness.
pub(crate) const KEY_GENERATION: &str = "key generation";
pub(crate) const ENCAPSULATION: &str = "encapsulation";
pub(crate) const SIGNING: &str = "signing";

/// Prefixes an error message with the name of the step that failed.
pub(crate) fn step<T>(what: impl Display, result: Result<T>) -> Result<T, Fault> {
    result.map_err(|error| match error.into() {
        Fault::Wrong(reason) => Fault::Wrong(format!("{what}: {reason}")),
        unsupported => unsupported,
    })
}
