use crate::{Coins, KemParameters, KeyEncoding, Result};
use serde::{Deserialize, Serialize};

/// Operations for which a provider accepts caller-supplied randomness ([`Coins::Exact`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CoinSupport {
    /// Whether key generation accepts [`Coins::Exact`].
    pub keygen: bool,
    /// Whether encapsulation or signing accepts [`Coins::Exact`].
    pub operation: bool,
}

/// Parameters of a KEM, and the provider's capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KemInfo {
    /// Parameters from the standard: lengths in bytes, NIST category.
    pub parameters: KemParameters,
    /// Encodings in which the provider loads a decapsulation key, in order of preference.
    pub encodings: Vec<KeyEncoding>,
    /// Operations that accept caller-supplied randomness.
    pub coins: CoinSupport,
}

impl KemInfo {
    /// Returns the length in bytes of a decapsulation key in an encoding, or `None` if the standard does not define the
    /// encoding.
    pub fn decapsulation_key(&self, encoding: KeyEncoding) -> Option<usize> {
        self.parameters.decapsulation_key(encoding)
    }
}

/// A key-encapsulation mechanism (FIPS 203, section 3.1; RFC 9180, section 4).
pub trait Kem: Send + Sync {
    /// Returns the KEM's lengths and the provider's capabilities.
    fn info(&self) -> &KemInfo;

    /// Returns the encodings in which the provider writes a newly generated decapsulation key, in order of preference.
    fn written(&self) -> &[KeyEncoding] {
        &self.info().encodings
    }

    /// Generates a key pair and writes both encoded keys. The decapsulation key has the first encoding in
    /// [`written`](Self::written).
    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()>;

    /// Generates a prepared decapsulation key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>>;

    /// Parses, checks and prepares an encapsulation key (FIPS 203, section 7.2). Skips the check if the library repeats
    /// it in every encapsulation.
    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>>;

    /// Parses, checks and prepares a decapsulation key (FIPS 203, section 7.3). Skips the check if the library repeats
    /// it in every decapsulation.
    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>>;
}

/// A prepared encapsulation key.
pub trait EncapsulationKey: Send + Sync {
    /// Generates a shared secret, writes it to `secret`, and writes its encapsulation to `ciphertext`.
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;

    /// Writes the encoded key to `out` and returns its length in bytes.
    fn encode(&self, out: &mut [u8]) -> Result<usize>;
}

/// A prepared decapsulation key.
pub trait DecapsulationKey: Send + Sync {
    /// Recovers the shared secret and writes it to `secret`. If the standard specifies implicit rejection, an invalid
    /// ciphertext of the right length yields a secret instead of an error.
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;

    /// Returns the corresponding encapsulation key, prepared.
    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>>;

    /// Writes the encoded encapsulation key to `out` and returns its length in bytes. Providers that store the encoded
    /// key override this default.
    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        self.encapsulation_key()?.encode(out)
    }

    /// Writes the key to `out` in the given encoding and returns its length in bytes.
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize>;
}
