//! Declarations from OpenSSL's headers: types, constants and, in [`openssl_calls!`], the functions for keys, signatures
//! and digests. This crate does not link OpenSSL. `pqlab-openssl-sys` declares the functions of the library that it
//! builds. Other crates look up the functions in a library that they open.

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
