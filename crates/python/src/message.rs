//! Messages of the protocol of workers, through the one decoder that there is.

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

/// Writes a message to a descriptor.
#[pyfunction]
fn send_message(py: Python<'_>, descriptor: RawFd, verb: &str, fields: Vec<Vec<u8>>) -> Answer<()> {
    detached(py, || {
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        on(descriptor, |stream| frame::send(stream, verb, &fields)).map_err(|error| broken(&error))
    })
}

/// Reads a message from a descriptor: the verb and the fields; nothing where the stream has ended.
#[pyfunction]
fn receive_message<'py>(py: Python<'py>, descriptor: RawFd) -> Answer<Option<(String, Vec<Bound<'py, PyBytes>>)>> {
    let message = detached(py, || match on(descriptor, frame::receive) {
        Ok(message) => Ok(message),
        Err(ReadError::Io(error)) => Err(broken(&error)),
        Err(ReadError::Malformed(malformed)) => Err(Failure::new(Kind::Library, malformed.to_string())),
    })?;
    Ok(message.map(|message| (message.verb, message.fields.iter().map(|field| PyBytes::new(py, field)).collect())))
}

/// Does something with a stream that stays the caller's.
fn on<T>(descriptor: RawFd, act: impl FnOnce(&mut File) -> T) -> T {
    // SAFETY: whoever calls has the descriptor open, and it is not closed here.
    let mut stream = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    act(&mut stream)
}

fn broken(error: &io::Error) -> Failure {
    Failure::new(Kind::Library, format!("lost the connection: {error}"))
}
