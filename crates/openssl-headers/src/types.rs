//! Opaque types, and constants.

use core::ffi::c_int;

/// Declares opaque types, which are only used through pointers.
#[macro_export]
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            // Not Send, Sync or Unpin by accident: the owner of the pointer decides what may be shared.
            _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    /// A library context, OSSL_LIB_CTX(3). Null is the default context.
    OSSL_LIB_CTX;
    /// A key or key pair, EVP_PKEY(3).
    EVP_PKEY;
    /// An operation with a key, EVP_PKEY_CTX_new(3). Must not be used from two threads at once.
    EVP_PKEY_CTX;
    /// The key management of an algorithm, which makes and keeps its keys, EVP_KEYMGMT(3).
    EVP_KEYMGMT;
    /// A signature algorithm, EVP_SIGNATURE(3).
    EVP_SIGNATURE;
    /// A digest algorithm, EVP_MD_fetch(3).
    EVP_MD;
    /// A digest in progress, EVP_MD_CTX_new(3). Must not be used from two threads at once.
    EVP_MD_CTX;
    /// Decoder of keys, OSSL_DECODER_CTX(3).
    OSSL_DECODER_CTX;
    /// Encoder of keys, OSSL_ENCODER_CTX(3).
    OSSL_ENCODER_CTX;
    /// A curve, EC_GROUP_new(3).
    EC_GROUP;
    /// A point of a curve, EC_POINT_new(3).
    EC_POINT;
    /// A number, BN_new(3).
    BIGNUM;
}

/// OPENSSL_init_crypto(3): keeps libcrypto from reading the system's `openssl.cnf`.
pub const OPENSSL_INIT_NO_LOAD_CONFIG: u64 = 0x80;
/// OPENSSL_init_crypto(3): keeps libcrypto from registering an exit handler.
pub const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;

/// OpenSSL_version(3): the compiler's flags.
pub const OPENSSL_CFLAGS: c_int = 1;
/// OpenSSL_version(3): the configured platform.
pub const OPENSSL_PLATFORM: c_int = 3;
/// OpenSSL_version(3): the version with pre-release and build metadata.
pub const OPENSSL_FULL_VERSION_STRING: c_int = 7;
/// OpenSSL_version(3): the CPU features found at run time.
pub const OPENSSL_CPU_INFO: c_int = 9;

/// ERR_get_error(3): the additional data of an error is a string.
pub const ERR_TXT_STRING: c_int = 0x02;

/// EVP_PKEY_fromdata(3): parameters and the public key.
pub const EVP_PKEY_PUBLIC_KEY: c_int = 0x86;
/// EVP_PKEY_fromdata(3): parameters, public and private key.
pub const EVP_PKEY_KEYPAIR: c_int = 0x87;

/// EC_POINT_point2oct(3): `04 || x || y`.
pub const POINT_CONVERSION_UNCOMPRESSED: c_int = 4;
