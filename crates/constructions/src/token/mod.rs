//! Signed tokens and their keys: JWS compact serialisation (RFC 7515) and COSE_Sign1 (RFC 9052, section 4.2), with the
//! algorithms of RFC 7518, RFC 9864 and, for ML-DSA, RFC 9964; ML-DSA keys as JWK and COSE_Key.
//!
//! Decoders are strict:
//!
//! - A JWS is base64url without padding and with zero spare bits. Its JSON header has no duplicate members.
//! - A COSE_Sign1 is tagged and in deterministic encoding (RFC 8949, section 4.2.1). Algorithm and key identifier are
//!   in the protected header. The unprotected header, which is not signed, is empty.
//! - Tokens with critical headers (`crit`) are rejected, because none is supported.
//!
//! The verifier, never the token, determines the algorithm.
//!
//! RFC 9864 deprecates identifiers that do not name the curve: `EdDSA` in JOSE, `EdDSA` and `ES256` in COSE.
//! Verification accepts them. New tokens use `Ed25519`, and `ESP256` in COSE.

pub mod cose;
mod json;
pub mod jws;
mod key;

pub use key::AkpKey;

use coset::iana;
use pqlab_primitives::{Coins, Error, SignatureParameters, SigningKey, VerifyingKey};

/// Reason for rejecting a token or a key, or for failing to create one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The encoding is invalid.
    #[error("the {what} {problem}")]
    Malformed {
        /// `JWS`, `COSE_Sign1`, `JWK`, `COSE_Key`.
        what: &'static str,
        /// The problem.
        problem: &'static str,
    },
    /// The token or key names another algorithm.
    #[error("the {what} names a different algorithm, expected {expected}")]
    Algorithm {
        /// The token or key.
        what: &'static str,
        /// The expected algorithm.
        expected: &'static str,
    },
    /// The signature is invalid.
    #[error("the signature of the {0} does not verify")]
    Signature(&'static str),
    /// Error of the cryptographic library.
    #[error(transparent)]
    Primitive(#[from] Error),
}

/// Signature algorithm of tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// Name of the primitive, as in the parameter tables.
    pub primitive: &'static str,
    /// `alg` in JOSE, such as `ML-DSA-65` or `ES256`.
    pub jose: &'static str,
    /// `alg` in COSE, such as -49.
    cose: iana::Algorithm,
    /// JOSE and COSE identifiers that RFC 9864 deprecates. Accepted, never written.
    deprecated: (Option<&'static str>, Option<iana::Algorithm>),
}

const fn algorithm(primitive: &'static str, jose: &'static str, cose: iana::Algorithm) -> Algorithm {
    Algorithm { primitive, jose, cose, deprecated: (None, None) }
}

/// RFC 9864, section 2, RFC 7518, section 3.1, RFC 9964, section 5; RFC 8812, section 2.
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

    /// Returns the algorithm of a primitive, by name.
    pub fn of(primitive: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.primitive == primitive)
    }

    /// Whether this `alg` of JOSE names the algorithm.
    fn is_jose(&self, name: &str) -> bool {
        name == self.jose || Some(name) == self.deprecated.0
    }

    /// Whether this `alg` of COSE names the algorithm.
    fn is_cose(&self, identifier: iana::Algorithm) -> bool {
        identifier == self.cose || Some(identifier) == self.deprecated.1
    }

    /// Returns the length of a signature in bytes. It is fixed for every algorithm of tokens.
    pub fn signature(&self) -> usize {
        SignatureParameters::of(self.primitive).map_or(0, |parameters| parameters.signature)
    }

    /// Signs with an empty context (RFC 9964, section 5). Coins are ignored if the scheme is deterministic.
    fn sign(&self, key: &dyn SigningKey, message: &[u8], coins: Coins) -> Result<Vec<u8>, TokenError> {
        let parameters =
            SignatureParameters::of(self.primitive).ok_or(Error::Unsupported("no parameters are known"))?;
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
