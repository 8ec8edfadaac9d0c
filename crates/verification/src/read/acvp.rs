//! Envelope of ACVP's JSON files, as in `gen-val/json-files` of NIST's ACVP server: a header, and groups of tests.

use super::{ReadError, ReadFault, json, not_empty};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Expected header of a file.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Algorithm: `ML-KEM`, `SHA3-256`, ...
    pub algorithm: &'static str,
    /// Mode: `keyGen`, `sigVer`, ...; hash functions have none.
    pub mode: Option<&'static str>,
    /// Revision: `FIPS203`, `2.0`, ...
    pub revision: &'static str,
}

#[derive(Deserialize)]
struct File<G> {
    algorithm: String,
    mode: Option<String>,
    revision: String,
    #[serde(rename = "testGroups")]
    groups: Vec<G>,
}

/// Returns the groups of a file with that header.
///
/// # Errors
/// [`ReadError`] for another header, missing fields of `G`, or a file without groups.
pub fn groups<G: DeserializeOwned>(file: &str, bytes: &[u8], header: Header) -> Result<Vec<G>, ReadError> {
    let parsed: File<G> = json(file, bytes)?;
    let unexpected = |field, value: &str| Err(ReadError::whole(file, ReadFault::unexpected(field, value)));
    if parsed.algorithm != header.algorithm {
        return unexpected("algorithm", &parsed.algorithm);
    }
    if parsed.mode.as_deref() != header.mode {
        return unexpected("mode", parsed.mode.as_deref().unwrap_or_default());
    }
    if parsed.revision != header.revision {
        return unexpected("revision", &parsed.revision);
    }
    not_empty(file, parsed.groups)
}

/// Returns the value of a field that only some tests have.
pub(super) fn field<T>(value: Option<T>, name: &'static str) -> Result<T, ReadFault> {
    value.ok_or(ReadFault::Missing(name))
}

/// Adds the number of the test to an error.
pub(super) fn in_test(file: &str, id: u32) -> impl FnOnce(ReadFault) -> ReadError {
    move |fault| ReadError::new(file, format_args!("test {id}"), fault)
}
