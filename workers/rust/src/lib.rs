//! Implements the protocol in docs/workers.md for workers in Rust. A worker implements [`Kem`] or [`Signature`] for each
//! of its algorithms, and calls [`main`] with the offers that [`kem`] and [`signature`] create.
//!
//! These functions check lengths, encodings, seeds and coins before they call the library. They load keys before the
//! clock starts, and encode generated keys after it stops.

mod kem;
mod message;
mod serve;
mod set;
mod signature;

pub use kem::{Kem, kem};
pub use serve::{Offer, main};
pub use signature::{Signature, signature};

use std::fmt::Display;

/// Generator text for workers that pass the operating system's generator to the library.
pub const SYSTEM_GENERATOR: &str = "getrandom (the operating system, on each call)";

/// Reason why a request fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The worker does not offer the request.
    Unsupported(&'static str),
    /// The input is invalid, or the library failed.
    Error(String),
}

impl Failure {
    /// Describes a failure of the library, or an input that it rejects.
    pub fn library(what: &str, error: impl Display) -> Failure {
        Failure::Error(format!("{what}: {error}"))
    }

    fn check_length(what: &str, expected: usize, actual: usize) -> Result<(), Failure> {
        match expected == actual {
            true => Ok(()),
            false => Err(Failure::Error(format!("wrong length of the {what}: {actual} bytes, expected {expected}"))),
        }
    }
}
