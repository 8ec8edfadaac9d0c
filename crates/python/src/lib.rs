//! The native module `pqlab._pqlab`. It converts types, and releases the interpreter lock during long calls.
//!
//! Users import the package in `python/pqlab` instead. Requests and results with many fields are passed as JSON.

use pyo3::prelude::*;

mod against;
mod constructions;
mod errors;
mod input;
mod laboratory;
mod leak;
mod machine;
mod message;
mod progress;
mod request;
mod run;
mod samples;
mod serve;
mod stats;
mod store;
mod verify;

/// Native part of the `pqlab` package. Import `pqlab` instead.
#[pymodule]
fn _pqlab(module: &Bound<'_, PyModule>) -> PyResult<()> {
    pqlab_lab::check_environment().map_err(errors::Failure::from)?;
    if let Some(commit) = pqlab_commit::commit() {
        pqlab_lab::set_commit(commit);
    }
    constructions::add(module)?;
    stats::add(module)?;
    laboratory::add(module)?;
    message::add(module)?;
    run::add(module)?;
    samples::add(module)?;
    store::add(module)?;
    verify::add(module)?;
    leak::add(module)?;
    against::add(module)?;
    machine::add(module)?;
    serve::add(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
