//! The table of libcrypto's functions, and what their return values and the queue of errors say, as the kinds of error that
//! callers tell apart.
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
        /// The functions of a libcrypto. One that the library may lack is handed out as a pointer, if it is there.
        ///
        /// # Safety
        /// Each method calls, or hands out, the function of its name, and all are of one library, which stays loaded.
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
/// [`context`](Calls::context) is null or a library context that is never freed, and
/// [`with_digest_context`](Calls::with_digest_context) keeps contexts of different libraries apart.
pub unsafe trait Calls: Functions {
    /// Whether the library is known to have all that is asked for here. Of others it is found out.
    const COMPLETE: bool;

    /// What each key for signatures keeps for [one-shot calls](OneShots): nothing if the library needs none.
    type OneShots: OneShots<Self>;

    /// The context in which algorithms are looked up; null is the default one.
    fn context(self) -> *mut OSSL_LIB_CTX;

    /// Hands `work` the calling thread's place for a context of a digest algorithm, whose number is below
    /// [`DIGESTS`](super::DIGESTS).
    fn with_digest_context<R>(self, digest: usize, work: impl FnOnce(&Cell<Option<MdCtx<Self>>>) -> R) -> R;

    /// What the library says of itself.
    fn version(self, what: c_int) -> String {
        // SAFETY: takes any number; the answer is a string that lives as long as the library.
        unsafe { text(self.OpenSSL_version(what)) }.unwrap_or_default()
    }

    /// Returns `Ok` for a return value above zero, which is OpenSSL's yes; else a fault of the library in `call`.
    ///
    /// # Errors
    /// [`Error::Library`].
    #[inline]
    fn check(self, call: &'static str, returned: c_int) -> Result<()> {
        if returned > 0 { Ok(()) } else { Err(self.fault(call)) }
    }

    /// A fault of the library in `call`, with what its error queue says.
    #[cold]
    fn fault(self, call: &'static str) -> Error {
        // SAFETY: null pointers say that file, line and function are not wanted; the other two are the caller's.
        let next = |data, flags| unsafe {
            self.ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), data, flags)
        };
        // SAFETY: takes any number.
        let reason = |error| unsafe { self.ERR_reason_error_string(error) };
        // SAFETY: both are functions of this library.
        Error::Library { call, detail: unsafe { drain_errors(next, reason) } }
    }

    /// Bytes from outside are not a valid `what`.
    #[cold]
    fn malformed(self, what: &'static str) -> Error {
        self.clear();
        Error::Malformed(what)
    }

    /// A signature or a tag does not verify.
    fn refused(self) -> Error {
        self.clear();
        Error::VerificationFailed
    }

    /// Empties the thread's queue.
    fn clear(self) {
        // SAFETY: takes nothing and touches only the calling thread's queue.
        unsafe { self.ERR_clear_error() };
    }
}
