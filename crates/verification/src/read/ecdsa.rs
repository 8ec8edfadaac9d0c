//! Test vectors for deterministic ECDSA (RFC 6979, appendix A.2).

use super::{ReadError, ReadFault, json, not_empty};
use serde::Deserialize;

/// Key and signatures for one curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name of the curve: `NIST P-256`, ...
    pub name: String,
    /// Private key, big-endian, as long as the group order.
    pub signing_key: Vec<u8>,
    /// Public point, uncompressed (SEC 1, section 2.3.3).
    pub verifying_key: Vec<u8>,
    /// Messages with their signatures.
    pub cases: Vec<Case>,
}

/// A message and its signature.
#[derive(Clone, Debug)]
pub struct Case {
    /// Hash function: `SHA-256`, ...
    pub hash: String,
    /// Signed message.
    pub message: Vec<u8>,
    /// Signature `r || s`, in which both numbers are as long as the group order.
    pub signature: Vec<u8>,
}

/// Reads the vectors from RFC 6979.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn rfc6979(file: &str, bytes: &[u8]) -> Result<Vec<Curve>, ReadError> {
    #[derive(Deserialize)]
    struct Entry {
        curve: String,
        q: String,
        private: String,
        #[serde(rename = "Ux")]
        x: String,
        #[serde(rename = "Uy")]
        y: String,
        cases: Vec<EntryCase>,
    }
    #[derive(Deserialize)]
    struct EntryCase {
        hash: String,
        message: String,
        r: String,
        s: String,
    }
    let entries: Vec<Entry> = json(file, bytes)?;
    let curves = entries.into_iter().map(|entry| {
        let at = |fault| ReadError::new(file, &entry.curve, fault);
        let order = entry.q.len().div_ceil(2);
        // On some curves, coordinates are longer than the group order, so take the longest of the
        // three.
        let field = order.max(entry.x.len().div_ceil(2)).max(entry.y.len().div_ceil(2));
        let (x, y) = (number("Ux", &entry.x, field).map_err(at)?, number("Uy", &entry.y, field).map_err(at)?);
        let cases = entry.cases.iter().map(|case| {
            let (r, s) = (number("r", &case.r, order)?, number("s", &case.s, order)?);
            let (hash, message) = (case.hash.clone(), case.message.clone().into_bytes());
            Ok(Case { hash, message, signature: [r, s].concat() })
        });
        let cases = cases.collect::<Result<Vec<Case>, ReadFault>>().map_err(at)?;
        Ok(Curve {
            name: entry.curve.clone(),
            signing_key: number("private", &entry.private, order).map_err(at)?,
            verifying_key: [&[4][..], &x, &y].concat(),
            cases: not_empty(file, cases)?,
        })
    });
    not_empty(file, curves.collect::<Result<_, ReadError>>()?)
}

/// Decodes a hexadecimal number to `length` bytes, padded with zeros on the left.
fn number(field: &'static str, digits: &str, length: usize) -> Result<Vec<u8>, ReadFault> {
    let padded = format!("{digits:0>width$}", width = 2 * length);
    let bytes = hex::decode(&padded).map_err(|_| ReadFault::unexpected(field, digits))?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(ReadFault::Length { field, expected: length, actual: bytes.len() })
    }
}
