//! HMAC-SHA256 (RFC 2104), HKDF-SHA256 (RFC 5869), AES-256-GCM (NIST SP 800-38D) and AES-256-CTR (NIST SP 800-38A),
//! from the `hmac`, `hkdf` and `aes-gcm` crates, and from `aes` with `ctr`.

use super::sized;
use crate::shared::bytes::fill;
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::AeadInOut;
use aes_gcm::aes::Aes256;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher as _};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac as HmacState};
use pqlab_primitives::{Aead, AeadKey, Error, Kdf, Mac, MacKey, Result, StreamCipher};
use sha2::Sha256;
use std::sync::Arc;

pub(super) fn macs() -> Vec<Arc<dyn Mac>> {
    vec![Arc::new(HmacSha256)]
}

pub(super) fn kdfs() -> Vec<Arc<dyn Kdf>> {
    vec![Arc::new(HkdfSha256)]
}

pub(super) fn aeads() -> Vec<Arc<dyn Aead>> {
    vec![Arc::new(Aes256GcmAead)]
}

pub(super) fn stream_ciphers() -> Vec<Arc<dyn StreamCipher>> {
    vec![Arc::new(Aes256Ctr)]
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
        let state = Hmac::<Sha256>::new_from_slice(key).map_err(|_| Error::Malformed("HMAC key"))?;
        Ok(Box::new(HmacSha256Key(state)))
    }
}

/// Prepared key: the inner and outer hash states after the first block. Each message uses a copy of both states.
struct HmacSha256Key(Hmac<Sha256>);

impl MacKey for HmacSha256Key {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        let mut state = self.0.clone();
        state.update(message);
        fill("tag", out, &state.finalize().into_bytes())
    }
}

struct HkdfSha256;

impl Kdf for HkdfSha256 {
    fn algorithm(&self) -> &str {
        "HKDF-SHA256"
    }

    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
        let actual = out.len();
        Hkdf::<Sha256>::new(Some(salt), key_material).expand(info, out).map_err(|_| Error::Length {
            what: "keying material",
            expected: 255 * 32,
            actual,
        })
    }
}

struct Aes256GcmAead;

const KEY: usize = 32;
const NONCE: usize = 12;
const TAG: usize = 16;

impl Aead for Aes256GcmAead {
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
        Ok(Box::new(Aes256GcmKey(Aes256Gcm::new(sized("key", KEY, key)?))))
    }
}

/// Prepared key: the round keys and the powers of the GHASH key.
struct Aes256GcmKey(Aes256Gcm);

impl AeadKey for Aes256GcmKey {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        let nonce = sized("nonce", NONCE, nonce)?;
        Error::check_length("tag", TAG, tag.len())?;
        let computed = self
            .0
            .encrypt_inout_detached(nonce, associated_data, buffer.into())
            .map_err(|error| Error::Library { call: "aes_gcm encrypt", detail: error.to_string() })?;
        fill("tag", tag, &computed)
    }

    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        let (nonce, tag) = (sized("nonce", NONCE, nonce)?, sized("tag", TAG, tag)?);
        self.0.decrypt_inout_detached(nonce, associated_data, buffer.into(), tag).map_err(|_| Error::VerificationFailed)
    }
}

struct Aes256Ctr;

/// Length of an AES block in bytes.
const BLOCK: usize = 16;

impl StreamCipher for Aes256Ctr {
    fn algorithm(&self) -> &str {
        "AES-256-CTR"
    }

    fn key_len(&self) -> usize {
        KEY
    }

    fn counter_len(&self) -> usize {
        BLOCK
    }

    fn apply_once(&self, key: &[u8], counter: &[u8], buffer: &mut [u8]) -> Result<()> {
        let mut stream = Ctr128BE::<Aes256>::new(sized("key", KEY, key)?, sized("counter", BLOCK, counter)?);
        stream.apply_keystream(buffer);
        Ok(())
    }
}
