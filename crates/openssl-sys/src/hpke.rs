//! Hybrid public key encryption. OSSL_HPKE_CTX_new(3) describes all functions in this module.

use core::ffi::{c_char, c_int};
use pqlab_openssl_headers::{EVP_PKEY, OSSL_LIB_CTX, opaque};

opaque! {
    /// Encryption context of one side, for a sequence of messages. Two threads must not use a context at the same time.
    OSSL_HPKE_CTX;
}

/// Identifiers of a KEM, a KDF and an AEAD (RFC 9180, section 7).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OSSL_HPKE_SUITE {
    /// Identifier of the KEM (RFC 9180, section 7.1).
    pub kem_id: u16,
    /// Identifier of the KDF (RFC 9180, section 7.2).
    pub kdf_id: u16,
    /// Identifier of the AEAD (RFC 9180, section 7.3).
    pub aead_id: u16,
}

/// Base mode. See OSSL_HPKE_CTX_new(3).
pub const OSSL_HPKE_MODE_BASE: c_int = 0;
/// Role of the sender. See OSSL_HPKE_CTX_new(3).
pub const OSSL_HPKE_ROLE_SENDER: c_int = 0;
/// Role of the receiver. See OSSL_HPKE_CTX_new(3).
pub const OSSL_HPKE_ROLE_RECEIVER: c_int = 1;

unsafe extern "C" {
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_CTX_new(
        mode: c_int,
        suite: OSSL_HPKE_SUITE,
        role: c_int,
        libctx: *mut OSSL_LIB_CTX,
        properties: *const c_char,
    ) -> *mut OSSL_HPKE_CTX;
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_CTX_free(ctx: *mut OSSL_HPKE_CTX);
    /// Generates a key pair, at random if `material` is null. See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_keygen(
        suite: OSSL_HPKE_SUITE,
        public: *mut u8,
        public_length: *mut usize,
        private: *mut *mut EVP_PKEY,
        material: *const u8,
        material_length: usize,
        libctx: *mut OSSL_LIB_CTX,
        properties: *const c_char,
    ) -> c_int;
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_encap(
        ctx: *mut OSSL_HPKE_CTX,
        enc: *mut u8,
        enc_length: *mut usize,
        public: *const u8,
        public_length: usize,
        info: *const u8,
        info_length: usize,
    ) -> c_int;
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_seal(
        ctx: *mut OSSL_HPKE_CTX,
        out: *mut u8,
        out_length: *mut usize,
        associated_data: *const u8,
        associated_data_length: usize,
        plaintext: *const u8,
        plaintext_length: usize,
    ) -> c_int;
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_decap(
        ctx: *mut OSSL_HPKE_CTX,
        enc: *const u8,
        enc_length: usize,
        private: *mut EVP_PKEY,
        info: *const u8,
        info_length: usize,
    ) -> c_int;
    /// See OSSL_HPKE_CTX_new(3).
    pub fn OSSL_HPKE_open(
        ctx: *mut OSSL_HPKE_CTX,
        out: *mut u8,
        out_length: *mut usize,
        associated_data: *const u8,
        associated_data_length: usize,
        ciphertext: *const u8,
        ciphertext_length: usize,
    ) -> c_int;
}
