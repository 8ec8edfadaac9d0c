use crate::{MU, Result, SignatureParameters};
use std::any::Any;

/// Content of a signature.
#[derive(Clone, Copy, Debug)]
pub enum SignedMessage<'a> {
    /// The message itself (FIPS 204, algorithm 3; RFC 8032, section 5.1.7).
    Pure {
        /// Empty for schemes without contexts.
        context: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// `M'` of ML-DSA's internal interface, used unchanged (FIPS 204, algorithm 8). For published vectors.
    Formatted(&'a [u8]),
    /// Message representative of ML-DSA (FIPS 204, algorithm 8, line 7). For published vectors.
    Mu(&'a [u8; MU]),
}

/// Alleged signer.
#[derive(Clone, Copy)]
pub enum ClaimKey<'a> {
    /// Encoded verifying key.
    Encoded(&'a [u8]),
    /// Key returned by [`BatchVerifier::prepare`] of the same verifier.
    Prepared(&'a dyn BatchKey),
}

/// A signature to verify.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// Alleged signer.
    pub key: ClaimKey<'a>,
    /// Alleged content.
    pub message: SignedMessage<'a>,
    /// Signature, of any length.
    pub signature: &'a [u8],
}

/// A verifying key prepared for batches. [`Any`] lets a verifier downcast to its own type.
pub trait BatchKey: Any + Send + Sync {}

/// Verification of one or many signatures by one algorithm. Does not require the library to sign.
pub trait BatchVerifier: Send + Sync {
    /// Returns the standard's parameters: lengths in bytes, NIST category.
    fn parameters(&self) -> &SignatureParameters;

    /// Whether a batch returns for each signature what verifying it alone would return. If not, the library combines
    /// signatures: one invalid signature fails the whole batch without saying which it was, and for maliciously crafted
    /// signatures the verdict may differ from single verification.
    fn answers_for_each(&self) -> bool;

    /// Parses, checks and prepares a verifying key.
    ///
    /// # Errors
    /// [`crate::Error::Length`] or [`crate::Error::Malformed`] if the bytes are not a key.
    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>>;

    /// Returns a verdict per claim, in the given order: `Ok` if and only if the signature is valid. Unless the verifier
    /// [answers for each](Self::answers_for_each), all other signatures must be valid too.
    ///
    /// # Errors
    /// Per claim: [`crate::Error::VerificationFailed`] if the signature is invalid, whatever its length or form; the
    /// error of [`prepare`](Self::prepare) if the key is invalid; [`crate::Error::Malformed`] if another verifier
    /// prepared the key; [`crate::Error::Unsupported`] if the kind of message is not supported.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>>;
}
