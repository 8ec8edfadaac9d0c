//! Table of libcrypto's functions, and conversion of their return values and error queue to [`Error`].
//!
//! The queue belongs to the thread. Every failure empties it, so that it never grows and no message outlives its call.

use super::hash::MdCtx;
use super::one_shot::OneShots;
use pqlab_openssl_headers::*;
use pqlab_primitives::{Error, Result};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

/// Declares a method for each function.
macro_rules! functions {
    (
        $($(#[$doc:meta])* fn $required:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*
        optional
        $(
            $(#[$doc_of_optional:meta])*
            fn $optional:ident($($argument_of_optional:ident: $type_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;
        )*
    ) => {
        /// Functions of a libcrypto. A function that the library may lack is returned as a pointer, if it exists.
        ///
        /// # Safety
        /// Each method must call or return the function of its name. All must belong to one library, which stays
        /// loaded.
        #[allow(
            non_snake_case,
            clippy::missing_safety_doc,
            clippy::too_many_arguments,
            reason = "the functions are the library's, and so are their contracts"
        )]
        pub unsafe trait Functions: Copy + Send + Sync + 'static {
            $(
                $(#[$doc])*
                unsafe fn $required(self, $($argument: $type),*) $(-> $answer)?;
            )*
            $(
                $(#[$doc_of_optional])*
                fn $optional(self) -> Option<unsafe extern "C" fn($($type_of_optional),*) $(-> $answer_of_optional)?>;
            )*
        }
    };
}
openssl_calls!(functions);

/// A libcrypto that is used through its [`Functions`].
///
/// # Safety
/// [`context`](Calls::context) must be null or a library context that is never freed.
/// [`with_digest_context`](Calls::with_digest_context) must keep contexts of different libraries apart.
pub unsafe trait Calls: Functions {
    /// Whether the library is known to have everything that is used here. Other libraries are probed.
    const COMPLETE: bool;

    /// State that each signature key keeps for [one-shot calls](OneShots): nothing if the library needs none.
    type OneShots: OneShots<Self>;

    /// Returns the context in which algorithms are looked up. Null is the default context.
    fn context(self) -> *mut OSSL_LIB_CTX;

    /// Calls `work` with the calling thread's place for a context of a digest algorithm. The algorithm's number
    /// `digest` is below [`DIGESTS`](super::DIGESTS).
    fn with_digest_context<R>(self, digest: usize, work: impl FnOnce(&Cell<Option<MdCtx<Self>>>) -> R) -> R;

    /// Returns what the library reports for `what` in OpenSSL_version(3).
    fn version(self, what: c_int) -> String {
        // SAFETY: any number is allowed. The result is a string that lives as long as the library.
        unsafe { text(self.OpenSSL_version(what)) }.unwrap_or_default()
    }

    /// Returns `Ok` if `returned` is above zero, which is OpenSSL's success, else a fault of the library in `call`.
    ///
    /// # Errors
    /// [`Error::Library`].
    #[inline]
    fn check(self, call: &'static str, returned: c_int) -> Result<()> {
        if returned > 0 { Ok(()) } else { Err(self.fault(call)) }
    }

    /// Returns a fault of the library in `call` with the messages of its error queue.
    #[cold]
    fn fault(self, call: &'static str) -> Error {
        // SAFETY: null pointers omit file, line and function; the other two come from the caller.
        let next = |data, flags| unsafe {
            self.ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), data, flags)
        };
        // SAFETY: any number is allowed.
        let reason = |error| unsafe { self.ERR_reason_error_string(error) };
        // SAFETY: both call functions of this library.
        Error::Library { call, detail: unsafe { drain_errors(next, reason) } }
    }

    /// Returns the error for outside bytes that are not a valid `what`.
    #[cold]
    fn malformed(self, what: &'static str) -> Error {
        self.clear();
        Error::Malformed(what)
    }

    /// Returns the error for a signature or tag that does not verify.
    fn refused(self) -> Error {
        self.clear();
        Error::VerificationFailed
    }

    /// Empties the thread's error queue.
    fn clear(self) {
        // SAFETY: takes no arguments and touches only the calling thread's queue.
        unsafe { self.ERR_clear_error() };
    }
}
