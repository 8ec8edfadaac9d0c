//! What OpenSSL's headers declare: types, constants and, in [`openssl_calls!`], the functions that keys, signatures and
//! digests go through. Nothing is linked: `pqlab-openssl-sys` declares the functions of the library that it builds, others
//! look the same functions up in a library that they open.

#![no_std]
#![allow(non_camel_case_types)]

extern crate alloc;

mod calls;
mod errors;
mod params;
mod types;

pub use errors::{drain_errors, text};
pub use params::*;
pub use types::*;
