//! Strict readers for published vectors. Readers never panic. A reader takes the raw bytes of a file, and the file's
//! name for error messages. If the name ends in `.gz`, the reader first decompresses the file.

pub mod acvp;
pub mod ecdsa;
pub mod ed25519;
pub mod falcon;
pub mod kat;
pub mod ml_dsa;
pub mod ml_kem;
pub mod records;
pub mod sha3;
pub mod slh_dsa;
pub mod transcripts;

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Read;

/// Maximum length of a decompressed file, in bytes. The largest file of vectors takes about 12 MB.
const LARGEST: u64 = 256 << 20;

/// An error in a file of vectors, and its location.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {fault}", after_comma(.place))]
pub struct ReadError {
    /// Name of the file.
    pub file: String,
    /// Line, or number of the vector. Empty if the error concerns the whole file.
    pub place: String,
    /// The error.
    pub fault: ReadFault,
}

fn after_comma(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(", {place}") }
}

/// Kind of error in a file of vectors.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    /// The file does not exist in any known location.
    #[error("file not found")]
    Absent,
    /// The file cannot be read or decompressed.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// The decompressed file exceeds the limit, in bytes.
    #[error("decompresses to more than {0} bytes")]
    TooLarge(u64),
    /// The file is not UTF-8.
    #[error("not text")]
    NotText,
    /// The file is not the expected JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A line is neither `field = value`, nor `[field = value]`, nor a comment.
    #[error("expected `field = value`")]
    NotAField,
    /// A field is missing.
    #[error("no field `{0}`")]
    Missing(&'static str),
    /// A field has a value that is not allowed.
    #[error("invalid field `{field}`: {value:?}")]
    Unexpected {
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        value: String,
    },
    /// A field has a value of the wrong length, in bytes.
    #[error("field `{field}` has {actual} bytes, expected {expected}")]
    Length {
        /// Name of the field.
        field: &'static str,
        /// Expected or minimum length.
        expected: usize,
        /// Actual length.
        actual: usize,
    },
    /// The file contains no vectors.
    #[error("no vectors")]
    Empty,
}

impl ReadError {
    /// Creates an error at a location in a file.
    pub fn new(file: &str, place: impl Display, fault: ReadFault) -> ReadError {
        ReadError { file: file.to_owned(), place: place.to_string(), fault }
    }

    /// Creates an error about a whole file.
    pub fn whole(file: &str, fault: ReadFault) -> ReadError {
        ReadError::new(file, "", fault)
    }
}

impl ReadFault {
    /// Creates a [`ReadFault::Unexpected`].
    pub fn unexpected(field: &'static str, value: impl Display) -> ReadFault {
        ReadFault::Unexpected { field, value: value.to_string() }
    }
}

/// Returns the content of a file, decompressed if its name ends in `.gz`.
///
/// # Errors
/// [`ReadError`] if the file is damaged, has trailing data, or is too large.
pub fn content<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, ReadError> {
    if !file.ends_with(".gz") {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(LARGEST + 1)
        .read_to_end(&mut unpacked)
        .map_err(|error| ReadError::whole(file, ReadFault::Io(error)))?;
    if unpacked.len() as u64 > LARGEST {
        return Err(ReadError::whole(file, ReadFault::TooLarge(LARGEST)));
    }
    Ok(Cow::Owned(unpacked))
}

/// Returns the content of a file as text.
///
/// # Errors
/// [`ReadError`] as for [`content`], or if the content is not UTF-8.
pub fn text(file: &str, bytes: &[u8]) -> Result<String, ReadError> {
    let content = content(file, bytes)?.into_owned();
    String::from_utf8(content).map_err(|_| ReadError::whole(file, ReadFault::NotText))
}

/// Parses a JSON file as type `T`.
///
/// # Errors
/// [`ReadError`] if the file is malformed, with the line and column as the location.
pub fn json<T: de::DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, ReadError> {
    serde_json::from_slice(&content(file, bytes)?).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        ReadError::new(file, place, ReadFault::Json(error))
    })
}

/// Bytes that a file encodes in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let digits = Cow::<str>::deserialize(deserializer)?;
        hex::decode(digits.as_bytes()).map(Hex).map_err(de::Error::custom)
    }
}

/// Returns the vectors, or an error if there are none.
fn not_empty<T>(file: &str, vectors: Vec<T>) -> Result<Vec<T>, ReadError> {
    if vectors.is_empty() { Err(ReadError::whole(file, ReadFault::Empty)) } else { Ok(vectors) }
}
