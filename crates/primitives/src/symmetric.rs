use crate::Result;

/// A message authentication code, such as HMAC-SHA256 (RFC 2104).
pub trait Mac: Send + Sync {
    /// Returns the algorithm's name, such as `HMAC-SHA256`.
    fn algorithm(&self) -> &str;

    /// Returns the length of a tag in bytes.
    fn tag_len(&self) -> usize;

    /// Prepares a key of any length.
    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>>;

    /// Writes the tag of `message` to `out`, for a key that is used only once. Implementations may skip precomputation
    /// that pays off only over several messages.
    fn tag_once(&self, key: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        self.load_key(key)?.tag(message, out)
    }
}

/// A prepared key of a [`Mac`].
pub trait MacKey: Send + Sync {
    /// Writes the tag of `message` to `out`.
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()>;
}

/// An extract-and-expand key derivation function, such as HKDF-SHA256 (RFC 5869).
pub trait Kdf: Send + Sync {
    /// Returns the algorithm's name, such as `HKDF-SHA256`.
    fn algorithm(&self) -> &str;

    /// Derives keying material (extract, then expand) and fills `out` with it.
    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()>;
}

/// An authenticated cipher, such as AES-256-GCM (NIST SP 800-38D).
pub trait Aead: Send + Sync {
    /// Returns the algorithm's name, such as `AES-256-GCM`.
    fn algorithm(&self) -> &str;

    /// Returns the length of a key in bytes.
    fn key_len(&self) -> usize;

    /// Returns the length of a nonce in bytes.
    fn nonce_len(&self) -> usize;

    /// Returns the length of a tag in bytes.
    fn tag_len(&self) -> usize;

    /// Prepares a key.
    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>>;
}

/// A prepared key of an [`Aead`].
pub trait AeadKey: Send + Sync {
    /// Encrypts `buffer` in place and writes the tag to `tag`.
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()>;

    /// Decrypts `buffer` in place if `tag` is valid, otherwise fails.
    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()>;
}

/// A stream cipher without authentication, for keys that encrypt only one message, such as AES-256 in counter mode
/// (NIST SP 800-38A, section 6.5).
pub trait StreamCipher: Send + Sync {
    /// Returns the algorithm's name, such as `AES-256-CTR`.
    fn algorithm(&self) -> &str;

    /// Returns the length of a key in bytes.
    fn key_len(&self) -> usize;

    /// Returns the length of the initial counter block in bytes.
    fn counter_len(&self) -> usize;

    /// Encrypts or decrypts `buffer` in place; both are the same operation. For each cipher block, increments the
    /// entire counter block as one big-endian number.
    fn apply_once(&self, key: &[u8], counter: &[u8], buffer: &mut [u8]) -> Result<()>;
}
