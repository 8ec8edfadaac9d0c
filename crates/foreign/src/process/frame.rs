//! Messages of the protocol in `docs/workers.md`. A message is a length followed by a body. In the body, every field is
//! a length followed by bytes.
//!
//! The decoder is strict, because the input is untrusted. Bytes that do not form exactly one message end the
//! conversation.

use std::io::{self, Read, Write};

/// Maximum length of a body in bytes.
pub const MOST_BYTES: usize = 16 << 20;
/// Maximum number of fields in a body.
pub const MOST_FIELDS: usize = 1 << 16;
/// Maximum number of bytes to allocate before any bytes arrive.
const STEP: usize = 1 << 16;

/// Error for bytes that are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The length of a body is 0 or above [`MOST_BYTES`].
    #[error("a message of {0} bytes; 1 to {MOST_BYTES} are allowed")]
    Length(usize),
    /// A field, or the length in front of it, extends past the end of the body.
    #[error("the field at byte {0} extends past the end of the body")]
    Beyond(usize),
    /// The body has more than [`MOST_FIELDS`] fields.
    #[error("a message has more than {MOST_FIELDS} fields")]
    Fields,
    /// The verb is empty or contains characters other than `a` to `z` and `-`.
    #[error("the first field of a message is not a verb")]
    Verb,
    /// The input ended inside a message.
    #[error("the stream ends inside a message")]
    Ended,
}

/// A message: a verb followed by fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Kind of the request or answer.
    pub verb: String,
    /// The fields after the verb.
    pub fields: Vec<Vec<u8>>,
}

/// Error from reading a message.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not a message.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Encodes a message, including the length before the body.
///
/// # Errors
/// [`Malformed`] if the receiver would reject the message.
pub fn encode(verb: &str, fields: &[&[u8]]) -> Result<Vec<u8>, Malformed> {
    if !is_verb(verb.as_bytes()) {
        return Err(Malformed::Verb);
    }
    if fields.len() >= MOST_FIELDS {
        return Err(Malformed::Fields);
    }
    let all = || std::iter::once(verb.as_bytes()).chain(fields.iter().copied());
    let length: usize = all().map(|field| 4 + field.len()).sum();
    if length > MOST_BYTES {
        return Err(Malformed::Length(length));
    }
    let mut bytes = Vec::with_capacity(4 + length);
    bytes.extend((length as u32).to_be_bytes());
    for field in all() {
        bytes.extend((field.len() as u32).to_be_bytes());
        bytes.extend(field);
    }
    Ok(bytes)
}

/// Decodes the body of a message.
///
/// # Errors
/// [`Malformed`] if the body is not exactly one message.
pub fn decode(body: &[u8]) -> Result<Message, Malformed> {
    if body.is_empty() || body.len() > MOST_BYTES {
        return Err(Malformed::Length(body.len()));
    }
    let (verb, mut at) = field(body, 0)?;
    if !is_verb(verb) {
        return Err(Malformed::Verb);
    }
    let verb = verb.iter().map(|&letter| char::from(letter)).collect();
    let mut fields = Vec::new();
    while at < body.len() {
        if fields.len() + 1 >= MOST_FIELDS {
            return Err(Malformed::Fields);
        }
        let (bytes, end) = field(body, at)?;
        fields.push(bytes.to_vec());
        at = end;
    }
    Ok(Message { verb, fields })
}

/// Writes a message with a single `write_all` and flushes the stream.
///
/// # Errors
/// Errors from the stream, and `InvalidInput` if the receiver would reject the message.
pub fn send(stream: &mut impl Write, verb: &str, fields: &[&[u8]]) -> io::Result<()> {
    let bytes = encode(verb, fields).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    stream.write_all(&bytes)?;
    stream.flush()
}

/// Reads a message. Returns `None` if the stream ends before the message begins.
///
/// # Errors
/// [`ReadError`] if the stream fails or the bytes are not a message.
pub fn receive(stream: &mut impl Read) -> Result<Option<Message>, ReadError> {
    let mut length = Vec::with_capacity(4);
    stream.by_ref().take(4).read_to_end(&mut length)?;
    let length = match <[u8; 4]>::try_from(length.as_slice()) {
        Ok(length) => u32::from_be_bytes(length) as usize,
        Err(_) if length.is_empty() => return Ok(None),
        Err(_) => return Err(Malformed::Ended.into()),
    };
    if length == 0 || length > MOST_BYTES {
        return Err(Malformed::Length(length).into());
    }
    // The length is untrusted, so do not allocate all of it before the bytes arrive.
    let mut body = Vec::with_capacity(length.min(STEP));
    stream.by_ref().take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(Malformed::Ended.into());
    }
    Ok(Some(decode(&body)?))
}

/// Parses a number in the protocol's format: digits without leading zeros, at most 2^63 - 1. Returns `None` for
/// anything else.
pub fn number(field: &[u8]) -> Option<u64> {
    let canonical = match field {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let text = std::str::from_utf8(field).ok().filter(|_| canonical)?;
    text.parse().ok().filter(|number| *number <= i64::MAX as u64)
}

/// Returns the field at offset `at` in the body, and the offset after the field.
fn field(body: &[u8], at: usize) -> Result<(&[u8], usize), Malformed> {
    let beyond = Malformed::Beyond(at);
    let Some((length, rest)) = body.get(at..).and_then(<[u8]>::split_first_chunk::<4>) else { return Err(beyond) };
    let length = u32::from_be_bytes(*length) as usize;
    rest.get(..length).map(|bytes| (bytes, at + 4 + length)).ok_or(beyond)
}

fn is_verb(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'-'))
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
