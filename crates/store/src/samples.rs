//! Raw samples as bytes: compact, versioned, checked, and decoded without trust.
//!
//! ```text
//! offset 0   version, 1 byte
//! offset 1   CRC-32 of everything behind it, 4 bytes, little-endian
//! offset 5   length of the payload in bytes, 4 bytes, little-endian
//! offset 9   the payload, raw DEFLATE (RFC 1951)
//! ```
//!
//! The payload of version 1 is postcard's encoding of [`wire::Samples`], in which a list of readings is its least value
//! and what each lies above it: the readings of a visit are close to one another, so most take a byte or two.
//!
//! The payload of version 2 has behind it which [start](pqlab_record::Visit::start) of the run made which visits; what was
//! written as version 1 was made by the first.
//!
//! The payload of version 3 has behind that the [conditions](pqlab_record::Conditions) of each visit.
//!
//! The payload of version 4 has behind that the CPU time of each visit.
//!
//! A change of the payload's shape is a new version with a module of its own; old ones stay readable.

mod conditions;
mod cpu_times;
mod starts;
mod wire;

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use pqlab_record::Samples;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};

/// What is written.
const VERSION: u8 = 4;
/// What was written before, and is read.
const WITHOUT_STARTS: u8 = 1;
const WITHOUT_CONDITIONS: u8 = 2;
const WITHOUT_CPU_TIMES: u8 = 3;
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
    /// The starts of the run are not those of so many visits.
    #[error("other visits than starts made")]
    Starts,
    /// The conditions are not those of so many visits.
    #[error("other visits than conditions")]
    Conditions,
    /// The CPU times are not those of so many visits.
    #[error("other visits than CPU times")]
    CpuTimes,
    /// A reading beyond 64 bits.
    #[error("a reading beyond 64 bits")]
    Overflow,
}

/// The samples as bytes.
///
/// # Errors
/// [`SamplesError`] where visits and conditions do not belong together.
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
    if !matches!(header[0], WITHOUT_STARTS | WITHOUT_CONDITIONS | WITHOUT_CPU_TIMES | VERSION) {
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
    match header[0] {
        WITHOUT_STARTS => from_payload::<wire::Samples>(&payload),
        WITHOUT_CONDITIONS => from_payload::<starts::Samples>(&payload),
        WITHOUT_CPU_TIMES => from_payload::<conditions::Samples>(&payload),
        _ => from_payload::<cpu_times::Samples>(&payload),
    }
}

/// The payload before compression: equal for equal samples, not-a-numbers included.
pub(crate) fn payload(samples: &Samples) -> Result<Vec<u8>, SamplesError> {
    Ok(postcard::to_stdvec(&cpu_times::Samples::from(samples))?)
}

fn from_payload<Shape>(payload: &[u8]) -> Result<Samples, SamplesError>
where
    Shape: DeserializeOwned,
    Samples: TryFrom<Shape, Error = SamplesError>,
{
    let (samples, rest) = postcard::take_from_bytes::<Shape>(payload)?;
    if !rest.is_empty() {
        return Err(SamplesError::Trailing(rest.len()));
    }
    samples.try_into()
}

#[cfg(test)]
mod tests;
