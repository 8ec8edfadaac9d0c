//! Adapters for libraries whose functions take encoded keys. A prepared key is a copy of the encoded key.
//!
//! These adapters add the same work to a library call as the adapter for the linked liboqs.
//! [`KemCalls`] and [`SignatureCalls`] are the library's functions, dispatched at compile time. A
//! malformed key of the right length fails on first use.

mod kem;
mod signature;

pub(crate) use kem::{EncodedKem, KemCalls};
pub(crate) use signature::{EncodedScheme, SignatureCalls};

use pqlab_primitives::{Error, KeyEncoding, Result};

const NO_SUCH_ENCODING: Error = Error::Unsupported("the library reads and writes only expanded keys");
const NO_GIVEN_COINS: Error =
    Error::Unsupported("the library does not accept caller-supplied randomness for this operation");

fn check_encoding(encoding: KeyEncoding) -> Result<()> {
    if encoding == KeyEncoding::Expanded { Ok(()) } else { Err(NO_SUCH_ENCODING) }
}

/// Returns `Ok(())` if the library's call succeeded (`done`), otherwise `Err(fault)`.
fn check(done: bool, fault: Error) -> Result<()> {
    if done { Ok(()) } else { Err(fault) }
}

fn library(call: &'static str) -> Error {
    Error::Library { call, detail: String::new() }
}
