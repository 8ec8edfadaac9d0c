//! Signed tokens and their keys: JWS compact serialization (RFC 7515) and COSE_Sign1 (RFC 9052, section 4.2). Supports
//! algorithms from RFC 7518, RFC 9864 and, for ML-DSA, RFC 9964. ML-DSA keys are encoded as JWK and COSE_Key.
//!
//! Decoders are strict:
//!
//! - A JWS must be base64url without padding, and unused bits must be zero. The JSON header must not contain duplicate
//!   members.
//! - A COSE_Sign1 must be tagged and encoded deterministically (RFC 8949, section 4.2.1). The protected header contains
//!   the algorithm and the key identifier. The unprotected header, which is not signed, must be empty.
//! - Decoders reject tokens with critical headers (`crit`), because they support none.
//!
//! The verifier, not the token, chooses the algorithm.
//!
//! RFC 9864 deprecates identifiers that do not name the curve: `EdDSA` in JOSE, `EdDSA` and `ES256` in COSE.
//! Verification accepts deprecated identifiers. New tokens contain `Ed25519` instead of `EdDSA`, and in COSE
//! `ESP256` instead of `ES256`.

pub mod cose;
mod json;
pub mod jws;
mod key;

pub use key::{AkpKey, OtherParameters};

use coset::iana::{self, EnumI64};
use pqlab_primitives::{Coins, Error, SignatureParameters, SigningKey, VerifyingKey};

/// Error from parsing, verifying or creating a token or a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The encoding is invalid.
    #[error("the {what} {problem}")]
    Malformed {
        /// Kind of structure: `JWS`, `COSE_Sign1`, `JWK`, `COSE_Key`.
        what: &'static str,
        /// Description of the problem.
        problem: &'static str,
    },
    /// The token or key names a different algorithm.
    #[error("the {what} names a different algorithm, expected {expected}")]
    Algorithm {
        /// Kind of structure.
        what: &'static str,
        /// Expected algorithm.
        expected: &'static str,
    },
    /// The token names an algorithm that is not registered.
    #[error("the {what} uses algorithm {number}, which is not registered")]
    Unregistered {
        /// Kind of structure.
        what: &'static str,
        /// Number of the algorithm.
        number: i128,
    },
    /// The signature is invalid.
    #[error("the signature of the {0} does not verify")]
    Signature(&'static str),
    /// Error from the cryptographic library.
    #[error(transparent)]
    Primitive(#[from] Error),
}

/// Signature algorithm for tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// Name of the signature scheme, as in [`SignatureParameters`].
    pub primitive: &'static str,
    /// Value of `alg` in JOSE, such as `ML-DSA-65` or `ES256`.
    pub jose: &'static str,
    /// Value of `alg` in COSE, such as -49.
    cose: iana::Algorithm,
    /// JOSE and COSE identifiers that RFC 9864 deprecates. Accepted, but never written.
    deprecated: (Option<&'static str>, Option<iana::Algorithm>),
}

const fn algorithm(primitive: &'static str, jose: &'static str, cose: iana::Algorithm) -> Algorithm {
    Algorithm { primitive, jose, cose, deprecated: (None, None) }
}

/// Algorithms from RFC 9864, section 2; RFC 7518, section 3.1; RFC 9964, section 5; and RFC 8812, section 2.
static ALGORITHMS: [Algorithm; 6] = [
    Algorithm {
        deprecated: (Some("EdDSA"), Some(iana::Algorithm::EdDSA)),
        ..algorithm("Ed25519", "Ed25519", iana::Algorithm::Ed25519)
    },
    Algorithm {
        deprecated: (None, Some(iana::Algorithm::ES256)),
        ..algorithm("ECDSA-P-256", "ES256", iana::Algorithm::ESP256)
    },
    algorithm("RSA-2048", "RS256", iana::Algorithm::RS256),
    algorithm("ML-DSA-44", "ML-DSA-44", iana::Algorithm::ML_DSA_44),
    algorithm("ML-DSA-65", "ML-DSA-65", iana::Algorithm::ML_DSA_65),
    algorithm("ML-DSA-87", "ML-DSA-87", iana::Algorithm::ML_DSA_87),
];

impl Algorithm {
    /// Iterates over all algorithms, classical ones first.
    pub fn all() -> impl Iterator<Item = &'static Algorithm> {
        ALGORITHMS.iter()
    }

    /// Returns the token algorithm with this COSE number, which may be a deprecated number.
    pub fn of_cose(number: i64) -> Option<&'static Algorithm> {
        let found = iana::Algorithm::from_i64(number)?;
        ALGORITHMS.iter().find(|algorithm| algorithm.is_cose(found))
    }

    /// Returns the token algorithm with this JOSE name, which may be a deprecated name.
    pub fn of_jose(name: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.is_jose(name))
    }

    /// Returns the token algorithm that uses the signature scheme with this name.
    pub fn find(primitive: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.primitive == primitive)
    }

    /// Returns whether `name` is a JOSE name of this algorithm, including deprecated ones.
    fn is_jose(&self, name: &str) -> bool {
        name == self.jose || Some(name) == self.deprecated.0
    }

    /// Returns whether `identifier` is a COSE identifier of this algorithm, including deprecated ones.
    fn is_cose(&self, identifier: iana::Algorithm) -> bool {
        identifier == self.cose || Some(identifier) == self.deprecated.1
    }

    /// Returns the length of a signature in bytes, which is fixed for every token algorithm.
    pub fn signature(&self) -> usize {
        SignatureParameters::find(self.primitive).map_or(0, |parameters| parameters.signature)
    }

    /// Signs with an empty context (RFC 9964, section 5). Ignores `coins` if the scheme is always deterministic.
    fn sign(&self, key: &dyn SigningKey, message: &[u8], coins: Coins) -> Result<Vec<u8>, TokenError> {
        let parameters = SignatureParameters::find(self.primitive).ok_or(Error::Unsupported("unknown parameters"))?;
        let mut signature = vec![0; parameters.signature];
        let coins = if parameters.signing_coins == 0 { Coins::Internal } else { coins };
        let length = key.sign(&[], message, coins, &mut signature)?;
        signature.truncate(length);
        Ok(signature)
    }

    fn verify(
        &self,
        what: &'static str,
        key: &dyn VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), TokenError> {
        key.verify(&[], message, signature).map_err(|error| match error {
            Error::VerificationFailed => TokenError::Signature(what),
            other => other.into(),
        })
    }
}
