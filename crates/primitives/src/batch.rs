use crate::{MU, Result, SignatureParameters};
use std::any::Any;

/// Message covered by a signature, in one of the forms that signature schemes accept.
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

/// Verifying key of the alleged signer.
#[derive(Clone, Copy)]
pub enum ClaimKey<'a> {
    /// Encoded verifying key.
    Encoded(&'a [u8]),
    /// Key prepared by the same verifier ([`BatchVerifier::prepare`]).
    Prepared(&'a dyn BatchKey),
}

/// A signature to verify: the claim that a signer signed a message.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// Verifying key of the alleged signer.
    pub key: ClaimKey<'a>,
    /// Message that the signer allegedly signed.
    pub message: SignedMessage<'a>,
    /// Signature, of any length. A signature of the wrong length is invalid.
    pub signature: &'a [u8],
}

/// A verifying key prepared for batches. [`Any`] lets a verifier downcast to its own type.
pub trait BatchKey: Any + Send + Sync {}

/// Verifies one or many signatures of one algorithm. The library need not support signing.
pub trait BatchVerifier: Send + Sync {
    /// Returns the parameters of the signature scheme from its standard: lengths in bytes, NIST category.
    fn parameters(&self) -> &SignatureParameters;

    /// Returns whether the library verifies each signature in a batch independently. If `false`, the library checks a
    /// combination of the signatures. One invalid signature then fails the entire batch without being identified, and a
    /// maliciously crafted signature may get a different verdict than it would alone.
    fn answers_for_each(&self) -> bool;

    /// Parses, checks and prepares a verifying key.
    ///
    /// # Errors
    /// [`crate::Error::Length`] or [`crate::Error::Malformed`] if the bytes are not a key.
    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>>;

    /// Returns one verdict per claim, in the given order: `Ok` if and only if the signature is valid. Unless the
    /// verifier [answers for each](Self::answers_for_each) signature, `Ok` also requires all other signatures in the
    /// batch to be valid.
    ///
    /// # Errors
    /// Errors of each claim:
    ///
    /// - [`crate::Error::VerificationFailed`] if the signature is invalid, whatever its length or form.
    /// - The error of [`prepare`](Self::prepare) if the key is invalid.
    /// - [`crate::Error::Malformed`] if another verifier prepared the key.
    /// - [`crate::Error::Unsupported`] if the kind of message is not supported.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>>;
}
