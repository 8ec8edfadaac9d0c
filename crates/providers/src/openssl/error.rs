//! From OpenSSL's return values and its queue of errors to the four kinds that callers tell apart.
//!
//! The queue belongs to the thread. Every failure empties it, so that it never grows and no message outlives its call.

use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Result};
use std::ffi::c_int;

/// `Ok` for a return value above zero, which is OpenSSL's yes; else a fault of the library in `call`.
#[inline]
pub(super) fn check(call: &'static str, returned: c_int) -> Result<()> {
    if returned > 0 { Ok(()) } else { Err(library(call)) }
}

/// A fault of the library in `call`, with what its error queue says.
#[cold]
pub(super) fn library(call: &'static str) -> Error {
    Error::Library { call, detail: sys::take_errors() }
}

/// Bytes from outside are not a valid `what`.
#[cold]
pub(super) fn malformed(what: &'static str) -> Error {
    clear();
    Error::Malformed(what)
}

/// A signature or a tag does not verify.
pub(super) fn refused() -> Error {
    clear();
    Error::VerificationFailed
}

/// Empties the thread's queue.
pub(super) fn clear() {
    // SAFETY: takes nothing and touches only the calling thread's queue.
    unsafe { sys::ERR_clear_error() };
}
