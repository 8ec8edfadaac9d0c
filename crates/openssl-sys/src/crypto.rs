//! Initialisation, version, errors and memory.

use crate::opaque;
use core::ffi::{c_char, c_int, c_ulong, c_void};

opaque! {
    /// A library context, OSSL_LIB_CTX(3); a null pointer is the default one.
    OSSL_LIB_CTX;
    /// Settings for OPENSSL_init_crypto(3). Only null is passed.
    OPENSSL_INIT_SETTINGS;
}

/// Keeps libcrypto from reading the system's `openssl.cnf`: OPENSSL_init_crypto(3).
pub const OPENSSL_INIT_NO_LOAD_CONFIG: u64 = 0x80;

/// OpenSSL_version(3): the compiler's flags.
pub const OPENSSL_CFLAGS: c_int = 1;
/// OpenSSL_version(3): the platform that was configured.
pub const OPENSSL_PLATFORM: c_int = 3;
/// OpenSSL_version(3): the version with pre-release and build metadata.
pub const OPENSSL_FULL_VERSION_STRING: c_int = 7;
/// OpenSSL_version(3): the processor's abilities, as found at run time.
pub const OPENSSL_CPU_INFO: c_int = 9;

/// ERR_get_error(3): the additional data of an error is a string.
pub const ERR_TXT_STRING: c_int = 0x02;

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    /// OPENSSL_ia32cap(3), which describes the words: CPU features known to the library. It sets them before `main` and
    /// reads them whenever it selects code.
    pub static OPENSSL_ia32cap_P: [core::sync::atomic::AtomicU32; 10];
}

unsafe extern "C" {
    /// OPENSSL_init_crypto(3).
    pub fn OPENSSL_init_crypto(options: u64, settings: *const OPENSSL_INIT_SETTINGS) -> c_int;
    /// OpenSSL_version(3).
    pub fn OpenSSL_version(what: c_int) -> *const c_char;
    /// ERR_get_error(3).
    pub fn ERR_get_error_all(
        file: *mut *const c_char,
        line: *mut c_int,
        function: *mut *const c_char,
        data: *mut *const c_char,
        flags: *mut c_int,
    ) -> c_ulong;
    /// ERR_error_string(3).
    pub fn ERR_reason_error_string(error: c_ulong) -> *const c_char;
    /// ERR_clear_error(3).
    pub fn ERR_clear_error();
    /// OPENSSL_malloc(3): zeroizes `length` bytes and frees them.
    pub fn CRYPTO_clear_free(memory: *mut c_void, length: usize, file: *const c_char, line: c_int);
    /// ERR_get_error(3): returns the newest error and leaves it in the queue.
    pub fn ERR_peek_last_error() -> c_ulong;
}
