//! Implementations that verify a scheme's signatures one at a time or in batches, and their inputs.

use super::{DIGEST, Rejection, Scheme};
use pqlab_primitives::{
    BatchKey, BatchVerifier, Claim, ClaimKey, Error, Result, SignatureScheme, SignedMessage, VerifyingKey,
};
use std::sync::Arc;

/// An implementation that verifies signatures of one scheme.
pub(super) enum Implementation {
    Single(Arc<dyn SignatureScheme>),
    Batches(Arc<dyn BatchVerifier>),
}

impl Implementation {
    pub(super) fn prepare(&self, public_key: &[u8]) -> Result<PreparedKey> {
        Ok(match self {
            Implementation::Single(scheme) => PreparedKey::Single(Arc::from(scheme.load_verifying_key(public_key)?)),
            Implementation::Batches(batches) => PreparedKey::Batch(Arc::from(batches.prepare(public_key)?)),
        })
    }
}

/// A sender's key, prepared for the implementation that will use it.
#[derive(Clone)]
pub enum PreparedKey {
    /// Key for verifying one signature at a time.
    Single(Arc<dyn VerifyingKey>),
    /// Key for verifying signatures in batches.
    Batch(Arc<dyn BatchKey>),
}

impl PreparedKey {
    /// Returns the key for a batch claim. Turns a key prepared for single verification into an
    /// invalid encoding, so that the verifier rejects the claim.
    pub(super) fn of_claim(&self) -> ClaimKey<'_> {
        match self {
            PreparedKey::Single(_) => ClaimKey::Encoded(&[]),
            PreparedKey::Batch(key) => ClaimKey::Prepared(key.as_ref()),
        }
    }
}

impl std::fmt::Debug for PreparedKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            PreparedKey::Single(_) => "PreparedKey::Single",
            PreparedKey::Batch(_) => "PreparedKey::Batch",
        })
    }
}

/// A well-formed transaction for the verifier's chain, with a signature that is not yet verified.
#[derive(Clone, Copy, Debug)]
pub struct Examined<'a> {
    pub(super) scheme: Scheme,
    pub(super) public_key: &'a [u8],
    pub(super) digest: [u8; DIGEST],
    pub(super) signature: &'a [u8],
}

impl Examined<'_> {
    pub(super) fn claim<'c>(&'c self, key: ClaimKey<'c>) -> Claim<'c> {
        let message = SignedMessage::Pure { context: &[], message: &self.digest };
        Claim { key, message, signature: self.signature }
    }
}

/// Verifies claims and always returns one verdict per claim. Rejects all claims if the library returns the wrong number
/// of verdicts.
pub(super) fn verify_claims(batches: &dyn BatchVerifier, claims: &[Claim<'_>]) -> Vec<Result<(), Rejection>> {
    let verdicts = batches.verify(claims);
    if verdicts.len() != claims.len() {
        let what = format!("wrong number of verdicts ({}, expected {})", verdicts.len(), claims.len());
        return vec![Err(Rejection::Library(what.into())); claims.len()];
    }
    let rejection = |error| match error {
        Error::VerificationFailed => Rejection::WrongSignature,
        // A malformed signature yields `VerificationFailed`, so any other error concerns the key.
        other => Rejection::of_key(other),
    };
    verdicts.into_iter().map(|verdict| verdict.map_err(rejection)).collect()
}
