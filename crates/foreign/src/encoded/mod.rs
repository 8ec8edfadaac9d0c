//! Adapters of libraries whose calls take encoded keys. A prepared key is a copy of the encoded one.
//!
//! They do what the adapter of the linked liboqs does around a call. [`KemCalls`] and [`SignatureCalls`] are the
//! library's calls, dispatched at compile time. The first use of a malformed key of the right length rejects it.

mod kem;
mod signature;

pub(crate) use kem::{EncodedKem, KemCalls};
pub(crate) use signature::{EncodedScheme, SignatureCalls};

use pqlab_primitives::{Error, KeyEncoding, Result};

const NO_SUCH_ENCODING: Error = Error::Unsupported("the library reads and writes only expanded keys");
const NO_GIVEN_COINS: Error = Error::Unsupported("the library does not accept given randomness here");

fn check_encoding(encoding: KeyEncoding) -> Result<()> {
    if encoding == KeyEncoding::Expanded { Ok(()) } else { Err(NO_SUCH_ENCODING) }
}

/// Returns `Ok` if the library succeeded.
fn check(done: bool, fault: Error) -> Result<()> {
    if done { Ok(()) } else { Err(fault) }
}

fn library(call: &'static str) -> Error {
    Error::Library { call, detail: String::new() }
}
