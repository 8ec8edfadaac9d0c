//! Named parameters. See OSSL_PARAM(3).

use core::ffi::{CStr, c_char, c_uint, c_void};
use core::ptr;

/// A named parameter. See OSSL_PARAM(3). Arrays end with [`OSSL_PARAM_END`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OSSL_PARAM {
    /// Name of the parameter. Null marks the end of an array.
    pub key: *const c_char,
    /// Type of `data`.
    pub data_type: c_uint,
    /// Value, or buffer for a value.
    pub data: *mut c_void,
    /// Length of `data` in bytes.
    pub data_size: usize,
    /// Length in bytes of the value that the library wrote.
    pub return_size: usize,
}

/// Marks the end of a parameter array.
pub const OSSL_PARAM_END: OSSL_PARAM =
    OSSL_PARAM { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 };

/// Value of `return_size` if the library did not write the parameter.
pub const OSSL_PARAM_UNMODIFIED: usize = usize::MAX;
/// Signed integer in native byte order.
pub const OSSL_PARAM_INTEGER: c_uint = 1;
/// Unsigned integer of any length, in native byte order.
pub const OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
/// UTF-8 string. The length does not include a final NUL.
pub const OSSL_PARAM_UTF8_STRING: c_uint = 4;
/// Byte string.
pub const OSSL_PARAM_OCTET_STRING: c_uint = 5;

/// Parameter "seed": ML-KEM's `d || z`, ML-DSA's `xi`, or SLH-DSA's three seeds. See EVP_PKEY-ML-KEM(7) and similar
/// pages.
pub const OSSL_PKEY_PARAM_SEED: &CStr = c"seed";
/// Parameter "pub". See EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_PUB_KEY: &CStr = c"pub";
/// Parameter "priv". See EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_PRIV_KEY: &CStr = c"priv";
/// Parameter "group". See EVP_PKEY-EC(7).
pub const OSSL_PKEY_PARAM_GROUP_NAME: &CStr = c"group";
/// Parameter "bits". See EVP_PKEY-RSA(7).
pub const OSSL_PKEY_PARAM_RSA_BITS: &CStr = c"bits";
/// Parameter "ikme". See EVP_KEM-ML-KEM(7).
pub const OSSL_KEM_PARAM_IKME: &CStr = c"ikme";
/// Parameter "context-string". See EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_CONTEXT_STRING: &CStr = c"context-string";
/// Parameter "deterministic". See EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_DETERMINISTIC: &CStr = c"deterministic";
/// Parameter "test-entropy". See EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_TEST_ENTROPY: &CStr = c"test-entropy";
/// Parameter "message-encoding". See EVP_SIGNATURE-ML-DSA(7) and EVP_SIGNATURE-SLH-DSA(7).
pub const OSSL_SIGNATURE_PARAM_MESSAGE_ENCODING: &CStr = c"message-encoding";
/// Parameter "mu". See EVP_SIGNATURE-ML-DSA(7).
pub const OSSL_SIGNATURE_PARAM_MU: &CStr = c"mu";
/// Parameter "nonce-type". See EVP_SIGNATURE-ECDSA(7).
pub const OSSL_SIGNATURE_PARAM_NONCE_TYPE: &CStr = c"nonce-type";
/// Parameter "digest". See EVP_SIGNATURE-ECDSA(7), EVP_SIGNATURE-RSA(7) and EVP_MAC-HMAC(7).
pub const OSSL_ALG_PARAM_DIGEST: &CStr = c"digest";
/// Parameter "pad-mode". See EVP_SIGNATURE-RSA(7).
pub const OSSL_SIGNATURE_PARAM_PAD_MODE: &CStr = c"pad-mode";
/// Parameter "key". See EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_KEY: &CStr = c"key";
/// Parameter "salt". See EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_SALT: &CStr = c"salt";
/// Parameter "info". See EVP_KDF-HKDF(7).
pub const OSSL_KDF_PARAM_INFO: &CStr = c"info";
