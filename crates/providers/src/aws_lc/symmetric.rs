//! HMAC-SHA256 (RFC 2104), HKDF-SHA256 (RFC 5869), AES-256-GCM (NIST SP 800-38D) and AES-256-CTR (NIST SP 800-38A).

use super::error::{check, library, verification_failed};
use super::handle::Owned;
use crate::shared::bytes::{sized, sized_mut};
use aws_lc_sys as aws;
use pqlab_adapters::Contexts;
use pqlab_primitives::{Aead, AeadKey, Error, Kdf, Mac, MacKey, Result, StreamCipher};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Returns HMAC-SHA256.
pub(super) fn hmac() -> Arc<dyn Mac> {
    Arc::new(Hmac)
}

/// Returns HKDF-SHA256.
pub(super) fn hkdf() -> Arc<dyn Kdf> {
    Arc::new(Hkdf)
}

/// Returns AES-256-GCM with 96-bit nonces.
pub(super) fn aes_gcm() -> Arc<dyn Aead> {
    Arc::new(AesGcm)
}

/// Returns AES-256 in counter mode.
pub(super) fn aes_ctr() -> Arc<dyn StreamCipher> {
    Arc::new(AesCtr)
}

/// Length of a SHA-256 digest in bytes.
const DIGEST: usize = 32;
/// Maximum length of HKDF-SHA256 output in bytes (RFC 5869, section 2.3).
const KEYING_MATERIAL: usize = 255 * DIGEST;
/// Length of an AES-256 key in bytes.
const KEY: usize = 32;
/// Length of an AES-GCM nonce in bytes.
const NONCE: usize = 12;
/// Length of an AES-GCM tag in bytes.
const TAG: usize = 16;

/// Length of an AES block in bytes.
const BLOCK: usize = 16;

struct Hmac;

impl Mac for Hmac {
    fn algorithm(&self) -> &str {
        "HMAC-SHA256"
    }

    fn tag_len(&self) -> usize {
        DIGEST
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        let template = hmac_context()?;
        // SAFETY: nothing else uses the context. The key is passed with its length.
        check("HMAC_Init_ex", unsafe {
            aws::HMAC_Init_ex(template.as_ptr(), key.as_ptr().cast(), key.len(), aws::EVP_sha256(), null_mut())
        })?;
        Ok(Box::new(HmacKey { template, contexts: Contexts::new() }))
    }

    fn tag_once(&self, key: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        let out = sized_mut::<DIGEST>("tag", out)?;
        let mut length = 0;
        // SAFETY: the key and the message are passed with their lengths, and `out` holds the 32
        // bytes that the call writes.
        let returned = unsafe {
            aws::HMAC(
                aws::EVP_sha256(),
                key.as_ptr().cast(),
                key.len(),
                message.as_ptr(),
                message.len(),
                out.as_mut_ptr(),
                &raw mut length,
            )
        };
        if returned.is_null() { Err(library("HMAC")) } else { Ok(()) }
    }
}

struct HmacKey {
    /// Context that has absorbed the key. The pooled contexts are copies of this template.
    template: Owned<aws::HMAC_CTX>,
    contexts: Contexts<Owned<aws::HMAC_CTX>>,
}

impl MacKey for HmacKey {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        let out = sized_mut::<DIGEST>("tag", out)?;
        let mut length = 0;
        self.contexts.with(
            || copy(&self.template),
            |context| {
                let context = context.as_ptr();
                // SAFETY: only this thread uses the context. A null key keeps the key that the
                // context holds. The message is passed with its length, and `out` holds the 32
                // bytes that the last call writes.
                unsafe {
                    check("HMAC_Init_ex", aws::HMAC_Init_ex(context, null(), 0, null(), null_mut()))?;
                    check("HMAC_Update", aws::HMAC_Update(context, message.as_ptr(), message.len()))?;
                    check("HMAC_Final", aws::HMAC_Final(context, out.as_mut_ptr(), &raw mut length))
                }
            },
        )
    }
}

fn hmac_context() -> Result<Owned<aws::HMAC_CTX>> {
    // SAFETY: the call returns null or a new context that we own.
    unsafe { Owned::from_raw(aws::HMAC_CTX_new()) }.ok_or_else(|| library("HMAC_CTX_new"))
}

