//! Compact binary encoding of raw samples, with a version and a checksum. The decoder is safe for hostile input.
//!
//! ```text
//! offset 0   version, 1 byte
//! offset 1   CRC-32 of the bytes from offset 5, 4 bytes, little-endian
//! offset 5   length of the payload in bytes, 4 bytes, little-endian
//! offset 9   the payload, raw DEFLATE (RFC 1951)
//! ```
//!
//! The payload is the postcard encoding of `wire::Samples`. In version 5, the memory layout of each visit's process
//! follows (`Vec<Option<Offsets>>`). Samples without layouts are written in version 4, which older programs read. A list of readings is stored as the smallest reading and
//! the difference of each reading from it. The readings of a visit are close together, so most differences take one or
//! two bytes.
//!
//! A change to the payload needs a new version in a separate module. Released versions must stay readable.

mod wire;

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use pqlab_record::{Offsets, Samples};
use std::io::{self, Read, Write};

/// Encoding version of samples without [`Offsets`]. Versions 1 to 3 were never released.
const VERSION: u8 = 4;
/// Encoding version of samples with [`Offsets`].
const WITH_OFFSETS: u8 = 5;
const HEADER: usize = 9;
/// Maximum compression ratio of DEFLATE. A header that claims a longer payload is invalid.
const MOST_EXPANSION: usize = 1032;
/// Maximum length of the payload: 256 MiB. No case needs more, and the payload must fit in memory.
const LONGEST_PAYLOAD: usize = 256 << 20;

/// Reason why samples cannot be encoded, or bytes cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    /// There are fewer bytes than a header needs.
    #[error("too short: {0} bytes")]
    Truncated(usize),
    /// This build does not know the encoding version.
    #[error("encoding version {0}; this pqlab reads versions {VERSION} and {WITH_OFFSETS}")]
    Version(u8),
    /// The checksum does not match.
    #[error("checksum mismatch")]
    Checksum,
    /// The payload is too long, or its length differs from the length in the header.
    #[error("invalid payload length: {0} bytes")]
    Length(usize),
    /// The payload is not DEFLATE data.
    #[error("not DEFLATE: {0}")]
    Deflate(#[from] io::Error),
    /// The payload does not match the structure of its version.
    #[error("malformed: {0}")]
    Payload(#[from] postcard::Error),
    /// Bytes follow the end of the payload.
    #[error("trailing bytes: {0}")]
    Trailing(usize),
    /// The visit counts in the table of starts do not add up to the number of visits.
    #[error("start table covers a different number of visits than the payload")]
    Starts,
    /// The number of condition records differs from the number of visits.
    #[error("number of condition records does not match number of visits")]
    Conditions,
    /// The number of CPU times differs from the number of visits.
    #[error("number of CPU times does not match number of visits")]
    CpuTimes,
    /// The number of memory layouts differs from the number of visits.
    #[error("number of memory layouts does not match number of visits")]
    Offsets,
    /// A reading exceeds 64 bits.
    #[error("a reading exceeds 64 bits")]
    Overflow,
}

/// Encodes samples.
///
/// # Errors
/// [`SamplesError::Length`] if the payload exceeds the maximum length.
pub fn encode(samples: &Samples) -> Result<Vec<u8>, SamplesError> {
    let payload = payload(samples)?;
    if payload.len() > LONGEST_PAYLOAD {
        return Err(SamplesError::Length(payload.len()));
    }
    let mut bytes = vec![0; HEADER];
    bytes[0] = if has_offsets(samples) { WITH_OFFSETS } else { VERSION };
    bytes[5..HEADER].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let mut encoder = DeflateEncoder::new(bytes, Compression::default());
    encoder.write_all(&payload)?;
    let mut bytes = encoder.finish()?;
    let checksum = crc32fast::hash(&bytes[5..]);
    bytes[1..5].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Decodes samples. Memory use is at most a small multiple of the actual payload, even if lengths in the bytes are
/// wrong.
///
/// # Errors
/// [`SamplesError`] if the bytes do not come from [`encode`].
pub fn decode(bytes: &[u8]) -> Result<Samples, SamplesError> {
    let (header, compressed) = bytes.split_at_checked(HEADER).ok_or(SamplesError::Truncated(bytes.len()))?;
    let with_offsets = match header[0] {
        VERSION => false,
        WITH_OFFSETS => true,
        other => return Err(SamplesError::Version(other)),
    };
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
    from_payload(&payload, with_offsets)
}

/// Returns the payload before compression. Equal samples have equal payloads, even if they contain NaN.
pub(crate) fn payload(samples: &Samples) -> Result<Vec<u8>, SamplesError> {
    let mut payload = postcard::to_stdvec(&wire::Samples::from(samples))?;
    if has_offsets(samples) {
        let offsets: Vec<Option<Offsets>> = samples.visits.iter().map(|visit| visit.conditions.offsets).collect();
        payload.extend(postcard::to_stdvec(&offsets)?);
    }
    Ok(payload)
}

fn has_offsets(samples: &Samples) -> bool {
    samples.visits.iter().any(|visit| visit.conditions.offsets.is_some())
}

fn from_payload(payload: &[u8], with_offsets: bool) -> Result<Samples, SamplesError> {
    let (samples, mut rest) = postcard::take_from_bytes::<wire::Samples>(payload)?;
    let mut offsets = Vec::<Option<Offsets>>::new();
    if with_offsets {
        (offsets, rest) = postcard::take_from_bytes(rest)?;
    }
    if !rest.is_empty() {
        return Err(SamplesError::Trailing(rest.len()));
    }
    let mut samples = Samples::try_from(samples)?;
    if with_offsets {
        if offsets.len() != samples.visits.len() {
            return Err(SamplesError::Offsets);
        }
        for (visit, offsets) in samples.visits.iter_mut().zip(offsets) {
            visit.conditions.offsets = offsets;
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests;
