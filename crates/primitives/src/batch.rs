use crate::{MU, Result, SignatureParameters};
use std::any::Any;

/// Message that a signature covers, in the form that the signature scheme processes.
#[derive(Clone, Copy, Debug)]
pub enum SignedMessage<'a> {
    /// The message itself (FIPS 204, algorithm 3; RFC 8032, section 5.1.7).
    Pure {
        /// Context string. Empty for schemes without contexts.
        context: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// `M'` from ML-DSA's internal interface, used unchanged (FIPS 204, algorithm 8). For published test vectors.
    Formatted(&'a [u8]),
    /// ML-DSA's message representative (FIPS 204, algorithm 8, line 7). For published test vectors.
    Mu(&'a [u8; MU]),
}

/// Alleged signer.
#[derive(Clone, Copy)]
pub enum ClaimKey<'a> {
    /// Encoded verifying key.
    Encoded(&'a [u8]),
    /// Key returned by [`BatchVerifier::prepare`] on the same verifier.
    Prepared(&'a dyn BatchKey),
}

/// A signature to verify.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// Alleged signer.
    pub key: ClaimKey<'a>,
    /// Message allegedly signed.
    pub message: SignedMessage<'a>,
    /// Signature, of any length.
    pub signature: &'a [u8],
}

/// A verifying key prepared for batches. [`Any`] lets a verifier downcast to its own type.
pub trait BatchKey: Any + Send + Sync {}

/// Verifies one or many signatures of one algorithm. The library need not support signing.
pub trait BatchVerifier: Send + Sync {
    /// Returns the standard's parameters: lengths in bytes, NIST category.
    fn parameters(&self) -> &SignatureParameters;

    /// Whether every signature in a batch gets the verdict that it would get alone. If not, the library combines
    /// signatures. Then one invalid signature fails the whole batch without identifying itself, and maliciously crafted
    /// signatures may get a different verdict than alone.
    fn answers_for_each(&self) -> bool;

    /// Parses, checks and prepares a verifying key.
    ///
    /// # Errors
    /// [`crate::Error::Length`] or [`crate::Error::Malformed`] if the bytes are not a key.
    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>>;

    /// Returns one verdict per claim, in the given order: `Ok` if and only if the signature is valid. Unless the
    /// verifier [answers for each](Self::answers_for_each), `Ok` also requires all other signatures in the batch to be
    /// valid.
    ///
    /// # Errors
    /// Per claim: [`crate::Error::VerificationFailed`] if the signature is invalid, whatever its length or form; the
    /// error of [`prepare`](Self::prepare) if the key is invalid; [`crate::Error::Malformed`] if another verifier
    /// prepared the key; [`crate::Error::Unsupported`] if the kind of message is not supported.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>>;
}
