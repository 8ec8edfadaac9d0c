//! Verifying a certificate's signatures with the key of its issuer.

use super::{Certificate, CertificateError, ecdsa};
use crate::keys::{Identifier, PublicKey};
use pqlab_primitives::{Error, SignatureScheme};
use std::sync::Arc;

/// The signature schemes that certificates are verified with, one for each algorithm.
#[derive(Clone, Default)]
pub struct Schemes(Vec<Arc<dyn SignatureScheme>>);

impl Schemes {
    /// These schemes; of two for one algorithm, the first.
    pub fn new(schemes: Vec<Arc<dyn SignatureScheme>>) -> Schemes {
        Schemes(schemes)
    }

    /// The scheme for an algorithm.
    ///
    /// # Errors
    /// [`CertificateError::NoScheme`].
    pub fn get(&self, identifier: &'static Identifier) -> Result<&dyn SignatureScheme, CertificateError> {
        let mut schemes = self.0.iter();
        let found = schemes.find(|scheme| scheme.info().parameters.algorithm == identifier.algorithm);
        found.map(Arc::as_ref).ok_or(CertificateError::NoScheme(identifier.algorithm))
    }
}

/// Which signatures a certificate was found to carry, both valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signatures {
    /// One: classical, pure post-quantum, or composite.
    One,
    /// A classical and an alternative one.
    Both,
}

impl Certificate {
    /// Verifies every signature that the certificate carries with the keys of its issuer. An issuer that has an
    /// alternative key must have signed with it: else whoever breaks the classical key could leave it out.
    ///
    /// # Errors
    /// [`CertificateError::Signature`] naming the signature that is missing or not valid.
    pub fn verify(&self, issuer: &Certificate, schemes: &Schemes) -> Result<Signatures, CertificateError> {
        let signature = self.parsed.signature().as_bytes().ok_or(CertificateError::Signature("outer"))?;
        verify(schemes, "outer", self.signature, issuer.subject_key(), self.tbs_der(), signature)?;
        match (self.has_alternative_signature(), issuer.alternative_key()) {
            (false, None) => Ok(Signatures::One),
            _ => self.verify_alternative(issuer, schemes).map(|()| Signatures::Both),
        }
    }

    /// Verifies the alternative signature alone, with the alternative key of the issuer. That is half of an answer: whether the
    /// certificate is to be believed, [`verify`](Self::verify) says.
    ///
    /// # Errors
    /// [`CertificateError::Signature`] if it is missing, if the issuer has no alternative key, or if it is not valid.
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
    let scheme = schemes.get(algorithm)?;
    let key = scheme.load_verifying_key(key.as_bytes())?;
    let fixed;
    let signature = if ecdsa::is(algorithm) {
        fixed =
            ecdsa::from_der(signature, scheme.info().parameters.signature).ok_or(CertificateError::Signature(which))?;
        &fixed
    } else {
        signature
    };
    key.verify(&[], message, signature).map_err(|error| match error {
        Error::VerificationFailed => CertificateError::Signature(which),
        other => other.into(),
    })
}
