//! HMAC-SHA256 (RFC 2104) and AES-256-GCM (NIST SP 800-38D).

use crate::shared::bytes::{fill, sized, sized_mut};
use graviola::aead::AesGcm;
use graviola::hashing::Sha256;
use graviola::hashing::hmac::Hmac;
use pqlab_primitives::{Aead, AeadKey, Error, Mac, MacKey, Result};
use std::sync::Arc;

pub(super) fn macs() -> Vec<Arc<dyn Mac>> {
    vec![Arc::new(HmacSha256)]
}

pub(super) fn aeads() -> Vec<Arc<dyn Aead>> {
    vec![Arc::new(Aes256Gcm)]
}

struct HmacSha256;

impl Mac for HmacSha256 {
    fn algorithm(&self) -> &str {
        "HMAC-SHA256"
    }

    fn tag_len(&self) -> usize {
        32
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        Ok(Box::new(HmacSha256Key(Hmac::new(key))))
    }

    fn tag_once(&self, key: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        finish(Hmac::new(key), message, out)
    }
}

/// Prepared key: the inner and outer hash states after the first block. Each message uses a copy of both states.
struct HmacSha256Key(Hmac<Sha256>);

impl MacKey for HmacSha256Key {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        finish(self.0.clone(), message, out)
    }
}

fn finish(mut state: Hmac<Sha256>, message: &[u8], out: &mut [u8]) -> Result<()> {
    state.update(message);
    fill("tag", out, state.finish().as_ref())
}

struct Aes256Gcm;

const KEY: usize = 32;
const NONCE: usize = 12;
const TAG: usize = 16;

impl Aead for Aes256Gcm {
    fn algorithm(&self) -> &str {
        "AES-256-GCM"
    }

    fn key_len(&self) -> usize {
        KEY
    }

    fn nonce_len(&self) -> usize {
        NONCE
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Ok(Box::new(Aes256GcmKey(AesGcm::new(sized::<KEY>("key", key)?))))
    }
}

/// Prepared key: the round keys and the powers of the GHASH key.
struct Aes256GcmKey(AesGcm);

impl AeadKey for Aes256GcmKey {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.0.encrypt(sized::<NONCE>("nonce", nonce)?, associated_data, buffer, sized_mut::<TAG>("tag", tag)?);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        let (nonce, tag) = (sized::<NONCE>("nonce", nonce)?, sized::<TAG>("tag", tag)?);
        self.0.decrypt(nonce, associated_data, buffer, tag).map_err(|_| Error::VerificationFailed)
    }
}
