//! Answer checks that all signature trials share.

use super::Mode;
use crate::fault;
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use std::sync::Arc;

/// Signature scheme, mode of signing, and another signer's key. Verification with this key must reject the trial's
/// signatures.
pub(crate) struct Setting {
    pub(crate) scheme: Arc<dyn SignatureScheme>,
    pub(crate) mode: Mode,
    pub(crate) other_key: Box<dyn VerifyingKey>,
}

impl Setting {
    /// Creates a setting. `other` is the key pair of a different signer.
    ///
    /// # Errors
    /// Errors from the library for the verifying key.
    pub(crate) fn new(scheme: Arc<dyn SignatureScheme>, mode: Mode, other: &dyn SigningKey) -> LibraryResult<Setting> {
        Ok(Setting { scheme, mode, other_key: other.verifying_key()? })
    }

    /// Returns a buffer for the longest signature.
    pub(crate) fn signature(&self) -> Vec<u8> {
        vec![0; self.scheme.info().parameters.signature]
    }

    /// Checks that verification accepts the signature. Also checks that verification fails with a different message, a
    /// flipped bit, or a different key.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] if a check fails.
    pub(crate) fn check(&self, verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Fault> {
        self.mode.verify(verifier, message, signature).map_err(fault)?;
        self.refuses(self.other_key.as_ref(), message, signature, "a signature under a different key")?;
        self.refuses(verifier, &changed(message), signature, "a different message")?;
        self.refuses(verifier, message, &changed(signature), "a signature with a bit flipped")
    }

    fn refuses(&self, key: &dyn VerifyingKey, message: &[u8], signature: &[u8], what: &str) -> Result<(), Fault> {
        match self.mode.verify(key, message, signature) {
            Err(_) => Ok(()),
            Ok(()) => Err(Fault::WrongAnswer(format!("verification accepts {what}"))),
        }
    }

    /// Signs a message with `signer`, and [checks](Self::check) the signature with `verifier`.
    ///
    /// # Errors
    /// Errors from the library, and [`Fault::WrongAnswer`] if a check fails.
    pub(crate) fn round_trip(&self, signer: &dyn SigningKey, verifier: &dyn VerifyingKey) -> Result<(), Fault> {
        let message = b"a message for the round trip";
        let mut signature = self.signature();
        let length = self.mode.sign(signer, message, Coins::Internal, &mut signature).map_err(fault)?;
        self.check(verifier, message, &signature[..length])
    }
}

/// Returns the bytes with a bit flipped, or a single byte if they are empty.
fn changed(bytes: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    match changed.first_mut() {
        Some(byte) => *byte ^= 1,
        None => changed.push(0),
    }
    changed
}
