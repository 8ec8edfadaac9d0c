//! Standard encodings of keys: SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7) and PKCS #8 (RFC 5958), as DER and PEM.
//! Also computes key fingerprints. Decoding of DER is strict: re-encoding a decoded key yields the same bytes.

pub mod asn1;
mod identifier;
mod names;
mod pem;
mod private;
mod rsa;

pub use identifier::Identifier;
pub use names::algorithm_name;
pub use pem::{PemBlock, meaning as label_meaning};
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
        /// Name of the expected structure.
        what: &'static str,
        /// Description of the problem, with its byte offset.
        detail: String,
    },
    /// The input is not PEM with the expected label.
    #[error("the {what} is not valid PEM: {detail}")]
    Pem {
        /// Name of the expected structure.
        what: &'static str,
        /// Description of the problem.
        detail: String,
    },
    /// The algorithm identifier is unknown or has unexpected parameters.
    #[error("the {what} names the algorithm {}, {problem}", names::with_name(oid))]
    Algorithm {
        /// Name of the structure that contains the identifier.
        what: &'static str,
        /// Object identifier of the algorithm, in dotted decimal notation.
        oid: String,
        /// Description of the problem.
        problem: &'static str,
    },
    /// pqlab recognizes but does not support this kind of key, such as RSA-3072.
    #[error("the {what} is {found}; supported: {supported}")]
    Unsupported {
        /// Name of the structure that contains the key.
        what: &'static str,
        /// Kind of key that was found.
        found: String,
        /// Supported kind of key.
        supported: &'static str,
    },
    /// A part has the wrong length in bytes for its algorithm.
    #[error("the {algorithm} {what} has {actual} bytes, expected {expected}")]
    Length {
        /// Name of the part.
        what: &'static str,
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Length in bytes that the standard requires.
        expected: usize,
        /// Actual length in bytes.
        actual: usize,
    },
    /// A private key contains a seed and an expanded key that do not match (RFC 9881, section 6).
    #[error("the {algorithm} seed and expanded key do not match")]
    Inconsistent {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A structure contains a private key and a public key that do not match.
    #[error("the {algorithm} private key does not match the public key stored with it")]
    OtherPublicKey {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// An expanded ML-KEM key cannot decapsulate ciphertexts for its own encapsulation key.
    #[error(
        "the expanded {algorithm} key is invalid: H(ek) or the secret part does not match the encapsulation key \
         (FIPS 203, section 7.3)"
    )]
    InvalidExpandedKey {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A private key's signatures do not verify with the public key that the private key contains.
    #[error("the {algorithm} key is invalid: {problem}")]
    InvalidSigningKey {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Description of the problem.
        problem: &'static str,
    },
    /// Two parts contradict each other, or a part is missing.
    #[error("the {what} {problem}")]
    Structure {
        /// Name of the structure.
        what: &'static str,
        /// Description of the problem.
        problem: &'static str,
    },
    /// A certificate contains a date that is malformed or not supported. Contains the name of the date and a predicate.
    #[error("the certificate's date {0}")]
    Date(String),
    /// The library rejected the key.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
}

impl DecodeError {
    pub(crate) fn der(what: &'static str) -> impl Fn(der::Error) -> DecodeError {
        move |error| DecodeError::Der { what, detail: error.to_string() }
    }

