//! The types and constants of libcrypto's headers, and the functions that are called of it. Each has been there, with this
//! type, since the version that is named beside it, else since 3.0.

#![allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the headers")]

use crate::symbols::symbols;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

/// Declares types of which only pointers are ever seen.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub(super) struct $name {
            _data: [u8; 0],
            // Neither Send nor Sync nor Unpin by accident: what may be shared is decided where the pointer is owned.
            _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    OSSL_LIB_CTX EVP_PKEY EVP_PKEY_CTX EVP_KEYMGMT EVP_SIGNATURE EVP_MD EVP_MD_CTX OSSL_DECODER_CTX OSSL_ENCODER_CTX
    EC_GROUP EC_POINT BIGNUM
}

/// One named parameter, OSSL_PARAM(3). Arrays of them end with [`OSSL_PARAM_END`].
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct OSSL_PARAM {
    pub(super) key: *const c_char,
    pub(super) data_type: c_uint,
    pub(super) data: *mut c_void,
    pub(super) data_size: usize,
    pub(super) return_size: usize,
}

pub(super) const OSSL_PARAM_END: OSSL_PARAM =
    OSSL_PARAM { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 };
pub(super) const OSSL_PARAM_UNMODIFIED: usize = usize::MAX;
pub(super) const OSSL_PARAM_INTEGER: c_uint = 1;
pub(super) const OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
pub(super) const OSSL_PARAM_UTF8_STRING: c_uint = 4;
pub(super) const OSSL_PARAM_OCTET_STRING: c_uint = 5;

pub(super) const OSSL_PKEY_PARAM_SEED: &CStr = c"seed";
pub(super) const OSSL_PKEY_PARAM_PUB_KEY: &CStr = c"pub";
pub(super) const OSSL_PKEY_PARAM_PRIV_KEY: &CStr = c"priv";
pub(super) const OSSL_PKEY_PARAM_GROUP_NAME: &CStr = c"group";
pub(super) const OSSL_PKEY_PARAM_RSA_BITS: &CStr = c"bits";
pub(super) const OSSL_KEM_PARAM_IKME: &CStr = c"ikme";
pub(super) const OSSL_SIGNATURE_PARAM_CONTEXT_STRING: &CStr = c"context-string";
pub(super) const OSSL_SIGNATURE_PARAM_DETERMINISTIC: &CStr = c"deterministic";
pub(super) const OSSL_SIGNATURE_PARAM_TEST_ENTROPY: &CStr = c"test-entropy";
pub(super) const OSSL_SIGNATURE_PARAM_MESSAGE_ENCODING: &CStr = c"message-encoding";
pub(super) const OSSL_SIGNATURE_PARAM_MU: &CStr = c"mu";
pub(super) const OSSL_SIGNATURE_PARAM_NONCE_TYPE: &CStr = c"nonce-type";
pub(super) const OSSL_ALG_PARAM_DIGEST: &CStr = c"digest";
pub(super) const OSSL_SIGNATURE_PARAM_PAD_MODE: &CStr = c"pad-mode";

/// EVP_PKEY_fromdata(3): parameters and the public key; or these and the private key.
pub(super) const EVP_PKEY_PUBLIC_KEY: c_int = 0x86;
pub(super) const EVP_PKEY_KEYPAIR: c_int = 0x87;

/// OPENSSL_init_crypto(3): neither `openssl.cnf` nor a handler for the end of the process.
pub(super) const OPENSSL_INIT_NO_LOAD_CONFIG: u64 = 0x80;
pub(super) const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;

/// OpenSSL_version(3): the compiler's flags, the platform, the full version, the processor's abilities.
pub(super) const OPENSSL_CFLAGS: c_int = 1;
pub(super) const OPENSSL_PLATFORM: c_int = 3;
pub(super) const OPENSSL_FULL_VERSION_STRING: c_int = 7;
pub(super) const OPENSSL_CPU_INFO: c_int = 9;

/// ERR_get_error(3): the additional data of an error is a string.
pub(super) const ERR_TXT_STRING: c_int = 0x02;

/// EC_POINT_point2oct(3): `04 || x || y`.
pub(super) const POINT_CONVERSION_UNCOMPRESSED: c_int = 4;

