//! Initialization, errors, and the functions that [`openssl_calls!`] lists.

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use core::ptr;
use pqlab_openssl_headers::*;

opaque! {
    /// Settings in addition to the options. See OPENSSL_init_crypto(3). pqlab passes only null.
    OPENSSL_INIT_SETTINGS;
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    /// CPU features that the library may use. The library sets them before `main`, and reads them whenever it selects
    /// code. OPENSSL_ia32cap(3) describes the words.
    pub static OPENSSL_ia32cap_P: [core::sync::atomic::AtomicU32; 10];
}

unsafe extern "C" {
    /// See OPENSSL_init_crypto(3).
    pub fn OPENSSL_init_crypto(options: u64, settings: *const OPENSSL_INIT_SETTINGS) -> c_int;
    /// Returns the newest error without removing it from the queue. See ERR_get_error(3).
    pub fn ERR_peek_last_error() -> c_ulong;
}

/// Declares the listed functions as linked functions.
macro_rules! declare {
    (
        $($(#[$doc:meta])* fn $required:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*
        optional
        $(
            $(#[$doc_of_optional:meta])*
            fn $optional:ident($($argument_of_optional:ident: $type_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;
        )*
    ) => {
        unsafe extern "C" {
            $($(#[$doc])* pub fn $required($($argument: $type),*) $(-> $answer)?;)*
            $(
                $(#[$doc_of_optional])*
                pub fn $optional($($argument_of_optional: $type_of_optional),*) $(-> $answer_of_optional)?;
            )*
        }
    };
}
openssl_calls!(declare);

/// Removes all errors from the calling thread's queue and returns their messages and additional data, oldest first.
#[cold]
pub fn take_errors() -> alloc::string::String {
    // SAFETY: null is allowed for file, line and function. The caller passes valid `data` and
    // `flags`.
    let next =
        |data, flags| unsafe { ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), data, flags) };
    // SAFETY: any error number is allowed.
    let reason = |error| unsafe { ERR_reason_error_string(error) };
    // SAFETY: both closures call functions of this library.
    unsafe { drain_errors(next, reason) }
}
