use crate::{MU, Result, SignatureParameters};
use std::any::Any;

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub enum SignedMessage<'a> {
    /// The message as its signer has it (FIPS 204, algorithm 3; RFC 8032, section 5.1.7).
    Pure {
        /// Empty for schemes without one.
        context: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// ML-DSA's internal interface (FIPS 204, algorithm 8): `M'` as it stands. For published vectors.
    Formatted(&'a [u8]),
    /// ML-DSA's message representative (FIPS 204, algorithm 8, line 7). For published vectors.
    Mu(&'a [u8; MU]),
}

/// Whose signature it is said to be.
#[derive(Clone, Copy)]
pub enum ClaimKey<'a> {
    /// The verifying key as it goes on the wire.
    Encoded(&'a [u8]),
    /// What [`BatchVerifier::prepare`] of the same verifier has made of it.
    Prepared(&'a dyn BatchKey),
}

/// A signature that is to be verified.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// Whose it is said to be.
    pub key: ClaimKey<'a>,
    /// What it is said to sign.
    pub message: SignedMessage<'a>,
    /// The signature, of whatever length.
    pub signature: &'a [u8],
}

/// A verifying key prepared for batches: [`Any`] lets its verifier know its own again.
pub trait BatchKey: Any + Send + Sync {}

/// Verification of signatures by one algorithm, many at once or one. A library that offers this need not be able to sign.
pub trait BatchVerifier: Send + Sync {
    /// The standard's parameters: lengths in bytes, NIST category.
    fn parameters(&self) -> &SignatureParameters;

    /// Whether a batch says of each signature what it would say of that one alone. Where it does not, signatures are combined:
    /// one that is not valid has the whole batch refused, nobody knows which it was, and of signatures that were made to be
    /// doubtful a batch may say something else than a single verification.
    fn answers_for_each(&self) -> bool;

    /// Parses, checks and prepares a verifying key.
    ///
    /// # Errors
    /// [`crate::Error::Length`] or [`crate::Error::Malformed`] for bytes that are no key.
    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>>;

    /// The verdict on each claim, in the order in which they are given: `Ok` if and only if the signature is valid, and, unless it
    /// [answers for each](Self::answers_for_each), all others are too.
    ///
    /// # Errors
    /// In the place of a claim: [`crate::Error::VerificationFailed`] for a signature that is not valid, of whatever length or
    /// form; what [`prepare`](Self::prepare) says of a key that is none; [`crate::Error::Malformed`] for a key that another
    /// verifier has prepared; [`crate::Error::Unsupported`] for a kind of message that is not offered.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>>;
}
