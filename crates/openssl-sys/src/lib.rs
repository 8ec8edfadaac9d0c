//! OpenSSL 4's libcrypto and libssl, built from source by this crate, and the few calls that pqlab makes of them.
//!
//! The declarations are written by hand, after the headers of the version that is built; each names the manual page
//! that describes it. None of them is safe to call as it stands: pointers, lengths and reference counts are the
//! caller's business.

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

/// The version of the `openssl-src` package from which libcrypto was built, such as `400.0.2+4.0.3`.
pub const SRC_VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");

/// Declares types of which only pointers are ever seen.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            // Neither Send nor Sync nor Unpin by accident: what may be shared is decided where the pointer is owned.
            _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )*};
}
pub(crate) use opaque;
