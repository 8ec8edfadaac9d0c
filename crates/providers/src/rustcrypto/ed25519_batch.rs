//! Batch verification for Ed25519 from the `ed25519-dalek` crate.
//!
//! A single cofactorless equation checks all signatures, each multiplied by a factor that depends on all signatures in
//! the batch. One invalid signature makes the batch fail. Batch verification and single verification may disagree on a
//! signature that contains a component of small order, which only the signer can add.

use super::sized;
use crate::shared::bytes::no_context;
use ed25519_dalek::{Signature, VerifyingKey, verify_batch};
use pqlab_primitives::{BatchKey, BatchVerifier, Claim, ClaimKey, Error, Result, SignatureParameters, SignedMessage};
use std::any::Any;
use std::sync::Arc;

pub(super) fn batch_verifier() -> Arc<dyn BatchVerifier> {
    let parameters = SignatureParameters::find("Ed25519").expect("missing from the parameter table");
    Arc::new(Ed25519Batches { parameters })
}

struct Ed25519Batches {
    parameters: SignatureParameters,
}

/// Verifying key as a decompressed point.
struct Prepared(VerifyingKey);

impl BatchKey for Prepared {}

impl BatchVerifier for Ed25519Batches {
    fn parameters(&self) -> &SignatureParameters {
        &self.parameters
    }

    fn answers_for_each(&self) -> bool {
        false
    }

    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>> {
        Ok(Box::new(Prepared(load(verifying_key)?)))
    }

    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>> {
        let all: Result<Vec<_>> = claims.iter().map(parts).collect();
        let verdict = all.and_then(|all| {
            let messages: Vec<&[u8]> = all.iter().map(|(message, ..)| *message).collect();
            let signatures: Vec<Signature> = all.iter().map(|(_, signature, _)| *signature).collect();
            let keys: Vec<VerifyingKey> = all.iter().map(|(.., key)| *key).collect();
            verify_batch(&messages, &signatures, &keys).map_err(|_| Error::VerificationFailed)
        });
        vec![verdict; claims.len()]
    }
}

fn parts<'a>(claim: &Claim<'a>) -> Result<(&'a [u8], Signature, VerifyingKey)> {
    let SignedMessage::Pure { context, message } = claim.message else {
        return Err(Error::Unsupported("Ed25519 has no internal interface"));
    };
    no_context(context)?;
    let signature = Signature::from_slice(claim.signature).map_err(|_| Error::VerificationFailed)?;
    let key = match claim.key {
        ClaimKey::Encoded(bytes) => load(bytes)?,
        ClaimKey::Prepared(key) => {
            let key: &dyn Any = key;
            key.downcast_ref::<Prepared>().ok_or(Error::Malformed("key: prepared by a different verifier"))?.0
        }
    };
    Ok((message, signature, key))
}

fn load(bytes: &[u8]) -> Result<VerifyingKey> {
    VerifyingKey::from_bytes(sized("verifying key", 32, bytes)?).map_err(|_| Error::Malformed("verifying key"))
}
