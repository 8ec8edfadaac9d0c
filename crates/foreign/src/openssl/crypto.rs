//! An opened libcrypto: its functions and a library context of its own, made once and kept. From its return values and its
//! queue of errors to the kinds that callers tell apart.
//!
//! The queue belongs to the thread. Every failure empties it, so that it never grows and no message outlives its call.

use super::sys::{self, Api, OSSL_LIB_CTX};
use crate::open::{Library, OpenError};
use pqlab_primitives::{Error, Result};
use std::ffi::{CStr, c_char, c_int};
use std::ops::Deref;
use std::ptr;

/// The functions, and the context in which algorithms are looked up.
pub(super) struct Crypto {
    api: Api,
    context: *mut OSSL_LIB_CTX,
}

// SAFETY: a library context may be used by several threads at once (openssl-threads(7)), and is never freed.
unsafe impl Send for Crypto {}
// SAFETY: as above.
unsafe impl Sync for Crypto {}

impl Deref for Crypto {
    type Target = Api;

    #[inline(always)]
    fn deref(&self) -> &Api {
        &self.api
    }
}

impl Crypto {
    /// Starts the library without its configuration file and without a handler for the end of the process.
    pub(super) fn start(library: &Library) -> Result<&'static Crypto, OpenError> {
        let api = Api::of(library)?;
        // SAFETY: null says that there are no settings; the call comes before every other call into the library.
        let (started, context) = unsafe {
            let options = sys::OPENSSL_INIT_NO_LOAD_CONFIG | sys::OPENSSL_INIT_NO_ATEXIT;
            ((api.OPENSSL_init_crypto)(options, ptr::null()), (api.OSSL_LIB_CTX_new)())
        };
        let crypto = Box::leak(Box::new(Crypto { api, context }));
        if started <= 0 || context.is_null() {
            return Err(library.unusable(crypto.fault("OPENSSL_init_crypto").to_string()));
        }
        Ok(crypto)
    }

    /// The library context.
    #[inline(always)]
    pub(super) fn context(&self) -> *mut OSSL_LIB_CTX {
        self.context
    }

    /// What the library says of itself.
    pub(super) fn version(&self, what: c_int) -> String {
        // SAFETY: takes any number; the answer is a string that lives as long as the library.
        unsafe { text((self.OpenSSL_version)(what)) }.unwrap_or_default()
    }

    /// `Ok` for a return value above zero, which is OpenSSL's yes; else a fault of the library in `call`.
    #[inline]
    pub(super) fn check(&self, call: &'static str, returned: c_int) -> Result<()> {
        if returned > 0 { Ok(()) } else { Err(self.fault(call)) }
    }

    /// A fault of the library in `call`, with what its error queue says.
    #[cold]
    pub(super) fn fault(&self, call: &'static str) -> Error {
        let mut messages: Vec<String> = Vec::new();
        loop {
            let mut data: *const c_char = ptr::null();
            let mut flags: c_int = 0;
            // SAFETY: null pointers say that file, line and function are not wanted; the other two are ours.
            let error = unsafe {
                let (no_text, no_line) = (ptr::null_mut(), ptr::null_mut());
                (self.ERR_get_error_all)(no_text, no_line, no_text, &raw mut data, &raw mut flags)
            };
            if error == 0 {
                break;
            }
            // SAFETY: takes any number; the answer is null or a string that lives as long as the library.
            let reason = unsafe { text((self.ERR_reason_error_string)(error)) };
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
    pub(super) fn malformed(&self, what: &'static str) -> Error {
        self.clear();
        Error::Malformed(what)
    }

    /// A signature does not verify.
    pub(super) fn refused(&self) -> Error {
        self.clear();
        Error::VerificationFailed
    }

    /// Empties the thread's queue.
    pub(super) fn clear(&self) {
        // SAFETY: takes nothing and touches only the calling thread's queue.
        unsafe { (self.ERR_clear_error)() };
    }
}

/// # Safety
/// `pointer` is null or a string that ends with NUL and stays valid during the call.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
