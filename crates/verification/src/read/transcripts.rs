//! Digests of known-answer transcripts, as published by liboqs.

use super::{Hex, ReadError, ReadFault, json};
use serde::Deserialize;
use std::collections::BTreeMap;

/// SHA-256 of the transcripts of one algorithm.
#[derive(Clone, Debug, Deserialize)]
pub struct Digests {
    /// Digest of the first answer's transcript.
    pub single: Hex,
    /// Digest of the transcript of all hundred answers.
    pub all: Hex,
}

/// Reads liboqs's `tests/KATs/kem/kats.json` or `tests/KATs/sig/kats.json`: digests by name of the algorithm.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn digests(file: &str, bytes: &[u8]) -> Result<BTreeMap<String, Digests>, ReadError> {
    let digests: BTreeMap<String, Digests> = json(file, bytes)?;
    for (algorithm, of) in &digests {
        for (field, digest) in [("single", &of.single), ("all", &of.all)] {
            if digest.0.len() != 32 {
                return Err(ReadError::new(
                    file,
                    algorithm,
                    ReadFault::Length { field, expected: 32, actual: digest.0.len() },
                ));
            }
        }
    }
    if digests.is_empty() { Err(ReadError::whole(file, ReadFault::Empty)) } else { Ok(digests) }
}
