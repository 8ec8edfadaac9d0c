//! Raw samples as bytes: compact, versioned, checked, and decoded without trust.
//!
//! ```text
//! offset 0   version, 1 byte
//! offset 1   CRC-32 of everything behind it, 4 bytes, little-endian
//! offset 5   length of the payload in bytes, 4 bytes, little-endian
//! offset 9   the payload, raw DEFLATE (RFC 1951)
//! ```
//!
//! The payload is postcard's encoding of [`wire::Samples`], in which a list of readings is its least value and what each lies
//! above it: the readings of a visit are close to one another, so most take a byte or two.
//!
//! A change of the payload's shape is a new version with a module of its own; released ones stay readable.

mod wire;

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use pqlab_record::Samples;
use std::io::{self, Read, Write};

/// What is written and read. Versions 1 to 3 were never released.
const VERSION: u8 = 4;
const HEADER: usize = 9;
/// DEFLATE cannot do better than 1,032 to 1, so that a length beyond this is a lie.
const MOST_EXPANSION: usize = 1032;
/// More than the longest run of any case leaves, and little enough to be held in memory: 256 MiB.
const LONGEST_PAYLOAD: usize = 256 << 20;

/// Why samples cannot be encoded, or bytes are not samples.
#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    /// Fewer bytes than the header has.
    #[error("only {0} bytes")]
    Truncated(usize),
    /// A version that this build does not know.
    #[error("encoding {0}, this pqlab knows {VERSION}")]
    Version(u8),
    /// The bytes are not those that were written.
    #[error("the checksum does not match")]
    Checksum,
    /// The payload is longer than it may be, or not as long as the header says.
    #[error("a payload of {0} bytes")]
    Length(usize),
    /// The payload is not DEFLATE.
    #[error("not DEFLATE: {0}")]
    Deflate(#[from] io::Error),
    /// The payload is not what the version says.
    #[error("malformed: {0}")]
    Payload(#[from] postcard::Error),
    /// Bytes behind the end.
    #[error("{0} bytes too many")]
    Trailing(usize),
    /// The table of starts is longer or shorter than the list of visits.
    #[error("start table covers a different number of visits than the payload")]
    Starts,
    /// There are more or fewer conditions than visits.
    #[error("number of condition records does not match number of visits")]
    Conditions,
    /// There are more or fewer CPU times than visits.
    #[error("number of CPU times does not match number of visits")]
    CpuTimes,
    /// A reading beyond 64 bits.
    #[error("a reading beyond 64 bits")]
    Overflow,
}

/// The samples as bytes.
///
/// # Errors
/// [`SamplesError::Length`] for more than the longest payload.
pub fn encode(samples: &Samples) -> Result<Vec<u8>, SamplesError> {
    let payload = payload(samples)?;
    if payload.len() > LONGEST_PAYLOAD {
        return Err(SamplesError::Length(payload.len()));
    }
    let mut bytes = vec![0; HEADER];
    bytes[0] = VERSION;
    bytes[5..HEADER].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let mut encoder = DeflateEncoder::new(bytes, Compression::default());
    encoder.write_all(&payload)?;
    let mut bytes = encoder.finish()?;
    let checksum = crc32fast::hash(&bytes[5..]);
    bytes[1..5].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// The samples that were encoded so. Takes no more memory than a small multiple of the payload, whatever the bytes say.
///
/// # Errors
/// [`SamplesError`] for bytes that are not what [`encode`] made.
pub fn decode(bytes: &[u8]) -> Result<Samples, SamplesError> {
    let (header, compressed) = bytes.split_at_checked(HEADER).ok_or(SamplesError::Truncated(bytes.len()))?;
    if header[0] != VERSION {
        return Err(SamplesError::Version(header[0]));
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if word(1) != crc32fast::hash(&bytes[5..]) {
        return Err(SamplesError::Checksum);
    }
    let length = word(5) as usize;
    if length > LONGEST_PAYLOAD.min(compressed.len().saturating_mul(MOST_EXPANSION)) {
        return Err(SamplesError::Length(length));
    }
    let mut payload = Vec::with_capacity(length);
    let mut decoder = DeflateDecoder::new(compressed).take(length as u64 + 1);
    decoder.read_to_end(&mut payload)?;
    if payload.len() != length {
        return Err(SamplesError::Length(payload.len()));
    }
    let read = decoder.into_inner().total_in() as usize;
    if read != compressed.len() {
        return Err(SamplesError::Trailing(compressed.len() - read));
    }
    from_payload(&payload)
}

/// The payload before compression: equal for equal samples, not-a-numbers included.
pub(crate) fn payload(samples: &Samples) -> Result<Vec<u8>, SamplesError> {
    Ok(postcard::to_stdvec(&wire::Samples::from(samples))?)
}

fn from_payload(payload: &[u8]) -> Result<Samples, SamplesError> {
    let (samples, rest) = postcard::take_from_bytes::<wire::Samples>(payload)?;
    if !rest.is_empty() {
        return Err(SamplesError::Trailing(rest.len()));
    }
    samples.try_into()
}

#[cfg(test)]
mod tests;
