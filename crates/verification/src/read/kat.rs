//! Known answers for ML-KEM and ML-DSA in the NIST competition's format, as in the `cryptography-vectors` Python
//! package. Also known answers from Ed25519's reference implementation.

use super::ed25519::{Signature, Variant};
use super::records::{Block, Entry, blocks};
use super::{ReadError, ReadFault, not_empty, text};

/// A known answer for ML-KEM.
#[derive(Clone, Debug)]
pub struct MlKem {
    /// Line on which the answer begins.
    pub line: usize,
    /// Seed `d || z`, 64 bytes.
    pub seed: Vec<u8>,
    /// Randomness `m` for encapsulation, 32 bytes.
    pub coins: Vec<u8>,
    /// The encapsulation key.
    pub encapsulation_key: Vec<u8>,
    /// The decapsulation key, expanded.
    pub decapsulation_key: Vec<u8>,
    /// Ciphertext from encapsulating with `coins`.
    pub ciphertext: Vec<u8>,
    /// Shared secret of that encapsulation.
    pub secret: Vec<u8>,
    /// A ciphertext that no encapsulation created.
    pub other_ciphertext: Vec<u8>,
    /// Result of decapsulating `other_ciphertext`.
    pub other_secret: Vec<u8>,
}

/// A known answer for ML-DSA's deterministic variant.
#[derive(Clone, Debug)]
pub struct MlDsa {
    /// Line on which the answer begins.
    pub line: usize,
    /// Seed `xi`, 32 bytes.
    pub seed: Vec<u8>,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// The signing key, expanded.
    pub signing_key: Vec<u8>,
    /// Context, at most 255 bytes.
    pub context: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// Reads `kat_MLKEM_*.rsp`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn ml_kem(file: &str, bytes: &[u8]) -> Result<Vec<MlKem>, ReadError> {
    each(file, bytes, |block| {
        Ok(MlKem {
            line: block.line(),
            seed: [block.bytes("d")?, block.bytes("z")?].concat(),
            coins: block.bytes("msg")?,
            encapsulation_key: block.bytes("pk")?,
            decapsulation_key: block.bytes("sk")?,
            ciphertext: block.bytes("ct")?,
            secret: block.bytes("ss")?,
            other_ciphertext: block.bytes("ct_n")?,
            other_secret: block.bytes("ss_n")?,
        })
    })
}

/// Reads `kat_MLDSA_*_det_pure.rsp`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn ml_dsa(file: &str, bytes: &[u8]) -> Result<Vec<MlDsa>, ReadError> {
    each(file, bytes, |block| {
        let (mut signature, message) = (block.bytes("sm")?, block.bytes("msg")?);
        let length = signature.len().saturating_sub(message.len());
        let fault = |field| ReadError::new(file, format_args!("line {}", block.line()), ReadFault::Missing(field));
        if signature.get(length..) != Some(&message) {
            return Err(fault("msg at the end of sm"));
        }
        signature.truncate(length);
        Ok(MlDsa {
            line: block.line(),
            seed: block.bytes("xi")?,
            verifying_key: block.bytes("pk")?,
            signing_key: block.bytes("sk")?,
            context: block.bytes("ctx")?,
            message,
            signature,
        })
    })
}

/// Reads `sign.input` from Ed25519's reference implementation. Each line contains four fields, each followed by a
/// colon. The fields are the private key with the public key, the public key, the message, and the signature with the
/// message.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn ed25519(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    let text = text(file, bytes)?;
    let mut vectors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |fault| ReadError::new(file, format_args!("line {}", index + 1), fault);
        let fields: Vec<&str> = line.split(':').collect();
        let &[keys, verifying_key, message, signed, ""] = fields.as_slice() else {
            return Err(at(ReadFault::NotAField));
        };
        let decoded =
            |name, digits| hex::decode(digits).map_err(|_| at(ReadFault::unexpected(name, "not hexadecimal")));
        let (keys, message, signed) =
            (decoded("keys", keys)?, decoded("message", message)?, decoded("signed", signed)?);
        if keys.len() != 64 || signed.len() != 64 + message.len() {
            return Err(at(ReadFault::Length { field: "signed", expected: 64 + message.len(), actual: signed.len() }));
        }
        vectors.push(Signature {
            id: format!("line {}", index + 1),
            variant: Variant::Pure,
            seed: keys[..32].to_vec(),
            verifying_key: decoded("verifying key", verifying_key)?,
            context: Vec::new(),
            message,
            signature: signed[..64].to_vec(),
            valid: true,
        });
    }
    not_empty(file, vectors)
}

/// Reads all answers. Each answer begins with a `count` field.
fn each<T>(file: &str, bytes: &[u8], read: impl Fn(Block) -> Result<T, ReadError>) -> Result<Vec<T>, ReadError> {
    let entries: Vec<Entry> = blocks(file, bytes)?.into_iter().flatten().collect();
    let mut answers = Vec::new();
    for entries in entries.chunk_by(|_, next| next.field != "count") {
        answers.push(read(Block { file, entries })?);
    }
    not_empty(file, answers)
}
