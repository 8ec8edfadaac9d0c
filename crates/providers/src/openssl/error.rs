//! From OpenSSL's return values and its queue of errors to the four kinds that callers tell apart.
//!
//! The queue belongs to the thread. Every failure empties it, so that it never grows and no message outlives its call.

use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Result};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

/// `Ok` for a return value above zero, which is OpenSSL's yes; else a fault of the library in `call`.
#[inline]
pub(super) fn check(call: &'static str, returned: c_int) -> Result<()> {
    if returned > 0 { Ok(()) } else { Err(library(call)) }
}

/// A fault of the library in `call`, with what its error queue says.
#[cold]
pub(super) fn library(call: &'static str) -> Error {
    let mut messages: Vec<String> = Vec::new();
    loop {
        let mut data: *const c_char = ptr::null();
        let mut flags: c_int = 0;
        // SAFETY: null pointers say that file, line and function are not wanted; the other two are ours.
        let error = unsafe {
            sys::ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), &raw mut data, &raw mut flags)
        };
        if error == 0 {
            break;
        }
        // SAFETY: takes any number; the answer is null or a string that lives as long as the library.
        let reason = unsafe { text(sys::ERR_reason_error_string(error)) };
        let reason = reason.unwrap_or_else(|| format!("error {error:#x}"));
        // SAFETY: with this flag `data` is a string that lives until the thread's next call into the queue.
        let detail = if flags & sys::ERR_TXT_STRING == 0 { None } else { unsafe { text(data) } };
        messages.push(match detail {
            Some(detail) if !detail.is_empty() => format!("{reason} ({detail})"),
            _ => reason,
        });
    }
    Error::Library { call, detail: messages.join("; ") }
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

/// # Safety
/// `pointer` is null or a string that ends with NUL and stays valid during the call.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
