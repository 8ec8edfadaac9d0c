//! Keys and operations on them: EVP_PKEY(3).

use crate::{OSSL_LIB_CTX, OSSL_PARAM, opaque};
use core::ffi::{c_char, c_int};

opaque! {
    /// A key or key pair, EVP_PKEY(3).
    EVP_PKEY;
    /// An operation with a key, EVP_PKEY_CTX_new(3). Must not be used from two threads at once.
    EVP_PKEY_CTX;
    /// A signature algorithm, EVP_SIGNATURE(3).
    EVP_SIGNATURE;
    /// Decoder of keys, OSSL_DECODER_CTX(3).
    OSSL_DECODER_CTX;
    /// Encoder of keys, OSSL_ENCODER_CTX(3).
    OSSL_ENCODER_CTX;
}

/// EVP_PKEY_fromdata(3): parameters and public key.
pub const EVP_PKEY_PUBLIC_KEY: c_int = 0x86;
/// EVP_PKEY_fromdata(3): parameters, public key and private key.
pub const EVP_PKEY_KEYPAIR: c_int = 0x87;

unsafe extern "C" {
    /// EVP_PKEY_new(3).
    pub fn EVP_PKEY_free(key: *mut EVP_PKEY);
    /// EVP_PKEY_new(3).
    pub fn EVP_PKEY_new_raw_private_key_ex(
        libctx: *mut OSSL_LIB_CTX,
        key_type: *const c_char,
        properties: *const c_char,
        key: *const u8,
        length: usize,
    ) -> *mut EVP_PKEY;
    /// EVP_PKEY_new(3).
    pub fn EVP_PKEY_new_raw_public_key_ex(
        libctx: *mut OSSL_LIB_CTX,
        key_type: *const c_char,
        properties: *const c_char,
        key: *const u8,
        length: usize,
    ) -> *mut EVP_PKEY;
    /// EVP_PKEY_new(3).
    pub fn EVP_PKEY_get_raw_private_key(key: *const EVP_PKEY, out: *mut u8, length: *mut usize) -> c_int;
    /// EVP_PKEY_new(3).
    pub fn EVP_PKEY_get_raw_public_key(key: *const EVP_PKEY, out: *mut u8, length: *mut usize) -> c_int;
    /// EVP_PKEY_gettable_params(3).
    pub fn EVP_PKEY_get_params(key: *const EVP_PKEY, params: *mut OSSL_PARAM) -> c_int;
    /// EVP_PKEY_gettable_params(3).
    pub fn EVP_PKEY_get_octet_string_param(
        key: *const EVP_PKEY,
        name: *const c_char,
        out: *mut u8,
        room: usize,
        length: *mut usize,
    ) -> c_int;
    /// EVP_PKEY_get_size(3).
    pub fn EVP_PKEY_get_bits(key: *const EVP_PKEY) -> c_int;

    /// EVP_PKEY_CTX_new(3).
    pub fn EVP_PKEY_CTX_new_from_name(
        libctx: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    /// EVP_PKEY_CTX_new(3).
    pub fn EVP_PKEY_CTX_new_from_pkey(
        libctx: *mut OSSL_LIB_CTX,
        key: *mut EVP_PKEY,
        properties: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    /// EVP_PKEY_CTX_new(3).
    pub fn EVP_PKEY_CTX_free(ctx: *mut EVP_PKEY_CTX);
    /// EVP_PKEY_CTX_set_params(3).
    pub fn EVP_PKEY_CTX_set_params(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
    /// EVP_PKEY_fromdata(3).
    pub fn EVP_PKEY_fromdata_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
    /// EVP_PKEY_fromdata(3).
    pub fn EVP_PKEY_fromdata(
        ctx: *mut EVP_PKEY_CTX,
        key: *mut *mut EVP_PKEY,
        selection: c_int,
        params: *mut OSSL_PARAM,
    ) -> c_int;
    /// EVP_PKEY_keygen(3).
    pub fn EVP_PKEY_keygen_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
    /// EVP_PKEY_keygen(3).
    pub fn EVP_PKEY_generate(ctx: *mut EVP_PKEY_CTX, key: *mut *mut EVP_PKEY) -> c_int;
    /// EVP_PKEY_check(3).
    pub fn EVP_PKEY_private_check(ctx: *mut EVP_PKEY_CTX) -> c_int;

    /// EVP_PKEY_encapsulate(3).
    pub fn EVP_PKEY_encapsulate_init(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
    /// EVP_PKEY_encapsulate(3).
    pub fn EVP_PKEY_encapsulate(
        ctx: *mut EVP_PKEY_CTX,
        ciphertext: *mut u8,
        ciphertext_length: *mut usize,
        secret: *mut u8,
        secret_length: *mut usize,
    ) -> c_int;
    /// EVP_PKEY_decapsulate(3).
    pub fn EVP_PKEY_decapsulate_init(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
    /// EVP_PKEY_decapsulate(3).
    pub fn EVP_PKEY_decapsulate(
        ctx: *mut EVP_PKEY_CTX,
        secret: *mut u8,
        secret_length: *mut usize,
        ciphertext: *const u8,
        ciphertext_length: usize,
    ) -> c_int;

    /// EVP_PKEY_derive(3).
    pub fn EVP_PKEY_derive_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
    /// EVP_PKEY_derive(3).
    pub fn EVP_PKEY_derive_set_peer_ex(ctx: *mut EVP_PKEY_CTX, peer: *mut EVP_PKEY, validate: c_int) -> c_int;
    /// EVP_PKEY_derive(3).
    pub fn EVP_PKEY_derive(ctx: *mut EVP_PKEY_CTX, secret: *mut u8, length: *mut usize) -> c_int;

    /// EVP_SIGNATURE(3).
    pub fn EVP_SIGNATURE_fetch(
        libctx: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_SIGNATURE;
    /// EVP_SIGNATURE(3).
    pub fn EVP_SIGNATURE_free(algorithm: *mut EVP_SIGNATURE);
    /// EVP_PKEY_sign(3).
    pub fn EVP_PKEY_sign_init_ex2(
        ctx: *mut EVP_PKEY_CTX,
        algorithm: *mut EVP_SIGNATURE,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// EVP_PKEY_sign(3).
    pub fn EVP_PKEY_sign_message_init(
        ctx: *mut EVP_PKEY_CTX,
        algorithm: *mut EVP_SIGNATURE,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// EVP_PKEY_sign(3).
    pub fn EVP_PKEY_sign(
        ctx: *mut EVP_PKEY_CTX,
        signature: *mut u8,
        signature_length: *mut usize,
        message: *const u8,
        message_length: usize,
    ) -> c_int;
    /// EVP_PKEY_verify(3).
    pub fn EVP_PKEY_verify_init_ex2(
        ctx: *mut EVP_PKEY_CTX,
        algorithm: *mut EVP_SIGNATURE,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// EVP_PKEY_verify(3).
    pub fn EVP_PKEY_verify_message_init(
        ctx: *mut EVP_PKEY_CTX,
        algorithm: *mut EVP_SIGNATURE,
        params: *const OSSL_PARAM,
    ) -> c_int;
    /// EVP_PKEY_verify(3).
    pub fn EVP_PKEY_verify(
        ctx: *mut EVP_PKEY_CTX,
        signature: *const u8,
        signature_length: usize,
        message: *const u8,
        message_length: usize,
    ) -> c_int;

    /// OSSL_DECODER_CTX_new_for_pkey(3).
    pub fn OSSL_DECODER_CTX_new_for_pkey(
        key: *mut *mut EVP_PKEY,
        input_type: *const c_char,
        input_structure: *const c_char,
        key_type: *const c_char,
        selection: c_int,
        libctx: *mut OSSL_LIB_CTX,
        properties: *const c_char,
    ) -> *mut OSSL_DECODER_CTX;
    /// OSSL_DECODER_from_bio(3).
    pub fn OSSL_DECODER_from_data(ctx: *mut OSSL_DECODER_CTX, data: *mut *const u8, length: *mut usize) -> c_int;
    /// OSSL_DECODER_CTX(3).
    pub fn OSSL_DECODER_CTX_free(ctx: *mut OSSL_DECODER_CTX);
    /// OSSL_ENCODER_CTX_new_for_pkey(3).
    pub fn OSSL_ENCODER_CTX_new_for_pkey(
        key: *const EVP_PKEY,
        selection: c_int,
        output_type: *const c_char,
        output_structure: *const c_char,
        properties: *const c_char,
    ) -> *mut OSSL_ENCODER_CTX;
    /// OSSL_ENCODER_to_bio(3).
    pub fn OSSL_ENCODER_to_data(ctx: *mut OSSL_ENCODER_CTX, data: *mut *mut u8, length: *mut usize) -> c_int;
    /// OSSL_ENCODER_CTX(3).
    pub fn OSSL_ENCODER_CTX_free(ctx: *mut OSSL_ENCODER_CTX);
}
