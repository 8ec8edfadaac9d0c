use crate::{CoinSupport, Coins, Error, KeyEncoding, Prehash, Result, SignatureParameters};
use serde::{Deserialize, Serialize};

/// The length in bytes of ML-DSA's message representative `mu` (FIPS 204, algorithm 7, line 6).
pub const MU: usize = 64;

const NO_INTERNAL: Error = Error::Unsupported("no internal interface is offered");
const NO_MU: Error = Error::Unsupported("no internal interface with mu given is offered");

/// What a provider offers of a signature scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureInfo {
    /// The standard's parameters: lengths in bytes, NIST category.
    pub parameters: SignatureParameters,
    /// The encodings of the signing key that the provider loads; the first is its own choice.
    pub encodings: Vec<KeyEncoding>,
    /// Which operations take given coins. For signing this includes the deterministic variant.
    pub coins: CoinSupport,
    /// Whether sign and verify take a context string that is not empty (FIPS 204, section 5.2; FIPS 205, section 10.2).
    pub context: bool,
    /// Whether [`Coins::Internal`] gives a randomised signature (hedged signing) where the scheme has both variants.
    /// For a scheme without randomness (Ed25519, RSA PKCS#1 v1.5) this is `false`.
    pub hedged: bool,
}

impl SignatureInfo {
    /// The length in bytes of the signing key in an encoding, if the standard has that encoding; the maximum where
    /// the length varies.
    pub fn signing_key(&self, encoding: KeyEncoding) -> Option<usize> {
        self.parameters.signing_key(encoding)
    }
}

/// Lengths in bytes of an encoded verifying key and of an encoded signing key.
pub type KeyLengths = (usize, usize);

const NOT_PREHASHED: Error = Error::Unsupported("the library does not offer this pre-hashed variant");

/// A signature scheme.
pub trait SignatureScheme: Send + Sync {
    /// Lengths and abilities.
    fn info(&self) -> &SignatureInfo;

    /// The functions by which its keys hash a message before they sign the digest; none where the library does not offer
    /// the pre-hashed variant.
    fn prehashes(&self) -> &[Prehash] {
        &[]
    }

    /// The encodings in which a signing key that was just generated can be written; the first is the provider's own choice.
    fn written(&self) -> &[KeyEncoding] {
        &self.info().encodings
    }

    /// Whether a signature with [`Coins::Internal`] asks the library's generator.
    fn draws_to_sign(&self) -> bool {
        self.info().hedged
    }

    /// Generates a key pair and writes both halves as they go on the wire, the signing key in the provider's first
    /// encoding. Returns the length in bytes of the verifying key and of the signing key.
    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths>;

    /// Generates a prepared signing key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>>;

    /// Parses, checks and prepares a signing key.
    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>>;

    /// Signs once with a signing key's bytes: [`load_signing_key`](Self::load_signing_key) and [`SigningKey::sign`], for
    /// providers whose keys are so large that to keep one costs more than to use it where it was parsed.
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
    /// Signs, writes the signature to the front of `out` (at least the maximum length) and returns its length in
    /// bytes. `context` is empty for schemes without one. `Coins::Exact(&[])` asks for the deterministic variant.
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize>;

    /// As [`SigningKey::sign`], through the internal interface (FIPS 204, algorithm 7; FIPS 205, algorithm 19):
    /// `formatted` is `M'` as it stands, and nothing is put before it. For published vectors: it is not prepared for and
    /// never timed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] unless the provider has it, and for schemes without an internal interface.
    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let _ = (formatted, coins, out);
        Err(NO_INTERNAL)
    }

    /// As [`SigningKey::sign_internal`], from the message representative `mu` (FIPS 204, algorithm 7, line 6), which
    /// somebody else has computed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] unless the provider has it, and for schemes other than ML-DSA.
    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let _ = (mu, coins, out);
        Err(NO_MU)
    }

    /// As [`sign`](Self::sign), in the pre-hashed variant: the message is hashed by this call, then its digest is signed.
    /// A signature of one variant is none of the other. `context` may be given for Ed25519ph too (RFC 8032, section 5.1).
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a function that is not among [`SignatureScheme::prehashes`].
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

    /// The verifying key that belongs to this key, prepared.
    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>>;

    /// Writes the key in an encoding and returns its length in bytes.
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize>;
}

/// A prepared verifying key.
pub trait VerifyingKey: Send + Sync {
    /// `Ok` if and only if the signature is valid.
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] for a signature that is not, of whatever length or form.
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()>;

    /// As [`VerifyingKey::verify`], through the internal interface (FIPS 204, algorithm 8; FIPS 205, algorithm 20):
    /// `formatted` is `M'` as it stands. For published vectors: it is not prepared for and never timed.
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] as there; [`Error::Unsupported`] unless the provider has it, and for schemes
    /// without an internal interface.
    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        let _ = (formatted, signature);
        Err(NO_INTERNAL)
    }

    /// As [`VerifyingKey::verify_internal`], from the message representative `mu` (FIPS 204, algorithm 8, line 7).
    ///
    /// # Errors
    /// [`crate::Error::VerificationFailed`] as there; [`Error::Unsupported`] unless the provider has it, and for schemes
    /// other than ML-DSA.
    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        let _ = (mu, signature);
        Err(NO_MU)
    }

    /// As [`verify`](Self::verify), for a signature of the pre-hashed variant: the message is hashed by this call.
    ///
    /// # Errors
    /// As there, and [`Error::Unsupported`] for a function that is not among [`SignatureScheme::prehashes`].
    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let _ = (prehash, context, message, signature);
        Err(NOT_PREHASHED)
    }

    /// Writes the encoding and returns its length in bytes.
    fn encode(&self, out: &mut [u8]) -> Result<usize>;
}