symbols! {
    /// What is called of libcrypto.
    pub(super) Api, "it is no libcrypto of OpenSSL 3.0 or later" {
        fn OpenSSL_version(c_int) -> *const c_char;
        fn OPENSSL_init_crypto(u64, *const c_void) -> c_int;
        fn OSSL_LIB_CTX_new() -> *mut OSSL_LIB_CTX;
        fn ERR_get_error_all(
            *mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int,
        ) -> c_ulong;
        fn ERR_reason_error_string(c_ulong) -> *const c_char;
        fn ERR_clear_error();
        fn CRYPTO_clear_free(*mut c_void, usize, *const c_char, c_int);

        fn EVP_KEYMGMT_fetch(*mut OSSL_LIB_CTX, *const c_char, *const c_char) -> *mut EVP_KEYMGMT;
        fn EVP_KEYMGMT_free(*mut EVP_KEYMGMT);
        fn EVP_PKEY_free(*mut EVP_PKEY);
        fn EVP_PKEY_new_raw_private_key_ex(
            *mut OSSL_LIB_CTX, *const c_char, *const c_char, *const u8, usize,
        ) -> *mut EVP_PKEY;
        fn EVP_PKEY_new_raw_public_key_ex(
            *mut OSSL_LIB_CTX, *const c_char, *const c_char, *const u8, usize,
        ) -> *mut EVP_PKEY;
        fn EVP_PKEY_get_raw_private_key(*const EVP_PKEY, *mut u8, *mut usize) -> c_int;
        fn EVP_PKEY_get_raw_public_key(*const EVP_PKEY, *mut u8, *mut usize) -> c_int;
        fn EVP_PKEY_get_params(*const EVP_PKEY, *mut OSSL_PARAM) -> c_int;
        fn EVP_PKEY_get_octet_string_param(*const EVP_PKEY, *const c_char, *mut u8, usize, *mut usize) -> c_int;
        fn EVP_PKEY_get_bits(*const EVP_PKEY) -> c_int;

        fn EVP_PKEY_CTX_new_from_name(*mut OSSL_LIB_CTX, *const c_char, *const c_char) -> *mut EVP_PKEY_CTX;
        fn EVP_PKEY_CTX_new_from_pkey(*mut OSSL_LIB_CTX, *mut EVP_PKEY, *const c_char) -> *mut EVP_PKEY_CTX;
        fn EVP_PKEY_CTX_free(*mut EVP_PKEY_CTX);
        fn EVP_PKEY_CTX_set_params(*mut EVP_PKEY_CTX, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_CTX_settable_params(*const EVP_PKEY_CTX) -> *const OSSL_PARAM;
        fn EVP_PKEY_fromdata_init(*mut EVP_PKEY_CTX) -> c_int;
        fn EVP_PKEY_fromdata(*mut EVP_PKEY_CTX, *mut *mut EVP_PKEY, c_int, *mut OSSL_PARAM) -> c_int;
        fn EVP_PKEY_keygen_init(*mut EVP_PKEY_CTX) -> c_int;
        fn EVP_PKEY_generate(*mut EVP_PKEY_CTX, *mut *mut EVP_PKEY) -> c_int;
        fn EVP_PKEY_private_check(*mut EVP_PKEY_CTX) -> c_int;
        fn EVP_PKEY_encapsulate_init(*mut EVP_PKEY_CTX, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_encapsulate(*mut EVP_PKEY_CTX, *mut u8, *mut usize, *mut u8, *mut usize) -> c_int;
        fn EVP_PKEY_decapsulate_init(*mut EVP_PKEY_CTX, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_decapsulate(*mut EVP_PKEY_CTX, *mut u8, *mut usize, *const u8, usize) -> c_int;
        fn EVP_PKEY_derive_init(*mut EVP_PKEY_CTX) -> c_int;
        fn EVP_PKEY_derive_set_peer_ex(*mut EVP_PKEY_CTX, *mut EVP_PKEY, c_int) -> c_int;
        fn EVP_PKEY_derive(*mut EVP_PKEY_CTX, *mut u8, *mut usize) -> c_int;

        fn EVP_SIGNATURE_fetch(*mut OSSL_LIB_CTX, *const c_char, *const c_char) -> *mut EVP_SIGNATURE;
        fn EVP_SIGNATURE_free(*mut EVP_SIGNATURE);
        fn EVP_PKEY_sign_init_ex(*mut EVP_PKEY_CTX, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_sign(*mut EVP_PKEY_CTX, *mut u8, *mut usize, *const u8, usize) -> c_int;
        fn EVP_PKEY_verify_init_ex(*mut EVP_PKEY_CTX, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_verify(*mut EVP_PKEY_CTX, *const u8, usize, *const u8, usize) -> c_int;
        fn EVP_DigestSignInit_ex(
            *mut EVP_MD_CTX, *mut *mut EVP_PKEY_CTX, *const c_char, *mut OSSL_LIB_CTX, *const c_char, *mut EVP_PKEY,
            *const OSSL_PARAM,
        ) -> c_int;
        fn EVP_DigestSign(*mut EVP_MD_CTX, *mut u8, *mut usize, *const u8, usize) -> c_int;
        fn EVP_DigestVerifyInit_ex(
            *mut EVP_MD_CTX, *mut *mut EVP_PKEY_CTX, *const c_char, *mut OSSL_LIB_CTX, *const c_char, *mut EVP_PKEY,
            *const OSSL_PARAM,
        ) -> c_int;
        fn EVP_DigestVerify(*mut EVP_MD_CTX, *const u8, usize, *const u8, usize) -> c_int;

        fn EVP_MD_fetch(*mut OSSL_LIB_CTX, *const c_char, *const c_char) -> *mut EVP_MD;
        fn EVP_MD_free(*mut EVP_MD);
        fn EVP_MD_CTX_new() -> *mut EVP_MD_CTX;
        fn EVP_MD_CTX_free(*mut EVP_MD_CTX);
        fn EVP_DigestInit_ex2(*mut EVP_MD_CTX, *const EVP_MD, *const OSSL_PARAM) -> c_int;
        fn EVP_DigestUpdate(*mut EVP_MD_CTX, *const c_void, usize) -> c_int;
        fn EVP_DigestFinal_ex(*mut EVP_MD_CTX, *mut u8, *mut c_uint) -> c_int;
        fn EVP_DigestFinalXOF(*mut EVP_MD_CTX, *mut u8, usize) -> c_int;

        fn OSSL_DECODER_CTX_new_for_pkey(
            *mut *mut EVP_PKEY, *const c_char, *const c_char, *const c_char, c_int, *mut OSSL_LIB_CTX, *const c_char,
        ) -> *mut OSSL_DECODER_CTX;
        fn OSSL_DECODER_from_data(*mut OSSL_DECODER_CTX, *mut *const u8, *mut usize) -> c_int;
        fn OSSL_DECODER_CTX_free(*mut OSSL_DECODER_CTX);
        fn OSSL_ENCODER_CTX_new_for_pkey(
            *const EVP_PKEY, c_int, *const c_char, *const c_char, *const c_char,
        ) -> *mut OSSL_ENCODER_CTX;
        fn OSSL_ENCODER_to_data(*mut OSSL_ENCODER_CTX, *mut *mut u8, *mut usize) -> c_int;
        fn OSSL_ENCODER_CTX_free(*mut OSSL_ENCODER_CTX);

        fn EC_GROUP_new_by_curve_name_ex(*mut OSSL_LIB_CTX, *const c_char, c_int) -> *mut EC_GROUP;
        fn EC_GROUP_free(*mut EC_GROUP);
        fn EC_POINT_new(*const EC_GROUP) -> *mut EC_POINT;
        fn EC_POINT_free(*mut EC_POINT);
        fn EC_POINT_mul(
            *const EC_GROUP, *mut EC_POINT, *const BIGNUM, *const EC_POINT, *const BIGNUM, *mut c_void,
        ) -> c_int;
        fn EC_POINT_point2oct(*const EC_GROUP, *const EC_POINT, c_int, *mut u8, usize, *mut c_void) -> usize;
        fn BN_bin2bn(*const u8, c_int, *mut BIGNUM) -> *mut BIGNUM;
        fn BN_clear_free(*mut BIGNUM);
        optional
        // From 3.3 on.
        fn EVP_DigestSqueeze(*mut EVP_MD_CTX, *mut u8, usize) -> c_int;
        // From 3.4 on.
        fn EVP_PKEY_sign_init_ex2(*mut EVP_PKEY_CTX, *mut EVP_SIGNATURE, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_sign_message_init(*mut EVP_PKEY_CTX, *mut EVP_SIGNATURE, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_verify_init_ex2(*mut EVP_PKEY_CTX, *mut EVP_SIGNATURE, *const OSSL_PARAM) -> c_int;
        fn EVP_PKEY_verify_message_init(*mut EVP_PKEY_CTX, *mut EVP_SIGNATURE, *const OSSL_PARAM) -> c_int;
    }
}
