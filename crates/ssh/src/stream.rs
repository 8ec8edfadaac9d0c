//! Drives one side of a connection over a blocking stream.

use crate::endpoint::Endpoint;
use crate::{Error, Result};
use std::io::{ErrorKind, Read, Write};

/// Number of bytes to read at once, more than a flight of a handshake has.
const READ_LENGTH: usize = 16 << 10;

/// Exchanges bytes with the peer until `is_enough`. Begins with a step, in case the side has something to send.
///
/// # Errors
/// [`Error::Stream`] if the stream fails or ends, and any error that ends the connection.
pub fn exchange<E: Endpoint>(
    endpoint: &mut E,
    stream: &mut (impl Read + Write),
    is_enough: impl Fn(&E) -> bool,
) -> Result<()> {
    let (mut received, mut sent, mut length) = ([0; READ_LENGTH], Vec::new(), 0);
    loop {
        endpoint.step(&received[..length], &mut sent)?;
        stream.write_all(&sent).map_err(Error::Stream)?;
        if is_enough(endpoint) {
            return Ok(());
        }
        length = stream.read(&mut received).map_err(Error::Stream)?;
        if length == 0 {
            return Err(Error::Stream(ErrorKind::UnexpectedEof.into()));
        }
    }
}
