//! OpenSSL 4's libcrypto and libssl, which this crate builds from source, and declarations of the functions that pqlab
//! calls.
//!
//! The declarations are written by hand, based on the headers of the version that is built. The documentation of each
//! function names the manual page that describes it. `pqlab-openssl-headers` declares the functions that pqlab also
//! calls in libraries opened at run time. All functions are unsafe, because the caller is responsible for pointers,
//! lengths and reference counts.

#![no_std]
#![allow(non_camel_case_types)]

extern crate alloc;

mod crypto;
mod hpke;
mod ssl;
mod symmetric;
mod x509;

pub use crypto::*;
pub use hpke::*;
pub use pqlab_openssl_headers::*;
pub use ssl::*;
pub use symmetric::*;
pub use x509::*;

/// Version of the `openssl-src` package from which libcrypto was built, such as `400.0.2+4.0.3`.
pub const SRC_VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");
