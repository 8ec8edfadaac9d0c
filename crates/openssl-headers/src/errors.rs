//! Reads error messages from the calling thread's error queue.

use crate::ERR_TXT_STRING;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::ffi::{CStr, c_char, c_int, c_ulong};
use core::ptr;

/// Removes all errors from the calling thread's queue and returns their messages and additional data, oldest first.
///
/// `next` must call `ERR_get_error_all`. The arguments of `next` are the destinations of the additional data and the
/// flags. All other destinations must be null. `reason` must call `ERR_reason_error_string`.
///
/// # Safety
/// `next` and `reason` must call these functions in the same library.
#[cold]
pub unsafe fn drain_errors(
    next: impl Fn(*mut *const c_char, *mut c_int) -> c_ulong,
    reason: impl Fn(c_ulong) -> *const c_char,
) -> String {
    let mut messages = String::new();
    loop {
        let mut data: *const c_char = ptr::null();
        let mut flags: c_int = 0;
        let error = next(&raw mut data, &raw mut flags);
        if error == 0 {
            return messages;
        }
        if !messages.is_empty() {
            messages.push_str("; ");
        }
        // SAFETY: the result is null or a string that stays valid while the library is loaded.
        let words = unsafe { text(reason(error)) };
        messages.push_str(&words.unwrap_or_else(|| format!("error {error:#x}")));
        // SAFETY: with this flag, `data` is a string that stays valid until the thread's next call that uses the queue.
        let detail = if flags & ERR_TXT_STRING == 0 { None } else { unsafe { text(data) } };
        if let Some(detail) = detail.filter(|detail| !detail.is_empty()) {
            messages.push_str(&format!(" ({detail})"));
        }
    }
}

/// Copies a C string. Returns `None` for null.
///
/// # Safety
/// `pointer` must be null or a NUL-terminated string that stays valid during the call.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the pointer is not null, and the caller guarantees that it points to a valid string.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().as_ref().to_owned())
}
