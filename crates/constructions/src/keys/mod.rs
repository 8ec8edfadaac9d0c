//! Fingerprints, and standard encodings of keys: SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7) and PKCS #8 (RFC
//! 5958), as DER and PEM. Decoding is strict: it accepts exactly the bytes that encoding produces.

mod identifier;
mod private;

pub use identifier::Identifier;
pub use private::{PrivateKey, PrivateKeyForm};

use der::asn1::BitString;
use der::{Decode, Encode, pem::LineEnding};
use pqlab_primitives::Hash;
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

/// Reason for rejecting an encoded key or certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The input is not DER of the expected type.
    #[error("the {what} is not valid DER: {detail}")]
    Der {
        /// Expected structure.
        what: &'static str,
        /// Problem and byte offset.
        detail: String,
    },
    /// The input is not PEM with the expected label.
    #[error("the {what} is not valid PEM: {detail}")]
    Pem {
        /// Expected structure.
        what: &'static str,
        /// Description of the problem.
        detail: String,
    },
    /// The algorithm identifier is unknown or has unexpected parameters.
    #[error("the {what} names the algorithm {oid}, {problem}")]
    Algorithm {
        /// Structure that contains the identifier.
        what: &'static str,
        /// Object identifier.
        oid: String,
        /// Description of the problem.
        problem: &'static str,
    },
    /// A part has the wrong length in bytes for its algorithm.
    #[error("the {what} of {algorithm} has {actual} bytes, expected {expected}")]
    Length {
        /// Name of the part.
        what: &'static str,
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Length required by the standard.
        expected: usize,
        /// Actual length.
        actual: usize,
    },
    /// A private key contains a seed and an expanded key that do not match (RFC 9881, section 6).
    #[error("the seed and the expanded key of {algorithm} do not match")]
    Inconsistent {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// Two parts contradict each other, or a part is missing.
    #[error("the {what} {problem}")]
    Structure {
        /// Name of the structure.
        what: &'static str,
        /// Description of the problem.
        problem: &'static str,
    },
    /// The library rejected the key.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
}

impl DecodeError {
    pub(crate) fn der(what: &'static str) -> impl Fn(der::Error) -> DecodeError {
        move |error| DecodeError::Der { what, detail: error.to_string() }
    }
}

/// Length in bytes of a key identifier.
pub const KEY_IDENTIFIER: usize = 20;

/// A public key: algorithm and encoded key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    identifier: &'static Identifier,
    bytes: Vec<u8>,
}

const PUBLIC: &str = "SubjectPublicKeyInfo";

impl PublicKey {
    /// Creates a public key.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if `bytes` has the wrong length for the algorithm.
    pub fn new(identifier: &'static Identifier, bytes: &[u8]) -> Result<PublicKey, DecodeError> {
        let (expected, actual) = (identifier.public_key(), bytes.len());
        if expected == actual {
            Ok(PublicKey { identifier, bytes: bytes.to_vec() })
        } else {
            Err(DecodeError::Length { what: "public key", algorithm: identifier.algorithm, expected, actual })
        }
    }

