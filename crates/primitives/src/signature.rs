use crate::{CoinSupport, Coins, Error, KeyEncoding, Prehash, Result, SignatureParameters};
use serde::{Deserialize, Serialize};

/// Length in bytes of ML-DSA's message representative `mu` (FIPS 204, algorithm 7, line 6).
pub const MU: usize = 64;

const NO_INTERNAL: Error = Error::Unsupported("the library offers no internal interface");
const NO_MU: Error = Error::Unsupported("the library offers no internal interface that takes mu");

/// Parameters of a signature scheme, and the provider's capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureInfo {
    /// Parameters from the standard: lengths in bytes, NIST category.
    pub parameters: SignatureParameters,
    /// Encodings in which the provider loads a signing key, in order of preference.
    pub encodings: Vec<KeyEncoding>,
    /// Operations that accept caller-supplied randomness. For signing, this includes support for the deterministic
    /// variant.
    pub coins: CoinSupport,
    /// Whether signing and verification accept a nonempty context (FIPS 204, section 5.2; FIPS 205, section 10.2).
    pub context: bool,
    /// Whether signing with [`Coins::Internal`] is randomized, if the scheme has a randomized (hedged) and a
    /// deterministic variant. `false` for schemes without randomness (Ed25519, RSA PKCS #1 v1.5).
    pub hedged: bool,
}

impl SignatureInfo {
    /// Returns the length in bytes of a signing key in an encoding, or `None` if the standard does not define the
    /// encoding. If the length varies, returns the maximum.
    pub fn signing_key(&self, encoding: KeyEncoding) -> Option<usize> {
        self.parameters.signing_key(encoding)
    }
}

/// Lengths in bytes of an encoded verifying key and of an encoded signing key.
pub type KeyLengths = (usize, usize);

const NOT_PREHASHED: Error = Error::Unsupported("the library does not offer this pre-hashed variant");

/// A signature scheme.
pub trait SignatureScheme: Send + Sync {
    /// Returns the scheme's lengths and the provider's capabilities.
    fn info(&self) -> &SignatureInfo;

    /// Returns the hash functions that the library supports for pre-hashed signatures. Empty if the library does not
    /// support pre-hashing.
    fn prehashes(&self) -> &[Prehash] {
        &[]
    }

    /// Returns the encodings in which the provider writes a newly generated signing key, in order of preference.
    fn written(&self) -> &[KeyEncoding] {
        &self.info().encodings
    }

    /// Returns whether signing with [`Coins::Internal`] uses the library's random generator.
    fn draws_to_sign(&self) -> bool {
        self.info().hedged
    }

    /// Generates a key pair and writes both encoded keys. The signing key has the first encoding in
    /// [`written`](Self::written). Returns the lengths in bytes of the verifying key and the signing key.
    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths>;

    /// Generates a prepared signing key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>>;

    /// Parses, checks and prepares a signing key.
    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>>;

    /// Signs once with an encoded key: [`load_signing_key`](Self::load_signing_key), then [`SigningKey::sign`].
    /// Providers override this default if their parsed keys are so large that moving one to the heap costs more than
    /// using it in place.
    fn sign_from(
        &self,
        encoding: KeyEncoding,
        signing_key: &[u8],
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        self.load_signing_key(encoding, signing_key)?.sign(context, message, coins, out)
    }

    /// Parses, checks and prepares a verifying key.
    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>>;
}

/// A prepared signing key.
pub trait SigningKey: Send + Sync {
    /// Signs `message`, writes the signature to the start of `out` and returns its length in bytes. `out` must have the
    /// maximum length of a signature. `context` must be empty for schemes without contexts. `Coins::Exact(&[])`
    /// requests the deterministic variant.
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize>;

    /// Like [`sign`](Self::sign), but calls the internal interface (FIPS 204, algorithm 7; FIPS 205, algorithm 19).
    /// Signs `formatted`, which is `M'`, unchanged. Only for published test vectors, so it is not optimized or timed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the provider or the scheme has no internal interface.
    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let _ = (formatted, coins, out);
        Err(NO_INTERNAL)
    }

    /// Like [`sign_internal`](Self::sign_internal), but takes a precomputed message representative `mu` (FIPS 204,
    /// algorithm 7, line 6).
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the provider does not accept `mu`, or if the scheme is not ML-DSA.
    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let _ = (mu, coins, out);
        Err(NO_MU)
    }

    /// Pre-hashed variant of [`sign`](Self::sign), which signs the digest of `message`. A signature from one variant is
    /// invalid in the other. Ed25519ph also accepts a `context` (RFC 8032, section 5.1).
    ///
    /// # Errors
    /// [`Error::Unsupported`] if [`SignatureScheme::prehashes`] does not contain the hash function.
    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        let _ = (prehash, context, message, coins, out);
        Err(NOT_PREHASHED)
    }

    /// Returns the corresponding verifying key, prepared.
    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>>;

    /// Writes the key to `out` in the given encoding and returns its length in bytes.
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize>;
}

/// A prepared verifying key.
pub trait VerifyingKey: Send + Sync {
    /// Returns `Ok` if and only if the signature is valid.
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] if the signature is invalid, whatever its length or form.
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()>;

    /// Like [`verify`](Self::verify), but calls the internal interface (FIPS 204, algorithm 8; FIPS 205, algorithm 20).
    /// Uses `formatted`, which is `M'`, unchanged. Only for published test vectors, so it is not optimized or timed.
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] if the signature is invalid; [`Error::Unsupported`] if the provider or the
    /// scheme has no internal interface.
    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        let _ = (formatted, signature);
        Err(NO_INTERNAL)
    }

    /// Like [`verify_internal`](Self::verify_internal), but takes a precomputed message representative `mu` (FIPS 204,
    /// algorithm 8, line 7).
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] if the signature is invalid; [`Error::Unsupported`] if the provider does
    /// not accept `mu`, or if the scheme is not ML-DSA.
    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        let _ = (mu, signature);
        Err(NO_MU)
    }

    /// Verifies a signature of the pre-hashed variant: hashes the message, then verifies the signature of the digest.
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] if the signature is invalid; [`Error::Unsupported`] if
    /// [`SignatureScheme::prehashes`] does not contain the hash function.
    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let _ = (prehash, context, message, signature);
        Err(NOT_PREHASHED)
    }

    /// Writes the encoded key to `out` and returns its length in bytes.
    fn encode(&self, out: &mut [u8]) -> Result<usize>;
}
