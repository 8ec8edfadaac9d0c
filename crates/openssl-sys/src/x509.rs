//! Certificates. See X509(3).

use core::ffi::{c_int, c_long};
use pqlab_openssl_headers::{EVP_PKEY, opaque};

opaque! {
    /// A certificate. See X509_new(3).
    X509;
}

unsafe extern "C" {
    /// Parses DER and advances `*input` past it. Returns null if the input is not a certificate. See d2i_X509(3).
    pub fn d2i_X509(certificate: *mut *mut X509, input: *mut *const u8, length: c_long) -> *mut X509;
    /// See X509_new(3).
    pub fn X509_free(certificate: *mut X509);
    /// Returns the subject's key, or null if it cannot be parsed. See X509_get_pubkey(3). The certificate still owns
    /// the key.
    pub fn X509_get0_pubkey(certificate: *const X509) -> *mut EVP_PKEY;
    /// Returns 1 if the signature is valid, 0 if it is invalid, and a negative value on other errors. See
    /// X509_verify(3).
    pub fn X509_verify(certificate: *const X509, key: *mut EVP_PKEY) -> c_int;
}
