//! Initialisation, errors, and the functions of [`openssl_calls!`].

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use core::ptr;
use pqlab_openssl_headers::*;

opaque! {
    /// OPENSSL_init_crypto(3): settings in addition to the options. Only null is passed.
    OPENSSL_INIT_SETTINGS;
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    /// OPENSSL_ia32cap(3), which describes the words: CPU features known to the library. It sets them before `main` and
    /// reads them whenever it selects code.
    pub static OPENSSL_ia32cap_P: [core::sync::atomic::AtomicU32; 10];
}

unsafe extern "C" {
    /// OPENSSL_init_crypto(3).
    pub fn OPENSSL_init_crypto(options: u64, settings: *const OPENSSL_INIT_SETTINGS) -> c_int;
    /// ERR_get_error(3): the newest error, left in the queue.
    pub fn ERR_peek_last_error() -> c_ulong;
}

/// Declares the functions as linked functions.
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

/// Takes all errors out of the calling thread's queue and returns their messages, oldest first, with their additional
/// data.
#[cold]
pub fn take_errors() -> alloc::string::String {
    // SAFETY: null pointers omit file, line and function; the other two come from the caller.
    let next =
        |data, flags| unsafe { ERR_get_error_all(ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), data, flags) };
    // SAFETY: any number is allowed.
    let reason = |error| unsafe { ERR_reason_error_string(error) };
    // SAFETY: both call functions of this library.
    unsafe { drain_errors(next, reason) }
}
