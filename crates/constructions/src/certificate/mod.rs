//! X.509 certificates (RFC 5280) with post-quantum and hybrid signatures.
//!
//! | form | signatures |
//! |---|---|
//! | alternative (X.509 (10/2019), clause 9.8) | ML-DSA-65 in extensions 2.5.29.72 to .74, and Ed25519 |
//! | composite (draft-ietf-lamps-pq-composite-sigs-19) | one signature, MLDSA65-Ed25519-SHA512 |
//! | pure (RFC 9881, RFC 9909) | one signature: ML-DSA, SLH-DSA, Ed25519 (RFC 8410), ECDSA or RSA |
//! | [`detached`] (from an earlier system) | Ed25519 in the certificate, and a separate ML-DSA-65 signature |

mod build;
mod chain;
mod client;
mod dates;
mod describe;
pub mod detached;
mod ecdsa;
mod syntax;
mod verify;

pub use build::{Profile, SigningKeys, SubjectType, build};
pub use chain::verify_chain;
pub use client::verify_server;
pub use describe::ExtensionSummary;
pub use verify::{Schemes, Signatures};

pub(crate) use build::{constraints, sign, time, usage};
pub(crate) use syntax::extension;
pub(crate) use verify::verify_encoded;

use crate::keys::{DecodeError, Identifier, PublicKey, from_pem, to_pem};
use der::Decode;
use syntax::Tbs;

pub(crate) const CERTIFICATE: &str = "certificate";

/// Reason for rejecting a certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The certificate, or a key in it, cannot be decoded or encoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A signature is invalid.
    #[error("the certificate's {0} signature is invalid")]
    Signature(&'static str),
    /// The caller passed no signature scheme for an algorithm that the certificate uses.
    #[error("no signature scheme available for {0}")]
    NoScheme(&'static str),
    /// Error from the cryptographic library.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
    /// The chain breaks a rule of RFC 5280, section 6.1.
    #[error("certificate {place} of the chain (0 is the leaf) {problem}")]
    Chain {
        /// Position of the certificate in the chain; 0 is the leaf.
        place: usize,
        /// Predicate that describes the broken rule, such as `has expired`.
        problem: &'static str,
    },
}

impl From<der::Error> for CertificateError {
    fn from(error: der::Error) -> CertificateError {
        DecodeError::der(CERTIFICATE)(error).into()
    }
}

/// A parsed certificate together with its original bytes.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    parsed: x509_cert::Certificate,
    tbs: Tbs,
    tbs_der: std::ops::Range<usize>,
    signature: &'static Identifier,
    subject_key: PublicKey,
    alternative: Option<syntax::Alternative>,
}

impl Certificate {
    /// Parses a certificate in DER. Rejects other encodings and trailing bytes.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem.
    pub fn from_der(der: &[u8]) -> Result<Certificate, DecodeError> {
        let failed = DecodeError::der(CERTIFICATE);
        let parsed = x509_cert::Certificate::from_der(der).map_err(|error| match describe::serial(der) {
            Some(serial) if describe::is_too_long(serial) => DecodeError::Structure {
                what: CERTIFICATE,
                problem: "has a serial number of more than 20 bytes, which RFC 5280 forbids",
            },
            _ if describe::has_unknown_version(der) => {
                DecodeError::Structure { what: CERTIFICATE, problem: "has a version other than 1, 2 and 3" }
            }
            _ => dates::explain(der).unwrap_or_else(|| failed(error)),
        })?;
        let (tbs_der, tbs) = syntax::read_tbs(der)?;
        // Parse the key before the signature algorithm, because errors about the key also name its size or curve.
        let subject_key = PublicKey::from_info(parsed.tbs_certificate().subject_public_key_info())?;
        let signature = Identifier::of_signature("certificate", parsed.signature_algorithm())?;
        if parsed.signature_algorithm() != parsed.tbs_certificate().signature() {
            return Err(DecodeError::Structure {
                what: CERTIFICATE,
                problem: "names different signature algorithms inside and outside the signed part",
            });
        }
        let alternative = syntax::Alternative::read(&tbs)?;
        Ok(Certificate { der: der.to_vec(), parsed, tbs, tbs_der, signature, subject_key, alternative })
    }

    /// Parses a single PEM block with the label `CERTIFICATE`. Ignores white space and line lengths.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem.
    pub fn from_pem(pem: &str) -> Result<Certificate, DecodeError> {
        Certificate::from_der(&from_pem(CERTIFICATE, "CERTIFICATE", pem)?)
    }

    /// Returns the subject name of a certificate, even if pqlab does not support its algorithms. Returns `None` if
    /// `der` is not a certificate.
    pub fn subject(der: &[u8]) -> Option<String> {
        Some(x509_cert::Certificate::from_der(der).ok()?.tbs_certificate().subject().to_string())
    }

    /// Returns the original DER.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// Returns the certificate as PEM with the label `CERTIFICATE`.
    ///
    /// # Errors
    /// [`DecodeError::Pem`] if the encoding fails, which cannot happen for a parsed certificate.
    pub fn to_pem(&self) -> Result<String, DecodeError> {
        to_pem(CERTIFICATE, "CERTIFICATE", &self.der)
    }

    /// Returns the certificate as parsed by `x509-cert`: names, validity, extensions.
    pub fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// Returns the algorithm of the signature. If the certificate also has an alternative signature, returns the
    /// classical algorithm.
    pub fn signature_algorithm(&self) -> &'static Identifier {
        self.signature
    }

    /// Returns the subject's key. If the subject also has an alternative key, returns the classical key.
    pub fn subject_key(&self) -> &PublicKey {
        &self.subject_key
    }

    /// Returns the subject's alternative key, if present (extension 2.5.29.72).
    pub fn alternative_key(&self) -> Option<&PublicKey> {
        self.alternative.as_ref().and_then(|alternative| alternative.subject_key.as_ref())
    }

    /// Returns whether the certificate contains an alternative signature (extension 2.5.29.74).
    pub fn has_alternative_signature(&self) -> bool {
        self.alternative_signature().is_some()
    }

    /// Returns the alternative signature, if present (extension 2.5.29.74).
    pub fn alternative_signature(&self) -> Option<&[u8]> {
        let (_, signature) = self.alternative.as_ref()?.signature.as_ref()?;
        Some(signature)
    }

    /// Returns the bytes covered by the signature.
    fn tbs_der(&self) -> &[u8] {
        &self.der[self.tbs_der.clone()]
    }
}
