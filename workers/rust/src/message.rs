//! Messages: reading, writing, and numbers in fields.

use std::io::{self, ErrorKind, Read, Write};

/// Maximum length of a message in bytes.
const MOST_BYTES: usize = 16 << 20;
/// Maximum number of fields.
const MOST_FIELDS: usize = 1 << 16;

/// Reads a message. Returns its fields, or `None` if the input ends before the message.
///
/// # Errors
/// An error for a malformed message, or from the input.
pub(crate) fn receive(input: &mut impl Read) -> io::Result<Option<Vec<Vec<u8>>>> {
    let invalid = |what| Err(io::Error::new(ErrorKind::InvalidData, what));
    let mut head = [0; 4];
    if !read_unless_ended(input, &mut head)? {
        return Ok(None);
    }
    let length = u32::from_be_bytes(head) as usize;
    if !(1..=MOST_BYTES).contains(&length) {
        return invalid("invalid message length");
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    let (mut fields, mut rest) = (Vec::new(), &body[..]);
    while !rest.is_empty() {
        let field = rest.split_first_chunk().and_then(|(head, after)| {
            let (field, after) = after.split_at_checked(u32::from_be_bytes(*head) as usize)?;
            rest = after;
            Some(field.to_vec())
        });
        match field {
            Some(field) if fields.len() < MOST_FIELDS => fields.push(field),
            _ => return invalid("the fields do not match the message length"),
        }
    }
    let is_verb =
        |verb: &Vec<u8>| !verb.is_empty() && verb.iter().all(|&byte| byte.is_ascii_lowercase() || byte == b'-');
    if fields.first().is_some_and(is_verb) { Ok(Some(fields)) } else { invalid("the message contains no valid verb") }
}

/// Fills the buffer. Returns `false` if the input ends before the first byte.
fn read_unless_ended(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    loop {
        match input.read(buffer) {
            Ok(0) => return Ok(false),
            Ok(length) => return input.read_exact(&mut buffer[length..]).map(|()| true),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes a message and flushes the output.
///
/// # Errors
/// Errors from the output.
pub(crate) fn send(output: &mut impl Write, fields: &[Vec<u8>]) -> io::Result<()> {
    let mut message = vec![0; 4];
    for field in fields {
        message.extend(length(field.len())?);
        message.extend(field);
    }
    let head = length(message.len() - 4)?;
    message[..4].copy_from_slice(&head);
    output.write_all(&message)?;
    output.flush()
}

fn length(length: usize) -> io::Result<[u8; 4]> {
    u32::try_from(length).map(u32::to_be_bytes).map_err(io::Error::other)
}

/// Parses a number: decimal digits without sign or leading zeros, at most 2^63 - 1.
pub(crate) fn number(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let number = text.parse::<u64>().ok().filter(|number| *number <= i64::MAX as u64)?;
    (number.to_string() == text).then_some(number)
}
