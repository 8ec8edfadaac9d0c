use super::{Key, NULL, Private, SECRET, head, summary, write_head, xor};
use pqlab_primitives::{Aead, AeadKey, Error, Kdf, Mac, MacKey, Result};

pub(super) struct NullMac;

impl Mac for NullMac {
    fn algorithm(&self) -> &str {
        NULL
    }

    fn tag_len(&self) -> usize {
        SECRET
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        Ok(Box::new(Private(Key(key.into()))))
    }
}

impl MacKey for Private {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("tag", SECRET, out.len())?;
        write_head(out, xor(self.0.head(), summary(message)));
        Ok(())
    }
}

pub(super) struct NullKdf;

impl Kdf for NullKdf {
    fn algorithm(&self) -> &str {
        NULL
    }

    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
        write_head(out, xor(xor(summary(salt), summary(key_material)), summary(info)));
        Ok(())
    }
}

pub(super) struct NullAead;

/// Lengths of AES-256-GCM nonces and tags in bytes (NIST SP 800-38D).
pub(super) const NONCE: usize = 12;
pub(super) const TAG: usize = 16;

impl Aead for NullAead {
    fn algorithm(&self) -> &str {
        NULL
    }

    fn key_len(&self) -> usize {
        SECRET
    }

    fn nonce_len(&self) -> usize {
        NONCE
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Ok(Box::new(Private(Key::load("key", SECRET, key)?)))
    }
}

impl Private {
    #[inline(always)]
    fn aead_tag(&self, nonce: &[u8], associated_data: &[u8], buffer: &[u8]) -> Result<[u8; 8]> {
        Error::check_length("nonce", NONCE, nonce.len())?;
        Ok(xor(xor(self.0.head(), head(nonce)), xor(summary(associated_data), summary(buffer))))
    }
}

impl AeadKey for Private {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        Error::check_length("tag", TAG, tag.len())?;
        write_head(tag, self.aead_tag(nonce, associated_data, buffer)?);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        Error::check_length("tag", TAG, tag.len())?;
        let valid = head(tag) == self.aead_tag(nonce, associated_data, buffer)?;
        if valid { Ok(()) } else { Err(Error::VerificationFailed) }
    }
}
