use crate::{Coins, KemParameters, KeyEncoding, Result};
use serde::{Deserialize, Serialize};

/// Which operations of a provider take [`Coins::Exact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CoinSupport {
    /// Key generation.
    pub keygen: bool,
    /// Encapsulation or signing.
    pub operation: bool,
}

/// What a provider offers of a KEM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KemInfo {
    /// The standard's parameters: lengths in bytes, NIST category.
    pub parameters: KemParameters,
    /// The encodings of the decapsulation key that the provider loads; the first is its own choice.
    pub encodings: Vec<KeyEncoding>,
    /// Which operations take given coins.
    pub coins: CoinSupport,
}

impl KemInfo {
    /// The length in bytes of the decapsulation key in an encoding, if the standard has that encoding.
    pub fn decapsulation_key(&self, encoding: KeyEncoding) -> Option<usize> {
        self.parameters.decapsulation_key(encoding)
    }
}

/// A key-encapsulation mechanism (FIPS 203, section 3.1; RFC 9180, section 4).
pub trait Kem: Send + Sync {
    /// Lengths and abilities.
    fn info(&self) -> &KemInfo;

    /// The encodings in which a decapsulation key that was just generated can be written; the first is the provider's own
    /// choice.
    fn written(&self) -> &[KeyEncoding] {
        &self.info().encodings
    }

    /// Generates a key pair and writes both halves as they go on the wire; the decapsulation key in the provider's
    /// first encoding.
    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()>;

    /// Generates a prepared decapsulation key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>>;

    /// Parses, checks and prepares an encapsulation key (FIPS 203, section 7.2). Where the library checks the key in each
    /// encapsulation it is checked there alone, and not twice.
    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>>;

    /// Parses, checks and prepares a decapsulation key (FIPS 203, section 7.3); as with encapsulation keys, once.
    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>>;
}

/// A prepared encapsulation key.
pub trait EncapsulationKey: Send + Sync {
    /// Draws a shared secret and encapsulates it.
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;

    /// Writes the encoding and returns its length in bytes.
    fn encode(&self, out: &mut [u8]) -> Result<usize>;
}

/// A prepared decapsulation key.
pub trait DecapsulationKey: Send + Sync {
    /// Recovers the shared secret. A ciphertext of the right length that was not made by `encapsulate` gives a secret
    /// all the same (implicit rejection), never an error, where the standard says so.
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;

    /// The encapsulation key that belongs to this key, prepared.
    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>>;

    /// Writes the encoding of the encapsulation key that belongs to this key and returns its length in bytes. A
    /// provider that has it at hand need not prepare a key for it.
    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        self.encapsulation_key()?.encode(out)
    }

    /// Writes the key in an encoding and returns its length in bytes.
    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize>;
}
