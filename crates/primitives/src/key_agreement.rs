use crate::{Coins, KeyAgreementParameters, Result};
use serde::{Deserialize, Serialize};

/// Parameters of a key agreement, and the provider's capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAgreementInfo {
    /// Parameters from the standard.
    pub parameters: KeyAgreementParameters,
    /// Whether key generation accepts caller-supplied randomness.
    pub exact_coins: bool,
}

/// A plain Diffie-Hellman function, such as X25519 (RFC 7748).
pub trait KeyAgreement: Send + Sync {
    /// Returns the function's lengths and the provider's capabilities.
    fn info(&self) -> &KeyAgreementInfo;

    /// Generates a key pair and writes both encoded keys. With [`Coins::Exact`], the coins are the encoded private key.
    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()>;

    /// Generates a prepared private key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>>;

    /// Parses and prepares an encoded private key.
    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>>;
}

/// A prepared private key of a [`KeyAgreement`].
pub trait PrivateKey: Send + Sync {
    /// Computes the shared secret from a peer's encoded public key. Fails if the result is all zeros (RFC 7748, section
    /// 6.1).
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()>;

    /// Writes the encoded public key to `out`.
    fn public_key(&self, out: &mut [u8]) -> Result<()>;

    /// Writes the encoded private key to `out`.
    fn encode(&self, out: &mut [u8]) -> Result<()>;
}
