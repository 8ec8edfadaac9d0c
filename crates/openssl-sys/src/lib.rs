//! OpenSSL 4's libcrypto and libssl, built from source by this crate, and declarations of the calls that pqlab uses.
//!
//! The declarations are written by hand from the headers of the version that is built. Each names the manual page that
//! describes it. Those that also serve a library opened at run time are in `pqlab-openssl-headers`. None is safe to
//! call directly: the caller is responsible for pointers, lengths and reference counts.

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

/// Version of the `openssl-src` package that libcrypto was built from, such as `400.0.2+4.0.3`.
pub const SRC_VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");
