//! X.509 certificates (RFC 5280) with post-quantum and hybrid signatures.
//!
//! | form | what signs |
//! |---|---|
//! | alternative (X.509 (10/2019), clause 9.8) | ML-DSA-65 in the extensions 2.5.29.72 to .74, and Ed25519 over the whole |
//! | composite (draft-ietf-lamps-pq-composite-sigs-19) | one signature, MLDSA65-Ed25519-SHA512 |
//! | pure (RFC 9881) | one signature of ML-DSA-44, -65 or -87; likewise the classical ones: Ed25519 (RFC 8410), ECDSA, RSA |
//! | detached (the reference form) | Ed25519 within, ML-DSA-65 over the certificate beside it: see [`detached`] |

mod build;
mod chain;
mod client;
pub mod detached;
mod ecdsa;
mod syntax;
mod verify;

pub use build::{Profile, SigningKeys, SubjectType, build};
pub use chain::verify_chain;
pub use client::verify_server;
pub use verify::{Schemes, Signatures};

use crate::keys::{DecodeError, Identifier, PublicKey, from_pem, to_pem};
use der::Decode;
use syntax::Tbs;

pub(crate) const CERTIFICATE: &str = "certificate";

/// Why a certificate is not to be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It, or a key in it, cannot be read or written.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A signature is not valid.
    #[error("the {0} signature of the certificate does not verify")]
    Signature(&'static str),
    /// No scheme was handed in for an algorithm that the certificate uses.
    #[error("no library is given for {0}")]
    NoScheme(&'static str),
    /// The library's own report.
    #[error(transparent)]
    Primitive(#[from] pqlab_primitives::Error),
    /// A rule of RFC 5280, section 6.1, is broken.
    #[error("certificate {place} of the chain (0 is the leaf) {problem}")]
    Chain {
        /// Its place in the chain.
        place: usize,
        /// Which rule.
        problem: &'static str,
    },
}

impl From<der::Error> for CertificateError {
    fn from(error: der::Error) -> CertificateError {
        DecodeError::der(CERTIFICATE)(error).into()
    }
}

/// A certificate, parsed; its bytes are kept as they came.
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
    /// Parses DER. The certificate must be as it would be written: X.509 is DER, and nothing follows.
    ///
    /// # Errors
    /// A [`DecodeError`] that says what is wrong.
    pub fn from_der(der: &[u8]) -> Result<Certificate, DecodeError> {
        let failed = DecodeError::der(CERTIFICATE);
        let parsed = x509_cert::Certificate::from_der(der).map_err(&failed)?;
        let (tbs_der, tbs) = syntax::read_tbs(der)?;
        let signature = Identifier::of_signature("certificate", parsed.signature_algorithm())?;
        if parsed.signature_algorithm() != parsed.tbs_certificate().signature() {
            return Err(DecodeError::Structure {
                what: CERTIFICATE,
                problem: "names one signature algorithm inside and another outside",
            });
        }
        let subject_key = PublicKey::from_info(parsed.tbs_certificate().subject_public_key_info())?;
        let alternative = syntax::Alternative::read(&tbs)?;
        Ok(Certificate { der: der.to_vec(), parsed, tbs, tbs_der, signature, subject_key, alternative })
    }

    /// Parses PEM with the label `CERTIFICATE`.
    ///
    /// # Errors
    /// A [`DecodeError`] that says what is wrong.
    pub fn from_pem(pem: &str) -> Result<Certificate, DecodeError> {
        Certificate::from_der(&from_pem(CERTIFICATE, "CERTIFICATE", pem)?)
    }

    /// The bytes as they came.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// PEM with the label `CERTIFICATE`.
    ///
    /// # Errors
    /// [`DecodeError::Pem`], which the length rules out.
    pub fn to_pem(&self) -> Result<String, DecodeError> {
        to_pem(CERTIFICATE, "CERTIFICATE", &self.der)
    }

    /// What `x509-cert` makes of it: names, validity, extensions.
    pub fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// The algorithm of the signature, in the alternative form that of the classical one.
    pub fn signature_algorithm(&self) -> &'static Identifier {
        self.signature
    }

    /// The key of the subject, in the alternative form the classical one.
    pub fn subject_key(&self) -> &PublicKey {
        &self.subject_key
    }

    /// The alternative key of the subject, where there is one (2.5.29.72).
    pub fn alternative_key(&self) -> Option<&PublicKey> {
        self.alternative.as_ref().and_then(|alternative| alternative.subject_key.as_ref())
    }

    /// Whether it carries an alternative signature (2.5.29.74).
    pub fn has_alternative_signature(&self) -> bool {
        self.alternative_signature().is_some()
    }

    /// The alternative signature (2.5.29.74), where there is one.
    pub fn alternative_signature(&self) -> Option<&[u8]> {
        let (_, signature) = self.alternative.as_ref()?.signature.as_ref()?;
        Some(signature)
    }

    /// The bytes that the signature covers.
    fn tbs_der(&self) -> &[u8] {
        &self.der[self.tbs_der.clone()]
    }
}
