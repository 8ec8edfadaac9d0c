//! Message authentication codes, key derivation and ciphers.

use core::ffi::{c_char, c_int, c_void};
use pqlab_openssl_headers::{OSSL_LIB_CTX, OSSL_PARAM, opaque};

opaque! {
    /// A MAC algorithm. See EVP_MAC(3).
    EVP_MAC;
    /// A MAC computation in progress. See EVP_MAC(3). Two threads must not use it at the same time.
    EVP_MAC_CTX;
    /// A key derivation function. See EVP_KDF(3).
    EVP_KDF;
    /// A key derivation in progress. See EVP_KDF(3). Two threads must not use it at the same time.
    EVP_KDF_CTX;
    /// A cipher. See EVP_CIPHER_fetch(3).
    EVP_CIPHER;
    /// An encryption or decryption in progress. See EVP_CIPHER_CTX_new(3). Two threads must not use it at the same
    /// time.
    EVP_CIPHER_CTX;
}

/// Gets the tag after encryption. See EVP_CIPHER_CTX_ctrl(3).
pub const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
/// Sets the expected tag before decryption ends. See EVP_CIPHER_CTX_ctrl(3).
pub const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;

unsafe extern "C" {
    /// See EVP_MAC(3).
    pub fn EVP_MAC_fetch(libctx: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_MAC;
    /// See EVP_MAC(3).
    pub fn EVP_MAC_free(mac: *mut EVP_MAC);
    /// See EVP_MAC(3).
    pub fn EVP_MAC_CTX_new(mac: *mut EVP_MAC) -> *mut EVP_MAC_CTX;
    /// See EVP_MAC(3).
    pub fn EVP_MAC_CTX_dup(ctx: *const EVP_MAC_CTX) -> *mut EVP_MAC_CTX;
    /// See EVP_MAC(3).
    pub fn EVP_MAC_CTX_free(ctx: *mut EVP_MAC_CTX);
    /// See EVP_MAC(3).
    pub fn EVP_MAC_CTX_set_params(ctx: *mut EVP_MAC_CTX, params: *const OSSL_PARAM) -> c_int;
    /// Restarts with the current key if `key` is null. See EVP_MAC(3).
    pub fn EVP_MAC_init(ctx: *mut EVP_MAC_CTX, key: *const u8, length: usize, params: *const OSSL_PARAM) -> c_int;
    /// See EVP_MAC(3).
    pub fn EVP_MAC_update(ctx: *mut EVP_MAC_CTX, data: *const u8, length: usize) -> c_int;
    /// See EVP_MAC(3).
    pub fn EVP_MAC_final(ctx: *mut EVP_MAC_CTX, out: *mut u8, length: *mut usize, room: usize) -> c_int;

    /// See EVP_KDF(3).
    pub fn EVP_KDF_fetch(libctx: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_KDF;
    /// See EVP_KDF(3).
    pub fn EVP_KDF_free(kdf: *mut EVP_KDF);
    /// See EVP_KDF(3).
    pub fn EVP_KDF_CTX_new(kdf: *mut EVP_KDF) -> *mut EVP_KDF_CTX;
    /// See EVP_KDF(3).
    pub fn EVP_KDF_CTX_free(ctx: *mut EVP_KDF_CTX);
    /// See EVP_KDF(3).
    pub fn EVP_KDF_CTX_reset(ctx: *mut EVP_KDF_CTX);
    /// See EVP_KDF(3).
    pub fn EVP_KDF_derive(ctx: *mut EVP_KDF_CTX, out: *mut u8, length: usize, params: *const OSSL_PARAM) -> c_int;

    /// See EVP_CIPHER_fetch(3).
    pub fn EVP_CIPHER_fetch(
        libctx: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_CIPHER;
    /// See EVP_CIPHER_free(3).
    pub fn EVP_CIPHER_free(cipher: *mut EVP_CIPHER);
    /// See EVP_CIPHER_CTX_new(3).
    pub fn EVP_CIPHER_CTX_new() -> *mut EVP_CIPHER_CTX;
    /// See EVP_CIPHER_CTX_dup(3).
    pub fn EVP_CIPHER_CTX_dup(ctx: *const EVP_CIPHER_CTX) -> *mut EVP_CIPHER_CTX;
    /// See EVP_CIPHER_CTX_free(3).
    pub fn EVP_CIPHER_CTX_free(ctx: *mut EVP_CIPHER_CTX);
    /// See EVP_CIPHER_CTX_ctrl(3).
    pub fn EVP_CIPHER_CTX_ctrl(ctx: *mut EVP_CIPHER_CTX, command: c_int, length: c_int, data: *mut c_void) -> c_int;
    /// See EVP_EncryptInit(3).
    pub fn EVP_EncryptInit_ex2(
        ctx: *mut EVP_CIPHER_CTX,
        cipher: *const EVP_CIPHER,
        key: *const u8,
        iv: *const u8,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// Treats `data` as associated data if `out` is null. See EVP_EncryptInit(3).
    pub fn EVP_EncryptUpdate(
        ctx: *mut EVP_CIPHER_CTX,
        out: *mut u8,
        out_length: *mut c_int,
        data: *const u8,
        length: c_int,
    ) -> c_int;
    /// See EVP_EncryptInit(3).
    pub fn EVP_EncryptFinal_ex(ctx: *mut EVP_CIPHER_CTX, out: *mut u8, length: *mut c_int) -> c_int;
    /// See EVP_EncryptInit(3).
    pub fn EVP_DecryptInit_ex2(
        ctx: *mut EVP_CIPHER_CTX,
        cipher: *const EVP_CIPHER,
        key: *const u8,
        iv: *const u8,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// Treats `data` as associated data if `out` is null. See EVP_EncryptInit(3).
    pub fn EVP_DecryptUpdate(
        ctx: *mut EVP_CIPHER_CTX,
        out: *mut u8,
        out_length: *mut c_int,
        data: *const u8,
        length: c_int,
    ) -> c_int;
    /// Fails if the tag is wrong. See EVP_EncryptInit(3).
    pub fn EVP_DecryptFinal_ex(ctx: *mut EVP_CIPHER_CTX, out: *mut u8, length: *mut c_int) -> c_int;
}
