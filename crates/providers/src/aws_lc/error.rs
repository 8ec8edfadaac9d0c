//! Converts the library's return values and error queue to [`Error`].

use aws_lc_sys as aws;
use pqlab_primitives::{Error, Result};
use std::ffi::{CStr, c_int};

/// Returns the error for a failed library function, with all messages from the library's error queue. Empties the
/// queue.
pub(super) fn library(call: &'static str) -> Error {
    let mut detail = String::new();
    let mut line = [0; 256];
    loop {
        // SAFETY: the call takes no arguments and pops an entry from this thread's error queue.
        let code = unsafe { aws::ERR_get_error() };
        if code == 0 {
            break;
        }
        // SAFETY: the call writes at most `line.len()` bytes, including the final zero.
        let text = unsafe { CStr::from_ptr(aws::ERR_error_string_n(code, line.as_mut_ptr(), line.len())) };
        if !detail.is_empty() {
            detail.push_str("; ");
        }
        detail.push_str(&text.to_string_lossy());
    }
    Error::Library { call, detail }
}

/// Checks a return value. The library returns 1 on success.
pub(super) fn check(call: &'static str, returned: c_int) -> Result<()> {
    if returned == 1 { Ok(()) } else { Err(library(call)) }
}

/// Returns the error for input that the library rejects. Empties the error queue, which would otherwise grow.
pub(super) fn malformed(what: &'static str) -> Error {
    clear_queue();
    Error::Malformed(what)
}

/// Returns the error for a signature or tag that the library rejects. Empties the error queue, which would otherwise
/// grow.
pub(super) fn verification_failed() -> Error {
    clear_queue();
    Error::VerificationFailed
}

fn clear_queue() {
    // SAFETY: the call takes no arguments and empties this thread's error queue.
    unsafe { aws::ERR_clear_error() };
}
