use crate::Result;

/// Algorithms and lengths of an HPKE suite. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpkeInfo {
    /// Name of the KEM, such as `DHKEM-X25519-HKDF-SHA256` or `ML-KEM-768`.
    pub kem: &'static str,
    /// Name of the key schedule's KDF, such as `HKDF-SHA256`.
    pub kdf: &'static str,
    /// Name of the AEAD, such as `AES-256-GCM`.
    pub aead: &'static str,
    /// Length of a recipient's public key.
    pub public_key: usize,
    /// Length of a recipient's private key: a scalar for X25519, a seed for ML-KEM.
    pub private_key: usize,
    /// Length of the encapsulated secret (`enc`).
    pub encapsulated: usize,
    /// Length of the AEAD's tag.
    pub tag: usize,
    /// Minimum length of a plaintext that the library accepts.
    pub shortest: usize,
}

impl HpkeInfo {
    /// Returns the difference in bytes between the lengths of a sealed message and its plaintext: the encapsulated
    /// secret plus the tag.
    pub fn overhead(&self) -> usize {
        self.encapsulated + self.tag
    }
}

/// A library's own implementation of hybrid public key encryption in base mode (RFC 9180; for ML-KEM,
/// draft-ietf-hpke-pq). pqlab does not count HPKE as a primitive, because it also builds HPKE from primitives.
pub trait Hpke: Send + Sync {
    /// Returns the suite's algorithms and lengths.
    fn info(&self) -> &HpkeInfo;

    /// Generates a recipient's key pair with the library's own randomness.
    fn generate(&self) -> Result<Box<dyn HpkeRecipient>>;

    /// Loads a recipient's private key.
    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn HpkeRecipient>>;

    /// Encrypts one message to a recipient's encoded public key (single-shot encryption, RFC 9180, section 6.1). Writes
    /// `enc || ciphertext || tag` to `message`, which must be [`HpkeInfo::overhead`] bytes longer than `plaintext`.
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
    /// Writes the encoded public key to `out`.
    fn public_key(&self, out: &mut [u8]) -> Result<()>;

    /// Writes the encoded private key to `out`.
    fn private_key(&self, out: &mut [u8]) -> Result<()>;

    /// Decrypts one message (single-shot decryption) into `plaintext`, which must be [`HpkeInfo::overhead`] bytes
    /// shorter than `message`.
    fn open(&self, info: &[u8], associated_data: &[u8], message: &[u8], plaintext: &mut [u8]) -> Result<()>;
}
