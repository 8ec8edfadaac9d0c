//! Python bindings of the constructions: keys, KEMs, signatures, hashes, certificates, circuit handshakes, ledger
//! transactions.

mod certificate;
mod hash;
mod kem;
mod keys;
mod ledger;
mod ntor;
mod signature;
mod source;

use pyo3::prelude::*;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    keys::add(module)?;
    kem::add(module)?;
    signature::add(module)?;
    hash::add(module)?;
    certificate::add(module)?;
    ntor::add(module)?;
    ledger::add(module)
}
