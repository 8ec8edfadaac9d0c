//! The thread's error queue as text.

use crate::{ERR_TXT_STRING, ERR_get_error_all, ERR_reason_error_string};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;

/// Removes all errors from the calling thread's queue. Returns them oldest first, each with its additional data.
#[cold]
pub fn take_errors() -> String {
    let mut messages = String::new();
    loop {
        let mut data: *const c_char = ptr::null();
        let mut flags: c_int = 0;
        // SAFETY: null pointers mean that file, line and function are not wanted. The other two pointers are to locals.
        let error = unsafe {
            ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), &raw mut data, &raw mut flags)
        };
        if error == 0 {
            return messages;
        }
        if !messages.is_empty() {
            messages.push_str("; ");
        }
        // SAFETY: takes any number. The result is null or a string that lives as long as the library.
        let reason = unsafe { text(ERR_reason_error_string(error)) };
        messages.push_str(&reason.unwrap_or_else(|| format!("error {error:#x}")));
        // SAFETY: with this flag `data` is a string that lives until the thread's next call into the queue.
        let detail = if flags & ERR_TXT_STRING == 0 { None } else { unsafe { text(data) } };
        if let Some(detail) = detail.filter(|detail| !detail.is_empty()) {
            messages.push_str(&format!(" ({detail})"));
        }
    }
}

/// Copies a string of the library. Returns `None` for null.
///
/// # Safety
/// `pointer` must be null or a NUL-terminated string that stays valid during the call.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the caller guarantees a valid string, and it is not null.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().as_ref().to_owned())
}
