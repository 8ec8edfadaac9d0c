//! Digests of known-answer transcripts, as liboqs publishes them.

use super::{Hex, ReadError, ReadFault, json};
use serde::Deserialize;
use std::collections::BTreeMap;

/// SHA-256 of the transcripts of one algorithm.
#[derive(Clone, Debug, Deserialize)]
pub struct Digests {
    /// Of the transcript of the first answer.
    pub single: Hex,
    /// Of the transcript of all hundred answers.
    pub all: Hex,
}

/// Reads liboqs' `tests/KATs/kem/kats.json` or `tests/KATs/sig/kats.json`: digests by the algorithm's name.
///
/// # Errors
/// What is not such a file.
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
