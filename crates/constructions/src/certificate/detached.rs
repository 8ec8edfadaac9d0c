//! The reference form of a hybrid certificate, defined by an earlier system: a classical certificate with a detached
//! ML-DSA-65 signature. The signature covers `"qs-x509-cosig-v1" || 00 || certificate`, with the context
//! `qs-x509-cosig`. Certificate and signature are sent as the CBOR array `[certificate, signature]`.
//!
//! The earlier system's verifier reads the context from the bundle, so the sender can choose the context. Here, the
//! context is fixed. Nothing in the certificate indicates that a second signature exists, so an attacker can remove
//! that signature unnoticed. pqlab offers this form only to reproduce the earlier system's tables. Do not use it for
//! anything else.

use super::{Certificate, CertificateError};
use crate::cbor;
use crate::hybrid_signature::length::ML_DSA_65_SIGNATURE;
use pqlab_primitives::{Coins, Error, Result, SigningKey, VerifyingKey};

const PREFIX: &[u8] = b"qs-x509-cosig-v1\x00";
/// ML-DSA context of the detached signature.
pub const CONTEXT: &[u8] = b"qs-x509-cosig";
const BUNDLE: &str = "bundle of certificate and signature";

/// A certificate and its detached signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// DER of the certificate.
    pub certificate: Vec<u8>,
    /// ML-DSA-65 signature, 3309 bytes.
    pub signature: Vec<u8>,
}

impl Bundle {
    /// Signs a certificate with an ML-DSA-65 key.
    ///
    /// # Errors
    /// [`Error::Length`] if the signature has the wrong length. Propagates errors from the signing library.
    pub fn sign(certificate: &[u8], key: &dyn SigningKey, coins: Coins) -> Result<Bundle> {
        let mut signature = vec![0; ML_DSA_65_SIGNATURE];
        let length = key.sign(CONTEXT, &[PREFIX, certificate].concat(), coins, &mut signature)?;
        Error::check_length("signature", ML_DSA_65_SIGNATURE, length)?;
        Ok(Bundle { certificate: certificate.to_vec(), signature })
    }

    /// Verifies the detached signature, but not the certificate.
    ///
    /// # Errors
    /// [`Error::VerificationFailed`] if the signature is invalid.
    pub fn verify(&self, key: &dyn VerifyingKey) -> Result<()> {
        key.verify(CONTEXT, &[PREFIX, &self.certificate].concat(), &self.signature)
    }

    /// Encodes the bundle as a CBOR array.
    ///
    /// # Errors
    /// [`Error::Length`] if the signature has the wrong length.
    pub fn encode(&self) -> Result<Vec<u8>> {
        Error::check_length("signature", ML_DSA_65_SIGNATURE, self.signature.len())?;
        let mut out = vec![0; cbor::encoded_len(&[self.certificate.len(), self.signature.len()])];
        cbor::write(BUNDLE, [&self.certificate, &self.signature], &mut out)?;
        Ok(out)
    }

    /// Parses the CBOR array and the certificate in it.
    ///
    /// # Errors
    /// [`CertificateError`] if the input is malformed or not in the shortest form, or if bytes follow the array.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Bundle, CertificateError> {
        let [certificate, signature] = cbor::read_any(BUNDLE, bytes)?;
        Error::check_length("signature", ML_DSA_65_SIGNATURE, signature.len())?;
        Certificate::from_der(certificate)?;
        Ok(Bundle { certificate: certificate.to_vec(), signature: signature.to_vec() })
    }
}