    /// Returns the identifier of the key's algorithm.
    pub fn identifier(&self) -> &'static Identifier {
        self.identifier
    }

    /// Returns the key, encoded as the algorithm's standard defines.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the key as SubjectPublicKeyInfo.
    pub(crate) fn info(&self) -> Result<SubjectPublicKeyInfoOwned, DecodeError> {
        Ok(SubjectPublicKeyInfoOwned {
            algorithm: self.identifier.of_its_keys(),
            subject_public_key: BitString::from_bytes(&self.bytes).map_err(DecodeError::der(PUBLIC))?,
        })
    }

    pub(crate) fn from_info(info: &SubjectPublicKeyInfoOwned) -> Result<PublicKey, DecodeError> {
        let identifier = Identifier::of_key(PUBLIC, &info.algorithm)?;
        let bytes = info.subject_public_key.as_bytes();
        PublicKey::new(identifier, bytes.ok_or(DecodeError::Structure { what: PUBLIC, problem: "has unused bits" })?)
    }

    /// Encodes the key as DER of a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`DecodeError::Der`] if the encoding fails, which cannot happen at these lengths.
    pub fn to_der(&self) -> Result<Vec<u8>, DecodeError> {
        self.info()?.to_der().map_err(DecodeError::der(PUBLIC))
    }

    /// Parses the DER of a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem. Rejects trailing bytes.
    pub fn from_der(der: &[u8]) -> Result<PublicKey, DecodeError> {
        PublicKey::from_info(&SubjectPublicKeyInfoOwned::from_der(der).map_err(DecodeError::der(PUBLIC))?)
    }

    /// Encodes the key as PEM with the label `PUBLIC KEY`.
    ///
    /// # Errors
    /// Same as [`to_der`](Self::to_der).
    pub fn to_pem(&self) -> Result<String, DecodeError> {
        to_pem(PUBLIC, "PUBLIC KEY", &self.to_der()?)
    }

    /// Parses PEM with the label `PUBLIC KEY`.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem.
    pub fn from_pem(pem: &str) -> Result<PublicKey, DecodeError> {
        PublicKey::from_der(&from_pem(PUBLIC, "PUBLIC KEY", pem)?)
    }

    /// Returns the fingerprint: SHA-256 of the DER of the SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`DecodeError::Primitive`] if the hash is not SHA-256 or fails.
    pub fn fingerprint(&self, sha256: &dyn Hash) -> Result<[u8; 32], DecodeError> {
        digest(sha256, &self.to_der()?)
    }

    /// Returns the key identifier for use in certificates: the first 160 bits of the SHA-256 of the BIT STRING
    /// subjectPublicKey, without its tag, length and number of unused bits (RFC 7093, section 2, method 1).
    ///
    /// # Errors
    /// [`DecodeError::Primitive`] if the hash is not SHA-256 or fails.
    pub fn key_identifier(&self, sha256: &dyn Hash) -> Result<[u8; KEY_IDENTIFIER], DecodeError> {
        let digest = digest(sha256, &self.bytes)?;
        let mut identifier = [0; KEY_IDENTIFIER];
        identifier.copy_from_slice(&digest[..KEY_IDENTIFIER]);
        Ok(identifier)
    }
}

fn digest(sha256: &dyn Hash, message: &[u8]) -> Result<[u8; 32], DecodeError> {
    if sha256.info().algorithm != "SHA-256" {
        return Err(pqlab_primitives::Error::Unsupported("fingerprints and key identifiers require SHA-256").into());
    }
    let mut digest = [0; 32];
    sha256.digest(message, &mut digest)?;
    Ok(digest)
}

pub(crate) fn to_pem(what: &'static str, label: &'static str, der: &[u8]) -> Result<String, DecodeError> {
    der::pem::encode_string(label, LineEnding::LF, der)
        .map_err(|error| DecodeError::Pem { what, detail: error.to_string() })
}

pub(crate) fn from_pem(what: &'static str, label: &'static str, pem: &str) -> Result<Vec<u8>, DecodeError> {
    let (found, der) =
        der::pem::decode_vec(pem.as_bytes()).map_err(|error| DecodeError::Pem { what, detail: error.to_string() })?;
    if found == label {
        Ok(der)
    } else {
        Err(DecodeError::Pem { what, detail: format!("the label is {found:?}, expected {label:?}") })
    }
}

/// Returns an AlgorithmIdentifier without parameters.
pub(crate) fn bare(oid: der::asn1::ObjectIdentifier) -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid, parameters: None }
}

/// Key pairs in the reference form: a CBOR array of two byte strings, the classical half first.
pub mod cbor_pair {
    use crate::cbor;
    use pqlab_primitives::Result;

    const WHAT: &str = "pair of keys";

    /// Encodes a pair of keys.
    ///
    /// # Errors
    /// Never fails for two byte strings.
    pub fn encode(classical: &[u8], post_quantum: &[u8]) -> Result<Vec<u8>> {
        let mut out = vec![0; cbor::encoded_len(&[classical.len(), post_quantum.len()])];
        cbor::write(WHAT, [classical, post_quantum], &mut out)?;
        Ok(out)
    }

    /// Decodes a pair of keys with the given lengths in bytes. Requires the shortest form and no trailing bytes.
    ///
    /// # Errors
    /// [`pqlab_primitives::Error::Malformed`] if the input breaks one of these rules.
    pub fn decode(bytes: &[u8], lengths: [usize; 2]) -> Result<[&[u8]; 2]> {
        cbor::read(WHAT, bytes, lengths)
    }
}
