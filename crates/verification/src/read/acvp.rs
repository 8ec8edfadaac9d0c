//! Reads the outer structure of ACVP's JSON files: a header and groups of tests, as in `gen-val/json-files` of NIST's
//! ACVP server.

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

/// Checks the header of a file, and returns its groups.
///
/// # Errors
/// [`ReadError`] if the header differs, a group lacks a field of `G`, or the file contains no groups.
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

/// Returns the value of a field that only some tests have, or an error that names the field.
pub(super) fn field<T>(value: Option<T>, name: &'static str) -> Result<T, ReadFault> {
    value.ok_or(ReadFault::Missing(name))
}

/// Adds the test's number to an error.
pub(super) fn in_test(file: &str, id: u32) -> impl FnOnce(ReadFault) -> ReadError {
    move |fault| ReadError::new(file, format_args!("test {id}"), fault)
}
