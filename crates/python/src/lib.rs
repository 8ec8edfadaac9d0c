//! The module `pqlab._pqlab`: it converts types, and lets other threads of Python go on during everything that takes time. What
//! users import is the package in `python/pqlab`. Requests and answers that have many fields are texts of JSON.

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

/// One line a topic: each adds its functions and classes.
#[pymodule]
fn _pqlab(module: &Bound<'_, PyModule>) -> PyResult<()> {
    pqlab_lab::check_environment().map_err(errors::Failure::from)?;
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
