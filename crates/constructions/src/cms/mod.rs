//! Detached signatures of files in CMS (RFC 5652): a SignedData with one signer, the digest of the file and the
//! signature, but not the file itself.
//!
//! The signature covers two signed attributes, the content type and the digest of the content. Each signature algorithm
//! has one digest algorithm ([`cms_digest`]).

mod syntax;

use crate::certificate::{CertificateError, sign as sign_message, verify_encoded};
use crate::keys::{DecodeError, Identifier, KEY_IDENTIFIER};
use const_oid::ObjectIdentifier;
use der::Encode;
use pqlab_primitives::{Coins, Error, Hash, SigningKey, VerifyingKey, cms_digest};
use syntax::Parts;

const SIGNED_DATA: &str = "SignedData";

/// Reason for rejecting a SignedData.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CmsError {
    /// The SignedData is malformed, or has a form that is not supported.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The SignedData names a different key or signature algorithm.
    #[error("the SignedData was not signed with the trusted key")]
    Key,
    /// The signature over the signed attributes is invalid.
    #[error("the signature in the SignedData is invalid")]
    Signature,
    /// The signed digest belongs to different content.
    #[error("the SignedData belongs to different content")]
    Content,
    /// The signature cannot be created.
    #[error(transparent)]
    Signing(#[from] CertificateError),
    /// Error from the cryptographic library.
    #[error(transparent)]
    Primitive(#[from] Error),
}

impl From<der::Error> for CmsError {
    fn from(error: der::Error) -> CmsError {
        DecodeError::der(SIGNED_DATA)(error).into()
    }
}

/// Digest algorithm of the content.
#[derive(Debug, PartialEq, Eq)]
struct DigestAlgorithm {
    name: &'static str,
    oid: ObjectIdentifier,
}

static DIGESTS: [DigestAlgorithm; 2] = [
    DigestAlgorithm { name: "SHA-256", oid: ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1") },
    DigestAlgorithm { name: "SHA-512", oid: ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3") },
];

impl DigestAlgorithm {
    /// Returns the digest algorithm for a signature algorithm. `None` if pqlab does not support the signature algorithm
    /// in CMS.
    fn of_signature(algorithm: &str) -> Option<&'static DigestAlgorithm> {
        let name = cms_digest(algorithm)?;
        DIGESTS.iter().find(|algorithm| algorithm.name == name)
    }

    fn digest(&self, hash: &dyn Hash, content: &[u8]) -> Result<Vec<u8>, Error> {
        if hash.info().algorithm != self.name {
            return Err(Error::Unsupported("the signature algorithm requires a different digest algorithm"));
        }
        let mut digest = vec![0; hash.info().digest];
        hash.digest(content, &mut digest)?;
        Ok(digest)
    }
}

/// Private key of a signer.
pub struct Signer<'a> {
    /// Algorithm of the signature.
    pub identifier: &'static Identifier,
    /// Private key.
    pub key: &'a dyn SigningKey,
    /// Subject key identifier in the signer's certificate.
    pub key_identifier: [u8; KEY_IDENTIFIER],
}

/// Public key that a verifier trusts.
pub struct TrustedKey<'a> {
    /// Algorithm of the signatures.
    pub identifier: &'static Identifier,
    /// Public key.
    pub key: &'a dyn VerifyingKey,
    /// Subject key identifier in the signer's certificate.
    pub key_identifier: [u8; KEY_IDENTIFIER],
}

/// Signs content. Returns a ContentInfo with a detached SignedData in DER, without certificates. `hash` must be the
/// [digest algorithm](cms_digest) of the signature algorithm.
///
/// # Errors
/// [`Error::Unsupported`] if the algorithm is not supported in CMS or `hash` is a different algorithm. Propagates errors
/// from the libraries.
pub fn sign(signer: &Signer, hash: &dyn Hash, content: &[u8], coins: Coins) -> Result<Vec<u8>, CmsError> {
    let algorithm = DigestAlgorithm::of_signature(signer.identifier.algorithm)
        .ok_or(Error::Unsupported("pqlab does not support this signature algorithm in CMS"))?;
    let attributes = syntax::attributes(&algorithm.digest(hash, content)?)?;
    let signature = sign_message(signer.key, signer.identifier, &attributes.to_der()?, coins)?;
    Ok(syntax::encode(signer.identifier, algorithm, &signer.key_identifier, attributes, &signature)?)
}

/// A decoded SignedData with one signer.
#[derive(Clone, Debug)]
pub struct SignedData(Parts);

impl SignedData {
    /// Decodes a ContentInfo with a SignedData in DER. Ignores certificates and revocation lists.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem. Rejects other encodings, trailing bytes, more than one signer, missing
    /// signed attributes, unsigned attributes, and other digest algorithms than the signature algorithm's.
    pub fn from_der(der: &[u8]) -> Result<SignedData, DecodeError> {
        Parts::read(der).map(SignedData)
    }

    /// Returns the algorithm of the signature.
    pub fn signature_algorithm(&self) -> &'static Identifier {
        self.0.identifier
    }

    /// Returns the content, if it is not detached.
    pub fn content(&self) -> Option<&[u8]> {
        self.0.content.as_deref()
    }

    /// Verifies the signature over the signed attributes, then the digest of the content in them. `hash` must be the
    /// [digest algorithm](cms_digest) of the signature algorithm.
    ///
    /// # Errors
    /// - [`CmsError::Key`] if the SignedData names a different key or signature algorithm.
    /// - [`CmsError::Signature`] if the signature is invalid.
    /// - [`CmsError::Content`] if the digest belongs to different content.
    pub fn verify(&self, trusted: &TrustedKey, hash: &dyn Hash, content: &[u8]) -> Result<(), CmsError> {
        let parts = &self.0;
        let is_named = parts.key_identifier.as_ref().is_none_or(|named| *named == trusted.key_identifier);
        if parts.identifier != trusted.identifier || !is_named {
            return Err(CmsError::Key);
        }
        let verified = verify_encoded(trusted.identifier, trusted.key, &parts.attributes, &parts.signature);
        verified.map_err(|error| match error {
            Error::VerificationFailed => CmsError::Signature,
            other => other.into(),
        })?;
        if parts.algorithm.digest(hash, content)? == parts.digest { Ok(()) } else { Err(CmsError::Content) }
    }
}
