//! The reference form: a detached ML-DSA-65 signature over `"qs-x509-cosig-v1" || 00 || certificate`, with the context
//! `qs-x509-cosig`, beside a certificate that is classical itself; packed as the CBOR array `[certificate, signature]`.
//!
//! The reference's verifier took the context from the bundle, which whoever sends it chooses: here it is fixed. Nothing in
//! the certificate says that there is a second signature, so that whoever drops it is not found out: kept so that the
//! reference's tables can be reproduced, not for use.

use super::{Certificate, CertificateError};
use crate::cbor;
use crate::hybrid_signature::length::ML_DSA_65_SIGNATURE;
use pqlab_primitives::{Coins, Error, Result, SigningKey, VerifyingKey};

const PREFIX: &[u8] = b"qs-x509-cosig-v1\x00";
/// The context of the signature.
pub const CONTEXT: &[u8] = b"qs-x509-cosig";
const BUNDLE: &str = "bundle of certificate and signature";

/// A certificate and the signature beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// DER of the certificate.
    pub certificate: Vec<u8>,
    /// ML-DSA-65 signature, 3309 bytes.
    pub signature: Vec<u8>,
}

impl Bundle {
    /// Signs a certificate with the key of ML-DSA-65.
    ///
    /// # Errors
    /// What the library says.
    pub fn sign(certificate: &[u8], key: &dyn SigningKey, coins: Coins) -> Result<Bundle> {
        let mut signature = vec![0; ML_DSA_65_SIGNATURE];
        let length = key.sign(CONTEXT, &[PREFIX, certificate].concat(), coins, &mut signature)?;
        Error::check_length("signature", ML_DSA_65_SIGNATURE, length)?;
        Ok(Bundle { certificate: certificate.to_vec(), signature })
    }

    /// Verifies the signature, and nothing of the certificate itself.
    ///
    /// # Errors
    /// [`Error::VerificationFailed`].
    pub fn verify(&self, key: &dyn VerifyingKey) -> Result<()> {
        key.verify(CONTEXT, &[PREFIX, &self.certificate].concat(), &self.signature)
    }

    /// The CBOR array.
    ///
    /// # Errors
    /// [`Error::Length`] if the signature has not its length.
    pub fn encode(&self) -> Result<Vec<u8>> {
        Error::check_length("signature", ML_DSA_65_SIGNATURE, self.signature.len())?;
        let mut out = vec![0; cbor::encoded_len(&[self.certificate.len(), self.signature.len()])];
        cbor::write(BUNDLE, [&self.certificate, &self.signature], &mut out)?;
        Ok(out)
    }

    /// Reads the CBOR array; the certificate must be one.
    ///
    /// # Errors
    /// [`CertificateError`] that says what is wrong; trailing bytes and longer forms of the same array are.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Bundle, CertificateError> {
        let [certificate, signature] = cbor::read_any(BUNDLE, bytes)?;
        Error::check_length("signature", ML_DSA_65_SIGNATURE, signature.len())?;
        Certificate::from_der(certificate)?;
        Ok(Bundle { certificate: certificate.to_vec(), signature: signature.to_vec() })
    }
}
