//! Signed tokens: JWS in its compact serialisation (RFC 7515) and COSE_Sign1 (RFC 9052, section 4.2), with the algorithms of
//! RFC 7518, RFC 9864 and, for ML-DSA, RFC 9964; and ML-DSA's keys as JWK and COSE_Key.
//!
//! Decoders are strict. A JWS is base64url without padding and without spare bits that are set, its header JSON without a member
//! twice; a COSE_Sign1 is tagged, in deterministic encoding (RFC 8949, section 4.2.1), with algorithm and key identifier in
//! the protected header and nothing in the other one, which nobody signs. What must be understood (`crit`) is refused, as nothing
//! is. Which algorithm a token has is the verifier's to say, never the token's.
//!
//! RFC 9864 deprecates identifiers without a curve: `EdDSA` in JOSE, `EdDSA` and `ES256` in COSE. Verification accepts them; new tokens
//! use `Ed25519`, and `ESP256` in COSE.

pub mod cose;
mod json;
pub mod jws;
mod key;

pub use key::AkpKey;

use coset::iana;
use pqlab_primitives::{Coins, Error, SignatureParameters, SigningKey, VerifyingKey};

/// Why a token, or a key beside it, is not to be believed, or cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is not encoded as it has to be.
    #[error("the {what} {problem}")]
    Malformed {
        /// `JWS`, `COSE_Sign1`, `JWK`, `COSE_Key`.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It names another algorithm.
    #[error("the {what} names another algorithm than {expected}")]
    Algorithm {
        /// What names it.
        what: &'static str,
        /// The one that is expected.
        expected: &'static str,
    },
    /// The signature is not valid.
    #[error("the signature of the {0} does not verify")]
    Signature(&'static str),
    /// The library's own report.
    #[error(transparent)]
    Primitive(#[from] Error),
}

/// A signature algorithm as tokens name it.
#[derive(Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// The primitive's name, as in the tables of parameters.
    pub primitive: &'static str,
    /// `alg` of JOSE: `ML-DSA-65`, `ES256`.
    pub jose: &'static str,
    /// `alg` of COSE: -49.
    cose: iana::Algorithm,
    /// The identifiers of JOSE and COSE that RFC 9864 deprecates: accepted, never written.
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
    /// Every algorithm, the classical ones first.
    pub fn all() -> impl Iterator<Item = &'static Algorithm> {
        ALGORITHMS.iter()
    }

    /// The algorithm of a primitive, by name.
    pub fn of(primitive: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.primitive == primitive)
    }

    /// Whether `alg` of JOSE means this algorithm.
    fn is_jose(&self, name: &str) -> bool {
        name == self.jose || Some(name) == self.deprecated.0
    }

    /// Whether `alg` of COSE means this algorithm.
    fn is_cose(&self, identifier: iana::Algorithm) -> bool {
        identifier == self.cose || Some(identifier) == self.deprecated.1
    }

    /// Length of a signature in bytes: no algorithm of tokens has signatures of several lengths.
    pub fn signature(&self) -> usize {
        SignatureParameters::of(self.primitive).map_or(0, |parameters| parameters.signature)
    }

    /// Signs without a context (RFC 9964, section 5). Schemes without randomness take no coins, whatever is given.
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
