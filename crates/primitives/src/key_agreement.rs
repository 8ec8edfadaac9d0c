use crate::{Coins, KeyAgreementParameters, Result};
use serde::{Deserialize, Serialize};

/// What a provider offers of a key agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAgreementInfo {
    /// The standard's parameters.
    pub parameters: KeyAgreementParameters,
    /// Whether key generation takes given coins.
    pub exact_coins: bool,
}

/// Plain Diffie-Hellman, such as X25519 (RFC 7748).
pub trait KeyAgreement: Send + Sync {
    /// Lengths and abilities.
    fn info(&self) -> &KeyAgreementInfo;

    /// Generates a key pair and writes both halves as they go on the wire. Coins: the private key's bytes.
    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()>;

    /// Generates a prepared private key.
    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>>;

    /// Prepares a private key from its bytes.
    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>>;
}

/// A prepared private key of a [`KeyAgreement`].
pub trait PrivateKey: Send + Sync {
    /// Computes the shared secret with a peer's encoded public key. An all-zero result is refused
    /// (RFC 7748, section 6.1).
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()>;

    /// Writes the encoded public key.
    fn public_key(&self, out: &mut [u8]) -> Result<()>;

    /// Writes the encoded private key.
    fn encode(&self, out: &mut [u8]) -> Result<()>;
}
