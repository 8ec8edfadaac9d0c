//! The envelope of ACVP's JSON files, as in `gen-val/json-files` of NIST's ACVP server: a header, and groups of tests.

use super::{ReadError, ReadFault, json, not_empty};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What a file's header must say.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// `ML-KEM`, `SHA3-256`, ...
    pub algorithm: &'static str,
    /// `keyGen`, `sigVer`, ...; hash functions have none.
    pub mode: Option<&'static str>,
    /// `FIPS203`, `2.0`, ...
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

/// The groups of a file with that header.
///
/// # Errors
/// Another header, other fields than `G` needs, no group at all.
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

/// The value of a field that is there for some tests only.
pub(super) fn field<T>(value: Option<T>, name: &'static str) -> Result<T, ReadFault> {
    value.ok_or(ReadFault::Missing(name))
}

/// Prefixes an error with the test that it happened in.
pub(super) fn in_test(file: &str, id: u32) -> impl FnOnce(ReadFault) -> ReadError {
    move |fault| ReadError::new(file, format_args!("test {id}"), fault)
}
