//! Digests of known-answer transcripts, published by liboqs.

use super::{Hex, ReadError, ReadFault, json};
use serde::Deserialize;
use std::collections::BTreeMap;

/// SHA-256 digests of the transcripts for one algorithm.
#[derive(Clone, Debug, Deserialize)]
pub struct Digests {
    /// Digest of the transcript of the first answer.
    pub single: Hex,
    /// Digest of the transcript of all hundred answers.
    pub all: Hex,
}

/// Reads liboqs's `tests/KATs/kem/kats.json` or `tests/KATs/sig/kats.json`: digests keyed by algorithm name.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn digests(file: &str, bytes: &[u8]) -> Result<BTreeMap<String, Digests>, ReadError> {
    let digests: BTreeMap<String, Digests> = json(file, bytes)?;
    for (algorithm, pair) in &digests {
        for (field, digest) in [("single", &pair.single), ("all", &pair.all)] {
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
