//! Checks for hash functions that hash several messages concurrently.

use pqlab_primitives::{Error, Result};

/// Messages and outputs as arrays with one entry per lane.
pub(crate) type Arrays<'a, 'm, 'o, const LANES: usize> = (&'a [&'m [u8]; LANES], &'a mut [&'o mut [u8]; LANES]);

/// Returns the messages and outputs as arrays with one entry per lane.
///
/// There must be one message and one output per lane. All messages must have the same length, and so must all outputs.
/// If the hash function has a fixed digest length, `digest` is that length.
pub(crate) fn arrays<'a, 'm, 'o, const LANES: usize>(
    digest: Option<usize>,
    messages: &'a [&'m [u8]],
    outs: &'a mut [&'o mut [u8]],
) -> Result<Arrays<'a, 'm, 'o, LANES>> {
    let (given, outputs) = (messages.len(), outs.len());
    let messages: &[&[u8]; LANES] = messages.try_into().map_err(|_| Error::Length {
        what: "number of messages",
        expected: LANES,
        actual: given,
    })?;
    let outs: &mut [&mut [u8]; LANES] =
        outs.try_into().map_err(|_| Error::Length { what: "number of outputs", expected: LANES, actual: outputs })?;
    let length = messages.first().map_or(0, |first| first.len());
    for message in messages {
        Error::check_length("message in a lane", length, message.len())?;
    }
    let length = digest.unwrap_or(outs.first().map_or(0, |first| first.len()));
    for out in outs.iter() {
        Error::check_length("output buffer for a lane", length, out.len())?;
    }
    Ok((messages, outs))
}
