//! Table of libcrypto's functions, and the conversion of return values and of the error queue to [`Error`].
//!
//! Each thread has its own error queue. Every failure empties the queue, so that the queue does not grow, and later
//! errors do not include old messages.

use super::hash::MdCtx;
use super::one_shot::OneShots;
use pqlab_openssl_headers::*;
use pqlab_primitives::{Error, Result};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

/// Declares the trait [`Functions`], with a method for each function.
macro_rules! functions {
    (
        $($(#[$doc:meta])* fn $required:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*
        optional
        $(
            $(#[$doc_of_optional:meta])*
            fn $optional:ident($($argument_of_optional:ident: $type_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;
        )*
    ) => {
        /// Functions of a libcrypto. If the library may lack a function, the function's method returns a pointer to the
        /// function, or `None`.
        ///
        /// # Safety
        /// Each method must call or return the function of the same name. All functions must belong to one library,
        /// which stays loaded.
        #[allow(
            non_snake_case,
            clippy::missing_safety_doc,
            clippy::too_many_arguments,
            reason = "OpenSSL defines these functions and their contracts"
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

/// A libcrypto that is called through its [`Functions`].
///
/// # Safety
/// [`context`](Calls::context) must be null or a library context that is never freed.
/// [`with_digest_context`](Calls::with_digest_context) must keep contexts of different libraries separate.
pub unsafe trait Calls: Functions {
    /// Whether the library is known to offer everything that this adapter uses. If not, the adapter probes the library.
    const COMPLETE: bool;

    /// State that each signature key stores for [one-shot calls](OneShots). Empty if the library does not need any.
    type OneShots: OneShots<Self>;

    /// Returns the library context in which algorithms are looked up. Null means the default context.
    fn context(self) -> *mut OSSL_LIB_CTX;

    /// Calls `work` with the cell in which the calling thread keeps its context for one digest algorithm. `digest` is
    /// the algorithm's number, below [`DIGESTS`](super::DIGESTS).
    fn with_digest_context<R>(self, digest: usize, work: impl FnOnce(&Cell<Option<MdCtx<Self>>>) -> R) -> R;

    /// Returns the string that OpenSSL_version(3) returns for `what`.
    fn version(self, what: c_int) -> String {
        // SAFETY: any number is allowed. The returned string stays valid while the library is
        // loaded.
        unsafe { text(self.OpenSSL_version(what)) }.unwrap_or_default()
    }

    /// Checks the return value of the function named `call`. Values above zero mean success.
    ///
    /// # Errors
    /// [`Error::Library`] if `returned` is not above zero.
    #[inline]
    fn check(self, call: &'static str, returned: c_int) -> Result<()> {
        if returned > 0 { Ok(()) } else { Err(self.fault(call)) }
    }

    /// Returns the error for a fault in the function named `call`, with the messages from the library's error queue.
    #[cold]
    fn fault(self, call: &'static str) -> Error {
        // SAFETY: null is allowed for file, line and function. The caller passes valid `data` and
        // `flags`.
        let next = |data, flags| unsafe {
            self.ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), data, flags)
        };
        // SAFETY: any error number is allowed.
        let reason = |error| unsafe { self.ERR_reason_error_string(error) };
        // SAFETY: both closures call functions of this library.
        Error::Library { call, detail: unsafe { drain_errors(next, reason) } }
    }

    /// Returns the error for malformed input. `what` names the input.
    #[cold]
    fn malformed(self, what: &'static str) -> Error {
        self.clear();
        Error::Malformed(what)
    }

    /// Returns the error for an invalid signature or tag.
    fn refused(self) -> Error {
        self.clear();
        Error::VerificationFailed
    }

    /// Empties the thread's error queue.
    fn clear(self) {
        // SAFETY: `ERR_clear_error` takes no arguments and affects only the calling thread's queue.
        unsafe { self.ERR_clear_error() };
    }
}
