//! Messages of the worker protocol. The `pqlab` program encodes and decodes them with the same code.

use crate::errors::{Answer, Failure, Kind, detached};
use pqlab_lab::frame::{self, ReadError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(send_message, module)?)?;
    module.add_function(wrap_pyfunction!(receive_message, module)?)
}

/// Writes a message to a file descriptor.
#[pyfunction]
fn send_message(py: Python<'_>, descriptor: RawFd, verb: &str, fields: Vec<Vec<u8>>) -> Answer<()> {
    detached(py, || {
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        on(descriptor, |stream| frame::send(stream, verb, &fields)).map_err(|error| broken(&error))
    })
}

/// Reads a message from a file descriptor. Returns the verb and the fields, or `None` at the end of the stream.
#[pyfunction]
fn receive_message<'py>(py: Python<'py>, descriptor: RawFd) -> Answer<Option<(String, Vec<Bound<'py, PyBytes>>)>> {
    let message = detached(py, || match on(descriptor, frame::receive) {
        Ok(message) => Ok(message),
        Err(ReadError::Io(error)) => Err(broken(&error)),
        Err(ReadError::Malformed(malformed)) => Err(Failure::new(Kind::Library, malformed.to_string())),
    })?;
    Ok(message.map(|message| (message.verb, message.fields.iter().map(|field| PyBytes::new(py, field)).collect())))
}

/// Calls `act` with a stream on the caller's descriptor, which stays open.
fn on<T>(descriptor: RawFd, act: impl FnOnce(&mut File) -> T) -> T {
    // SAFETY: the caller keeps the descriptor open, and `ManuallyDrop` prevents this function from closing it.
    let mut stream = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    act(&mut stream)
}

fn broken(error: &io::Error) -> Failure {
    Failure::new(Kind::Library, format!("lost the connection: {error}"))
}
