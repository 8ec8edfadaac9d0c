//! Code that several adapters share. Every build compiles all of it, whatever features are enabled, so that errors show
//! up even in builds with few libraries.
#![allow(dead_code, unused_imports, reason = "the features determine which items are used")]

pub(crate) mod bytes;
pub(crate) mod compiled;
#[cfg(target_arch = "x86_64")]
pub(crate) mod cpu;
pub(crate) mod draw;
pub(crate) mod ecdsa;
pub(crate) mod lanes;
pub(crate) mod ml_kem;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod x25519;