fn copy(template: &Owned<aws::HMAC_CTX>) -> Result<Owned<aws::HMAC_CTX>> {
    let context = hmac_context()?;
    // SAFETY: nothing else uses the context, and the call only reads the template.
    check("HMAC_CTX_copy_ex", unsafe { aws::HMAC_CTX_copy_ex(context.as_ptr(), template.as_ptr()) })?;
    Ok(context)
}

struct Hkdf;

impl Kdf for Hkdf {
    fn algorithm(&self) -> &str {
        "HKDF-SHA256"
    }

    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
        if out.len() > KEYING_MATERIAL {
            return Err(Error::Length { what: "keying material", expected: KEYING_MATERIAL, actual: out.len() });
        }
        // SAFETY: each pointer is passed with the length of its buffer.
        check("HKDF", unsafe {
            aws::HKDF(
                out.as_mut_ptr(),
                out.len(),
                aws::EVP_sha256(),
                key_material.as_ptr(),
                key_material.len(),
                salt.as_ptr(),
                salt.len(),
                info.as_ptr(),
                info.len(),
            )
        })
    }
}

struct AesGcm;

impl Aead for AesGcm {
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
        Error::check_length("key", KEY, key.len())?;
        // SAFETY: the key is passed with its length. The call returns null or a context that we
        // own.
        let context = unsafe {
            Owned::from_raw(aws::EVP_AEAD_CTX_new(aws::EVP_aead_aes_256_gcm(), key.as_ptr(), key.len(), TAG))
        };
        Ok(Box::new(AesGcmKey(context.ok_or_else(|| library("EVP_AEAD_CTX_new"))?)))
    }
}

struct AesGcmKey(Owned<aws::EVP_AEAD_CTX>);

impl AeadKey for AesGcmKey {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        let nonce = sized::<NONCE>("nonce", nonce)?;
        let tag = sized_mut::<TAG>("tag", tag)?;
        let mut tag_len = 0;
        let start = buffer.as_mut_ptr();
        // SAFETY: each pointer is passed with the length of its buffer. `aead.h` allows input and
        // output to be the same buffer.
        check("EVP_AEAD_CTX_seal_scatter", unsafe {
            aws::EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                start,
                tag.as_mut_ptr(),
                &raw mut tag_len,
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                start,
                buffer.len(),
                null(),
                0,
                associated_data.as_ptr(),
                associated_data.len(),
            )
        })
    }

    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        let nonce = sized::<NONCE>("nonce", nonce)?;
        let tag = sized::<TAG>("tag", tag)?;
        let start = buffer.as_mut_ptr();
        // SAFETY: each pointer is passed with the length of its buffer. `aead.h` allows input and
        // output to be the same buffer.
        let returned = unsafe {
            aws::EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                start,
                nonce.as_ptr(),
                nonce.len(),
                start,
                buffer.len(),
                tag.as_ptr(),
                tag.len(),
                associated_data.as_ptr(),
                associated_data.len(),
            )
        };
        if returned == 1 { Ok(()) } else { Err(verification_failed()) }
    }
}

struct AesCtr;

/// AES round keys for one call, wiped on drop.
struct RoundKeys(aws::AES_KEY);

impl Drop for RoundKeys {
    fn drop(&mut self) {
        // SAFETY: the call overwrites only the round keys, and any bytes are valid round keys.
        unsafe { aws::OPENSSL_cleanse((&raw mut self.0).cast(), size_of::<aws::AES_KEY>()) };
    }
}

impl StreamCipher for AesCtr {
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
        let key = sized::<KEY>("key", key)?;
        let mut counter = *sized::<BLOCK>("counter", counter)?;
        let (mut rest, mut used) = ([0; BLOCK], 0);
        let mut keys = RoundKeys(aws::AES_KEY { rd_key: [0; 60], rounds: 0 });
        // SAFETY: `key` holds the 256 bits that the call reads, and `keys` has room for the round
        // keys.
        if unsafe { aws::AES_set_encrypt_key(key.as_ptr(), 8 * KEY as u32, &raw mut keys.0) } != 0 {
            return Err(library("AES_set_encrypt_key"));
        }
        let start = buffer.as_mut_ptr();
        // SAFETY: `aes.h` allows input and output to be the same buffer. `counter` and `rest` are
        // one block long.
        unsafe {
            let (counter, rest) = (counter.as_mut_ptr(), rest.as_mut_ptr());
            aws::AES_ctr128_encrypt(start, start, buffer.len(), &raw const keys.0, counter, rest, &raw mut used);
        }
        pqlab_primitives::wipe(&mut rest);
        Ok(())
    }
}
