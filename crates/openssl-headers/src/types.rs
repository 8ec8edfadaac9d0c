//! Opaque types and constants.

use core::ffi::c_int;

/// Declares opaque types, which can be used only through pointers.
#[macro_export]
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            // Keeps the type from being Send, Sync or Unpin: the owner of the pointer decides what may be shared.
            _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    /// A library context. See OSSL_LIB_CTX(3). Null means the default context.
    OSSL_LIB_CTX;
    /// A key or key pair. See EVP_PKEY(3).
    EVP_PKEY;
    /// An operation with a key. See EVP_PKEY_CTX_new(3). Two threads must not use it at the same time.
    EVP_PKEY_CTX;
    /// The key management of an algorithm, which creates and stores its keys. See EVP_KEYMGMT(3).
    EVP_KEYMGMT;
    /// A signature algorithm. See EVP_SIGNATURE(3).
    EVP_SIGNATURE;
    /// A digest algorithm. See EVP_MD_fetch(3).
    EVP_MD;
    /// A digest computation in progress. See EVP_MD_CTX_new(3). Two threads must not use it at the same time.
    EVP_MD_CTX;
    /// A decoder for keys. See OSSL_DECODER_CTX(3).
    OSSL_DECODER_CTX;
    /// An encoder for keys. See OSSL_ENCODER_CTX(3).
    OSSL_ENCODER_CTX;
    /// An elliptic curve. See EC_GROUP_new(3).
    EC_GROUP;
    /// A point on an elliptic curve. See EC_POINT_new(3).
    EC_POINT;
    /// An integer. See BN_new(3).
    BIGNUM;
}

/// Keeps libcrypto from reading the system's `openssl.cnf`. See OPENSSL_init_crypto(3).
pub const OPENSSL_INIT_NO_LOAD_CONFIG: u64 = 0x80;
/// Keeps libcrypto from registering an exit handler. See OPENSSL_init_crypto(3).
pub const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;

/// Requests the compiler's flags. See OpenSSL_version(3).
pub const OPENSSL_CFLAGS: c_int = 1;
/// Requests the configured platform. See OpenSSL_version(3).
pub const OPENSSL_PLATFORM: c_int = 3;
/// Requests the version, including pre-release and build metadata. See OpenSSL_version(3).
pub const OPENSSL_FULL_VERSION_STRING: c_int = 7;
/// Requests the CPU features found at run time. See OpenSSL_version(3).
pub const OPENSSL_CPU_INFO: c_int = 9;

/// The additional data of an error is a string. See ERR_get_error(3).
pub const ERR_TXT_STRING: c_int = 0x02;

/// Selects the parameters and the public key. See EVP_PKEY_fromdata(3).
pub const EVP_PKEY_PUBLIC_KEY: c_int = 0x86;
/// Selects the parameters, the public key and the private key. See EVP_PKEY_fromdata(3).
pub const EVP_PKEY_KEYPAIR: c_int = 0x87;

/// Encodes points as `04 || x || y`. See EC_POINT_point2oct(3).
pub const POINT_CONVERSION_UNCOMPRESSED: c_int = 4;
