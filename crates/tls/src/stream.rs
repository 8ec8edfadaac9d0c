//! Runs one side of a connection over any stream, such as a socket.

use crate::{Endpoint, Error, Result};
use std::io::{ErrorKind, Read, Write};

/// Maximum bytes per read: a record of maximum length, including its header.
const READ: usize = 16_384 + 256 + 5;

/// Sends and receives until this side has completed the handshake.
///
/// # Errors
/// [`Error::Library`] if the stream fails or ends early. Propagates errors from the endpoint.
pub fn complete(endpoint: &mut dyn Endpoint, stream: &mut (impl Read + Write)) -> Result<()> {
    flush(endpoint, stream)?;
    while !endpoint.is_done() {
        take(endpoint, stream)?;
        flush(endpoint, stream)?;
    }
    Ok(())
}

/// Encrypts and sends `data`.
///
/// # Errors
/// Same as [`complete`].
pub fn write(endpoint: &mut dyn Endpoint, stream: &mut (impl Read + Write), data: &[u8]) -> Result<()> {
    endpoint.write(data)?;
    flush(endpoint, stream)
}

/// Waits for data from the peer and returns the number of bytes written to `data`, which is never 0.
///
/// # Errors
/// Same as [`complete`].
pub fn read(endpoint: &mut dyn Endpoint, stream: &mut (impl Read + Write), data: &mut [u8]) -> Result<usize> {
    loop {
        match endpoint.read(data)? {
            0 => take(endpoint, stream)?,
            length => return Ok(length),
        }
    }
}

fn flush(endpoint: &mut dyn Endpoint, stream: &mut (impl Read + Write)) -> Result<()> {
    let mut records = Vec::new();
    endpoint.send(&mut records)?;
    if records.is_empty() {
        return Ok(());
    }
    stream.write_all(&records).and_then(|()| stream.flush()).map_err(|error| failed("write", &error))
}

fn take(endpoint: &mut dyn Endpoint, stream: &mut (impl Read + Write)) -> Result<()> {
    let mut records = [0; READ];
    let length = loop {
        match stream.read(&mut records) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other.map_err(|error| failed("read", &error))?,
        }
    };
    match records.get(..length) {
        Some(records) if length > 0 => endpoint.receive(records),
        _ => Err(Error::Library { call: "read", detail: "the peer closed the connection".into() }),
    }
}

fn failed(call: &'static str, error: &std::io::Error) -> Error {
    Error::Library { call, detail: error.to_string() }
}
