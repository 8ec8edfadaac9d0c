//! Verifies the signatures in a certificate with the issuer's keys.

use super::{Certificate, CertificateError, ecdsa};
use crate::keys::{Identifier, PublicKey};
use pqlab_primitives::{Error, SignatureParameters, SignatureScheme, VerifyingKey};
use std::sync::Arc;

/// Signature schemes for verifying certificates, one per algorithm.
#[derive(Clone, Default)]
pub struct Schemes(Vec<Arc<dyn SignatureScheme>>);

impl Schemes {
    /// Collects schemes. If several schemes implement the same algorithm, uses the first one.
    pub fn new(schemes: Vec<Arc<dyn SignatureScheme>>) -> Schemes {
        Schemes(schemes)
    }

    /// Returns the scheme for an algorithm.
    ///
    /// # Errors
    /// [`CertificateError::NoScheme`] if no scheme implements the algorithm.
    pub fn get(&self, identifier: &'static Identifier) -> Result<&dyn SignatureScheme, CertificateError> {
        let mut schemes = self.0.iter();
        let found = schemes.find(|scheme| scheme.info().parameters.algorithm == identifier.algorithm);
        found.map(Arc::as_ref).ok_or(CertificateError::NoScheme(identifier.algorithm))
    }
}

/// Signatures that [`Certificate::verify`] found valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signatures {
    /// One signature: classical, pure post-quantum, or composite.
    One,
    /// A classical and an alternative signature.
    Both,
}

impl Certificate {
    /// Verifies every signature in the certificate with the issuer's keys. If the issuer has an alternative key, the
    /// alternative signature is mandatory. Otherwise, an attacker who breaks the classical key could remove the
    /// alternative signature unnoticed.
    ///
    /// # Errors
    /// [`CertificateError::Signature`] naming the signature that is missing or invalid.
    pub fn verify(&self, issuer: &Certificate, schemes: &Schemes) -> Result<Signatures, CertificateError> {
        let signature = self.parsed.signature().as_bytes().ok_or(CertificateError::Signature("outer"))?;
        verify(schemes, "outer", self.signature, issuer.subject_key(), self.tbs_der(), signature)?;
        match (self.has_alternative_signature(), issuer.alternative_key()) {
            (false, None) => Ok(Signatures::One),
            _ => self.verify_alternative(issuer, schemes).map(|()| Signatures::Both),
        }
    }

    /// Verifies only the alternative signature, with the issuer's alternative key. To decide whether to trust the
    /// certificate, use [`verify`](Self::verify).
    ///
    /// # Errors
    /// [`CertificateError::Signature`] if the signature is missing or invalid, or if the issuer has no alternative key.
    pub fn verify_alternative(&self, issuer: &Certificate, schemes: &Schemes) -> Result<(), CertificateError> {
        const WHICH: &str = "alternative";
        let signature = self.alternative.as_ref().and_then(|alternative| alternative.signature.as_ref());
        let (Some((algorithm, value)), Some(key)) = (signature, issuer.alternative_key()) else {
            return Err(CertificateError::Signature(WHICH));
        };
        verify(schemes, WHICH, algorithm, key, &self.tbs.without_signatures()?, value)
    }
}

fn verify(
    schemes: &Schemes,
    which: &'static str,
    algorithm: &'static Identifier,
    key: &PublicKey,
    message: &[u8],
    signature: &[u8],
) -> Result<(), CertificateError> {
    if key.identifier() != algorithm {
        return Err(CertificateError::Signature(which));
    }
    let key = schemes.get(algorithm)?.load_verifying_key(key.as_bytes())?;
    verify_encoded(algorithm, key.as_ref(), message, signature).map_err(|error| match error {
        Error::VerificationFailed => CertificateError::Signature(which),
        other => other.into(),
    })
}

/// Verifies a signature in the encoding that certificates use, with a loaded key and an empty context.
pub(crate) fn verify_encoded(
    algorithm: &Identifier,
    key: &dyn VerifyingKey,
    message: &[u8],
    signature: &[u8],
) -> Result<(), Error> {
    if !ecdsa::is(algorithm) {
        return key.verify(&[], message, signature);
    }
    let length = SignatureParameters::find(algorithm.algorithm).map(|parameters| parameters.signature);
    let fixed = length.and_then(|length| ecdsa::from_der(signature, length)).ok_or(Error::VerificationFailed)?;
    key.verify(&[], message, &fixed)
}
