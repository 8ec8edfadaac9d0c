use crate::Result;

/// Which hybrid public key encryption it is. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpkeInfo {
    /// The KEM's name: `DHKEM-X25519-HKDF-SHA256`, `ML-KEM-768`.
    pub kem: &'static str,
    /// The name of the key schedule's KDF, such as `HKDF-SHA256`.
    pub kdf: &'static str,
    /// The AEAD's name, such as `AES-256-GCM`.
    pub aead: &'static str,
    /// A recipient's public key.
    pub public_key: usize,
    /// Its private key: a scalar of X25519, a seed of ML-KEM.
    pub private_key: usize,
    /// The encapsulated secret.
    pub encapsulated: usize,
    /// The AEAD's tag.
    pub tag: usize,
    /// The shortest plaintext that it seals.
    pub shortest: usize,
}

impl HpkeInfo {
    /// Length in bytes by which a first message is longer than its plaintext: the encapsulated secret and the tag.
    pub fn overhead(&self) -> usize {
        self.encapsulated + self.tag
    }
}

/// Hybrid public key encryption in base mode (RFC 9180; for ML-KEM draft-ietf-hpke-pq) by a library's own functions for it. It is
/// no primitive: constructions have it over those.
pub trait Hpke: Send + Sync {
    /// Which it is.
    fn info(&self) -> &HpkeInfo;

    /// A new recipient, from the library's own generator.
    fn generate(&self) -> Result<Box<dyn HpkeRecipient>>;

    /// A recipient of that private key.
    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn HpkeRecipient>>;

    /// Seals a first message to a public key, from its bytes, as the libraries' functions take it: `enc || ciphertext || tag`, to
    /// `message` of exactly that length.
    fn seal(
        &self,
        public_key: &[u8],
        info: &[u8],
        associated_data: &[u8],
        plaintext: &[u8],
        message: &mut [u8],
    ) -> Result<()>;
}

/// A prepared private key of an [`Hpke`].
pub trait HpkeRecipient: Send + Sync {
    /// Writes the public key.
    fn public_key(&self, out: &mut [u8]) -> Result<()>;

    /// Writes the private key.
    fn private_key(&self, out: &mut [u8]) -> Result<()>;

    /// Opens a first message to `plaintext`, which is shorter than the message by [`HpkeInfo::overhead`].
    fn open(&self, info: &[u8], associated_data: &[u8], message: &[u8], plaintext: &mut [u8]) -> Result<()>;
}
