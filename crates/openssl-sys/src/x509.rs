//! Certificates: X509(3).

use core::ffi::{c_int, c_long};
use pqlab_openssl_headers::{EVP_PKEY, opaque};

opaque! {
    /// A certificate, X509_new(3).
    X509;
}

unsafe extern "C" {
    /// d2i_X509(3): parses DER and advances `*input` past it. Returns null if the input is not a certificate.
    pub fn d2i_X509(certificate: *mut *mut X509, input: *mut *const u8, length: c_long) -> *mut X509;
    /// X509_new(3).
    pub fn X509_free(certificate: *mut X509);
    /// X509_get_pubkey(3): returns the subject's key, owned by the certificate, or null if it cannot be parsed.
    pub fn X509_get0_pubkey(certificate: *const X509) -> *mut EVP_PKEY;
    /// X509_verify(3): returns 1 if the signature is valid, 0 if not, and a negative value on other errors.
    pub fn X509_verify(certificate: *const X509, key: *mut EVP_PKEY) -> c_int;
}
