//! Named parameters: OSSL_PARAM(3).

use core::ffi::{CStr, c_char, c_uint, c_void};
use core::ptr;

/// One named parameter, OSSL_PARAM(3). Arrays end with [`OSSL_PARAM_END`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OSSL_PARAM {
    /// Name. Null ends an array.
    pub key: *const c_char,
    /// Type of `data`.
    pub data_type: c_uint,
    /// Value, or buffer for it.
    pub data: *mut c_void,
    /// Length of `data` in bytes.
    pub data_size: usize,
    /// Length in bytes of a value written by the library.
    pub return_size: usize,
}

/// End of a parameter array.
pub const OSSL_PARAM_END: OSSL_PARAM =
    OSSL_PARAM { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 };

/// `return_size` of a parameter that the library has not written.
pub const OSSL_PARAM_UNMODIFIED: usize = usize::MAX;
/// Signed integer in native byte order.
pub const OSSL_PARAM_INTEGER: c_uint = 1;
/// Unsigned integer of any length in native byte order.
pub const OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
/// UTF-8 string. The length excludes a final NUL.
pub const OSSL_PARAM_UTF8_STRING: c_uint = 4;
/// Byte string.
pub const OSSL_PARAM_OCTET_STRING: c_uint = 5;

/// "seed": `d || z` of ML-KEM, `xi` of ML-DSA, three seeds of SLH-DSA. EVP_PKEY-ML-KEM(7) and similar pages.
pub const OSSL_PKEY_PARAM_SEED: &CStr = c"seed";
/// "pub": EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_PUB_KEY: &CStr = c"pub";
/// "priv": EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_PRIV_KEY: &CStr = c"priv";
/// "group": EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_GROUP_NAME: &CStr = c"group";
/// "bits": EVP_PKEY-RSA(7).
pub const OSSL_PKEY_PARAM_RSA_BITS: &CStr = c"bits";
/// "ikme": EVP_KEM-ML-KEM(7).
pub const OSSL_KEM_PARAM_IKME: &CStr = c"ikme";
/// "context-string": EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_CONTEXT_STRING: &CStr = c"context-string";
/// "deterministic": EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_DETERMINISTIC: &CStr = c"deterministic";
/// "test-entropy": EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_TEST_ENTROPY: &CStr = c"test-entropy";
/// "message-encoding": EVP_SIGNATURE-ML-DSA(7), EVP_SIGNATURE-SLH-DSA(7).
pub const OSSL_SIGNATURE_PARAM_MESSAGE_ENCODING: &CStr = c"message-encoding";
/// "mu": EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_MU: &CStr = c"mu";
/// "nonce-type": EVP_SIGNATURE-ECDSA(7).
pub const OSSL_SIGNATURE_PARAM_NONCE_TYPE: &CStr = c"nonce-type";
/// "digest": EVP_SIGNATURE-ECDSA(7), EVP_SIGNATURE-RSA(7), EVP_MAC-HMAC(7).
pub const OSSL_ALG_PARAM_DIGEST: &CStr = c"digest";
/// "pad-mode": EVP_SIGNATURE-RSA(7).
pub const OSSL_SIGNATURE_PARAM_PAD_MODE: &CStr = c"pad-mode";
/// "key": EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_KEY: &CStr = c"key";
/// "salt": EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_SALT: &CStr = c"salt";
/// "info": EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_INFO: &CStr = c"info";
