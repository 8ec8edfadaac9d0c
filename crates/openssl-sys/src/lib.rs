//! OpenSSL 4's libcrypto and libssl, built from source by this crate, and declarations of the calls that pqlab uses.
//!
//! The declarations are written by hand from the headers of the built version. Each names its manual page. All are
//! unsafe: the caller is responsible for pointers, lengths and reference counts.

#![no_std]
#![allow(non_camel_case_types)]

extern crate alloc;

mod crypto;
mod errors;
mod hpke;
mod params;
mod pkey;
mod ssl;
mod symmetric;
mod x509;

pub use crypto::*;
pub use errors::{take_errors, text};
pub use hpke::*;
pub use params::*;
pub use pkey::*;
pub use ssl::*;
pub use symmetric::*;
pub use x509::*;

/// Version of the `openssl-src` package that libcrypto was built from, such as `400.0.2+4.0.3`.
pub const SRC_VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");

/// Declares types that are only used behind pointers.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            // Not Send, Sync or Unpin by default: the owner of the pointer decides what may be shared.
            _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )*};
}
pub(crate) use opaque;