    /// Replaces the name of the structure.
    fn about(self, structure: &'static str) -> DecodeError {
        match self {
            DecodeError::Der { detail, .. } => DecodeError::Der { what: structure, detail },
            DecodeError::Algorithm { oid, problem, .. } => DecodeError::Algorithm { what: structure, oid, problem },
            DecodeError::Unsupported { found, supported, .. } => {
                DecodeError::Unsupported { what: structure, found, supported }
            }
            DecodeError::Structure { problem, .. } => DecodeError::Structure { what: structure, problem },
            other => other,
        }
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
    /// [`DecodeError::Length`] if `bytes` has the wrong length for the algorithm, [`DecodeError::Unsupported`] for RSA
    /// keys other than RSA-2048 with the exponent 65537, and [`DecodeError::Structure`] for compressed points.
    pub fn new(identifier: &'static Identifier, bytes: &[u8]) -> Result<PublicKey, DecodeError> {
        let (expected, actual) = (identifier.public_key(), bytes.len());
        let rsa = identifier.algorithm == rsa::SUPPORTED;
        if let Some(found) = rsa::public_name(bytes).filter(|found| rsa && found != rsa::SUPPORTED) {
            return Err(DecodeError::Unsupported { what: "public key", found, supported: rsa::REQUIRED });
        }
        if identifier.curve().is_some() && is_compressed(bytes) {
            let problem = "is a compressed point; convert it with `openssl ec -pubin -conv_form uncompressed`";
            return Err(DecodeError::Structure { what: "public key", problem });
        }
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

    /// Returns the encoded key, in the format that the algorithm's standard defines.
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

    /// Encodes the key as a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`DecodeError::Der`] if the encoding fails, which cannot happen at these lengths.
    pub fn to_der(&self) -> Result<Vec<u8>, DecodeError> {
        self.info()?.to_der().map_err(DecodeError::der(PUBLIC))
    }

    /// Parses a SubjectPublicKeyInfo in DER.
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

    /// Parses a single PEM block with the label `PUBLIC KEY`. Ignores white space and line lengths.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem.
    pub fn from_pem(pem: &str) -> Result<PublicKey, DecodeError> {
        PublicKey::from_der(&from_pem(PUBLIC, "PUBLIC KEY", pem)?)
    }

    /// Returns the fingerprint: the SHA-256 digest of the key's SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`DecodeError::Primitive`] if the hash is not SHA-256 or fails.
    pub fn fingerprint(&self, sha256: &dyn Hash) -> Result<[u8; 32], DecodeError> {
        digest(sha256, &self.to_der()?)
    }

    /// Returns the key identifier for use in certificates (RFC 7093, section 2, method 1): the first 160 bits of a
    /// SHA-256 digest. The digest covers the BIT STRING subjectPublicKey without its tag, length and number of unused
    /// bits.
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

/// Returns whether the bytes are a compressed point on P-256 (SEC 1, section 2.3.3).
fn is_compressed(point: &[u8]) -> bool {
    matches!(point, [2 | 3, x @ ..] if x.len() == 32)
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

pub(crate) fn from_pem(
    what: &'static str,
    label: &'static str,
    pem: &str,
) -> Result<zeroize::Zeroizing<Vec<u8>>, DecodeError> {
    PemBlock::only(what, label, pem)?.der
}

/// Returns an AlgorithmIdentifier without parameters.
pub(crate) fn bare(oid: der::asn1::ObjectIdentifier) -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid, parameters: None }
}

/// Hybrid keys in the reference form of an earlier system: a CBOR array of two byte strings, the classical half first.
pub mod cbor_pair {
    use crate::cbor;
    use pqlab_primitives::Result;

    const WHAT: &str = "pair of keys";

    /// Encodes the keys of the two halves.
    ///
    /// # Errors
    /// Never fails, because the output buffer always has the right length.
    pub fn encode(classical: &[u8], post_quantum: &[u8]) -> Result<Vec<u8>> {
        let mut out = vec![0; cbor::encoded_len(&[classical.len(), post_quantum.len()])];
        cbor::write(WHAT, [classical, post_quantum], &mut out)?;
        Ok(out)
    }

    /// Decodes the keys of the two halves, which must have the given lengths in bytes. The array must be encoded in the
    /// shortest form, without trailing bytes.
    ///
    /// # Errors
    /// [`pqlab_primitives::Error::Malformed`] if `bytes` breaks one of these rules.
    pub fn decode(bytes: &[u8], lengths: [usize; 2]) -> Result<[&[u8]; 2]> {
        cbor::read(WHAT, bytes, lengths)
    }
}
