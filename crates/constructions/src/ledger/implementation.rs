//! Who verifies the signatures of a scheme, one by one or many at once, and what is handed over to be verified.

use super::{DIGEST, Rejection, Scheme};
use pqlab_primitives::{
    BatchKey, BatchVerifier, Claim, ClaimKey, Error, Result, SignatureScheme, SignedMessage, VerifyingKey,
};
use std::sync::Arc;

/// Who verifies the signatures of a scheme.
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

/// A sender's key, prepared by the implementation that is to use it.
#[derive(Clone)]
pub enum PreparedKey {
    /// For single verifications.
    Single(Arc<dyn VerifyingKey>),
    /// For batches.
    Batch(Arc<dyn BatchKey>),
}

impl PreparedKey {
    /// An encoding that no key has stands for one that is not for batches: the claim is refused.
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

/// A transaction that is well-formed and made for the verifier's chain: what is left is its signature.
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

/// A verdict on each claim, whatever the library returns.
pub(super) fn verify_claims(batches: &dyn BatchVerifier, claims: &[Claim<'_>]) -> Vec<Result<(), Rejection>> {
    let verdicts = batches.verify(claims);
    if verdicts.len() != claims.len() {
        let what = format!("{} verdicts on {} signatures", verdicts.len(), claims.len());
        return vec![Err(Rejection::Library(what.into())); claims.len()];
    }
    let rejection = |error| match error {
        Error::VerificationFailed => Rejection::WrongSignature,
        // A signature of whatever form is one that is not valid: what else is wrong is the key.
        other => Rejection::of_key(other),
    };
    verdicts.into_iter().map(|verdict| verdict.map_err(rejection)).collect()
}
