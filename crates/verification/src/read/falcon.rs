//! Test vectors for Falcon (third round).

use super::records::{Block, blocks, error};
use super::{Hex, ReadError, ReadFault, json, not_empty};
use serde::Deserialize;

/// Length of the nonce in bytes (Falcon specification, section 3.11.3).
const NONCE: usize = 40;

/// A known answer from the submission to NIST.
#[derive(Clone, Debug)]
pub struct KnownAnswer {
    /// Number of the answer (`count`).
    pub id: usize,
    /// The message.
    pub message: Vec<u8>,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// The signing key.
    pub signing_key: Vec<u8>,
    /// Signature in the specification's encoding: header, nonce, compressed `s2` (section 3.11.3).
    pub signature: Vec<u8>,
}

/// A vector from the Python reference implementation.
#[derive(Clone, Debug)]
pub struct PythonVector {
    /// Position in the list for the parameter set, from 0.
    pub id: u32,
    /// Parameter set: `Falcon-512` or `Falcon-1024`.
    pub set: &'static str,
    /// Signing key: `f`, `g` and `F` in the specification's encoding (section 3.11.5).
    pub signing_key: Vec<u8>,
    /// Signature, padded with zeros to the padded length.
    pub signature: Vec<u8>,
}

impl PythonVector {
    /// Message that all signatures in the list cover. The list does not contain the message, but `test.py` in the same
    /// repository does.
    pub const MESSAGE: &'static [u8] = b"data1";
}

/// Reads `falcon512-KAT.rsp`. Its signed messages have the format of NIST's API: the length of the signature, the
/// nonce, the message, and the signature without its nonce.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn known_answers(file: &str, bytes: &[u8]) -> Result<Vec<KnownAnswer>, ReadError> {
    let vectors = blocks(file, bytes)?;
    vectors.iter().map(|entries| known_answer(&Block { file, entries })).collect()
}

/// Reads `sign_KAT.json`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn python_vectors(file: &str, bytes: &[u8]) -> Result<Vec<PythonVector>, ReadError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "sign_KAT512")]
        falcon512: Vec<Vector>,
        #[serde(rename = "sign_KAT1024")]
        falcon1024: Vec<Vector>,
    }
    let parsed: File = json(file, bytes)?;
    let mut vectors = Vec::new();
    for (set, log_n, list) in [("Falcon-512", 9, parsed.falcon512), ("Falcon-1024", 10, parsed.falcon1024)] {
        for (id, vector) in (0..).zip(not_empty(file, list)?) {
            let signing_key = vector.signing_key(log_n);
            let signing_key =
                signing_key.map_err(|fault| ReadError::new(file, format_args!("{set}, vector {id}"), fault))?;
            vectors.push(PythonVector { id, set, signing_key, signature: vector.sig.0 });
        }
    }
    Ok(vectors)
}

fn known_answer(block: &Block) -> Result<KnownAnswer, ReadError> {
    let wrong = |field, value| error(block.file, block.line(), ReadFault::unexpected(field, value));
    let message = block.bytes("msg")?;
    let signed = block.bytes("sm")?;
    if message.len() != block.number("mlen")? {
        return Err(wrong("mlen", "differs from the message's length"));
    }
    if signed.len() != block.number("smlen")? {
        return Err(wrong("smlen", "differs from the signed message's length"));
    }
    let signature = signature(&signed, &message).ok_or_else(|| wrong("sm", "not a signed message in NIST's format"))?;
    Ok(KnownAnswer {
        id: block.number("count")?,
        message,
        verifying_key: block.bytes("pk")?,
        signing_key: block.bytes("sk")?,
        signature,
    })
}

/// Converts `length(2) || nonce(40) || message || 0x20 + log n || s2` to `0x30 + log n || nonce || s2`. Returns `None`
/// if `signed` has a different format.
fn signature(signed: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = signed.split_first_chunk::<2>()?;
    let (nonce, rest) = rest.split_at_checked(NONCE)?;
    let (header, s2) = rest.strip_prefix(message)?.split_first()?;
    if usize::from(u16::from_be_bytes(*length)) != 1 + s2.len() || header & 0xf0 != 0x20 {
        return None;
    }
    Some([&[0x10 | header][..], nonce, s2].concat())
}

#[derive(Deserialize)]
struct Vector {
    f: Vec<i16>,
    g: Vec<i16>,
    #[serde(rename = "F")]
    capital_f: Vec<i16>,
    sig: Hex,
}

impl Vector {
    /// Encodes the signing key: the header, `f` and `g` with 6 or 5 bits per coefficient, and `F` with 8 (table 3.3 and
    /// section 3.11.5). The encoding omits `G`, which can be computed from `f`, `g` and `F`.
    fn signing_key(&self, log_n: u8) -> Result<Vec<u8>, ReadFault> {
        let small = if log_n == 9 { 6 } else { 5 };
        let mut key = vec![0x50 + log_n];
        for (field, coefficients, bits) in [("f", &self.f, small), ("g", &self.g, small), ("F", &self.capital_f, 8)] {
            if coefficients.len() != 1 << log_n {
                return Err(ReadFault::Length { field, expected: 1 << log_n, actual: coefficients.len() });
            }
            pack(field, coefficients, bits, &mut key)?;
        }
        Ok(key)
    }
}

/// Packs signed numbers with `bits` bits each, most significant bit first.
fn pack(field: &'static str, coefficients: &[i16], bits: u32, out: &mut Vec<u8>) -> Result<(), ReadFault> {
    let (mut buffer, mut filled) = (0u32, 0);
    for &coefficient in coefficients {
        if i32::from(coefficient).abs() >= 1 << (bits - 1) {
            return Err(ReadFault::unexpected(field, coefficient));
        }
        buffer = buffer << bits | u32::from(coefficient as u16) & ((1 << bits) - 1);
        filled += bits;
        while filled >= 8 {
            filled -= 8;
            out.push((buffer >> filled) as u8);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_the_signature_from_the_signed_message() {
        let nonce = [7; NONCE];
        let signed = [&[0, 4][..], &nonce, b"message", &[0x29, 1, 2, 3]].concat();
        let expected = [&[0x39][..], &nonce, &[1, 2, 3]].concat();
        assert_eq!(signature(&signed, b"message"), Some(expected));
        assert_eq!(signature(&signed, b"another"), None);
        assert_eq!(signature(&signed[..signed.len() - 1], b"message"), None);
        assert_eq!(signature(&signed[..20], b""), None);
    }

    #[test]
    fn packs_coefficients_from_the_left() {
        let mut out = Vec::new();
        pack("f", &[1, -1, 2, -2], 6, &mut out).unwrap();
        // 000001 111111 000010 111110
        assert_eq!(out, [0b0000_0111, 0b1111_0000, 0b1011_1110]);
        assert!(pack("f", &[32], 6, &mut out).is_err());
    }
}
