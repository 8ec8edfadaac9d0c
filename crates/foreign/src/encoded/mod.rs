//! Libraries whose keys are their encodings: each call takes bytes, and a prepared key is a copy of them.
//!
//! What stands here is what the adapter of the linked liboqs does around a call, for any library of that shape: [`KemCalls`]
//! and [`SignatureCalls`] are the calls themselves, resolved when this is compiled. A key that is malformed but of the right
//! length is refused by its first use. The linked liboqs keeps its keys with the same code, so that to load one costs the
//! same.

mod kem;
mod signature;

pub(crate) use kem::{EncodedKem, KemCalls};
pub(crate) use signature::{EncodedScheme, SignatureCalls};

use pqlab_primitives::{Error, KeyEncoding, Result};

const NO_SUCH_ENCODING: Error = Error::Unsupported("the library reads and writes the expanded key alone");
const NO_GIVEN_COINS: Error = Error::Unsupported("the library takes no given coins here");

fn check_encoding(encoding: KeyEncoding) -> Result<()> {
    if encoding == KeyEncoding::Expanded { Ok(()) } else { Err(NO_SUCH_ENCODING) }
}

/// `Ok` for the library's yes.
fn check(done: bool, fault: Error) -> Result<()> {
    if done { Ok(()) } else { Err(fault) }
}

fn library(call: &'static str) -> Error {
    Error::Library { call, detail: String::new() }
}
