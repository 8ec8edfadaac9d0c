//! Readers of published vectors: strict, without panics. Each takes a file's name, for its errors, and its bytes as they
//! lie on disk (names that end in `.gz` are unpacked first).

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

/// Unpacked, the largest file of vectors has some 12 MB.
const LARGEST: u64 = 256 << 20;

/// What is wrong with a file of vectors, and where.
#[derive(Debug, thiserror::Error)]
#[error("{file}, {place}: {fault}")]
pub struct ReadError {
    /// The file's name.
    pub file: String,
    /// The line or the vector's number.
    pub place: String,
    /// What is wrong there.
    pub fault: ReadFault,
}

/// What can be wrong with a file of vectors.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    /// The file is nowhere where files of vectors are looked for.
    #[error("not there")]
    Absent,
    /// The file cannot be read or unpacked.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// Unpacked, the file is larger than any file of vectors.
    #[error("more than {0} bytes unpacked")]
    TooLarge(u64),
    /// The file is not UTF-8.
    #[error("not a text")]
    NotText,
    /// The file is not the JSON that it should be.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A line that is neither `field = value`, nor `[field = value]`, nor a comment.
    #[error("not a field with a value")]
    NotAField,
    /// A field is missing.
    #[error("no field `{0}`")]
    Missing(&'static str),
    /// A field has a value that is not allowed.
    #[error("field `{field}` is {value:?}")]
    Unexpected {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },
    /// A field has a value of the wrong length, in bytes.
    #[error("field `{field}` has {actual} bytes where {expected} are needed")]
    Length {
        /// The field.
        field: &'static str,
        /// The length that it must have, or at least have.
        expected: usize,
        /// The length that it has.
        actual: usize,
    },
    /// Not a single vector.
    #[error("no vectors")]
    Empty,
}

impl ReadError {
    /// An error at a place.
    pub fn new(file: &str, place: impl Display, fault: ReadFault) -> ReadError {
        ReadError { file: file.to_owned(), place: place.to_string(), fault }
    }

    /// An error of the file as a whole.
    pub fn whole(file: &str, fault: ReadFault) -> ReadError {
        ReadError::new(file, "the file as a whole", fault)
    }
}

impl ReadFault {
    /// [`ReadFault::Unexpected`].
    pub fn unexpected(field: &'static str, value: impl Display) -> ReadFault {
        ReadFault::Unexpected { field, value: value.to_string() }
    }
}

/// The content of a file: unpacked if its name ends in `.gz`.
///
/// # Errors
/// What is damaged, what goes on after its end, and what is unreasonably large.
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

/// The content of a file as text.
///
/// # Errors
/// As [`content`], and what is not UTF-8.
pub fn text(file: &str, bytes: &[u8]) -> Result<String, ReadError> {
    let content = content(file, bytes)?.into_owned();
    String::from_utf8(content).map_err(|_| ReadError::whole(file, ReadFault::NotText))
}

/// Parses a JSON file that holds something of type `T`.
///
/// # Errors
/// What is not such a file; the place is a line and a column.
pub fn json<T: de::DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, ReadError> {
    serde_json::from_slice(&content(file, bytes)?).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        ReadError::new(file, place, ReadFault::Json(error))
    })
}

/// Bytes that are written in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let digits = Cow::<str>::deserialize(deserializer)?;
        hex::decode(digits.as_bytes()).map(Hex).map_err(de::Error::custom)
    }
}

/// The vectors, of which there must be at least one.
fn not_empty<T>(file: &str, vectors: Vec<T>) -> Result<Vec<T>, ReadError> {
    if vectors.is_empty() { Err(ReadError::whole(file, ReadFault::Empty)) } else { Ok(vectors) }
}
