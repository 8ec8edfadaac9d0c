//! Primitives for the handshakes that use SHA-3: hs-ntor and ntor v3.

use super::{Result, Transcript, WORD};
use pqlab_primitives::{Hash, KeyAgreement, StreamCipher, Wiped, Xof};
use std::sync::Arc;

/// Primitives for a handshake that uses SHA-3.
#[derive(Clone)]
pub struct Sha3Parts {
    /// X25519.
    pub agreement: Arc<dyn KeyAgreement>,
    /// SHA3-256.
    pub hash: Arc<dyn Hash>,
    /// SHAKE256.
    pub xof: Arc<dyn Xof>,
    /// AES-256-CTR.
    pub cipher: Arc<dyn StreamCipher>,
}

/// Block length of AES in bytes.
const BLOCK: usize = 16;

impl Sha3Parts {
    /// Returns the SHA3-256 digest of the concatenated parts. Wipes the input buffer afterwards, because parts may be
    /// secret.
    pub(super) fn digest<const CAPACITY: usize>(&self, parts: &[&[u8]]) -> Result<[u8; WORD]> {
        let input = Wiped::new(Transcript::<CAPACITY>::new(parts));
        let mut digest = [0; WORD];
        self.hash.digest(input.bytes(), &mut digest)?;
        Ok(digest)
    }

    /// Fills `out` with the SHAKE256 output for the concatenated parts.
    pub(super) fn expand<const CAPACITY: usize>(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<()> {
        let input = Wiped::new(Transcript::<CAPACITY>::new(parts));
        Ok(self.xof.digest(input.bytes(), out)?)
    }

    /// Encrypts or decrypts `buffer` in place. The counter starts at zero, because each key is used only once.
    pub(super) fn encrypt(&self, key: &[u8], buffer: &mut [u8]) -> Result<()> {
        Ok(self.cipher.apply_once(key, &[0; BLOCK], buffer)?)
    }
}

/// Returns the total length of the parts as eight bytes, big-endian: INT_8 in rend-spec-v3, `htonll` in proposal 332.
pub(super) fn length(parts: &[&[u8]]) -> [u8; 8] {
    let sum: usize = parts.iter().map(|part| part.len()).sum();
    (sum as u64).to_be_bytes()
}
