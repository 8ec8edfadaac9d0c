//! Labeled key derivation: HKDF over HMAC (RFC 9180, section 4), or a single SHAKE256 call (draft-ietf-hpke-pq-05).

use pqlab_primitives::{Error, Mac, Result, Wiped, Xof};
use std::sync::Arc;

const VERSION: &[u8] = b"HPKE-v1";
/// Length in bytes of an HMAC-SHA256 tag.
const HASH: usize = 32;

/// Key derivation function for HPKE.
#[derive(Clone)]
pub enum Kdf {
    /// HKDF-SHA256, built from a library's HMAC-SHA256.
    HkdfSha256(Arc<dyn Mac>),
    /// SHAKE256 as a one-stage KDF (draft-ietf-hpke-pq-05).
    Shake256(Arc<dyn Xof>),
}

impl Kdf {
    /// Returns the KDF's HPKE identifier (RFC 9180, section 7.2; draft-ietf-hpke-pq-05).
    pub(super) fn id(&self) -> u16 {
        match self {
            Kdf::HkdfSha256(_) => 0x01,
            Kdf::Shake256(_) => 0x11,
        }
    }

    /// Returns the output length in bytes (Nh).
    pub(super) fn output(&self) -> usize {
        match self {
            Kdf::HkdfSha256(_) => HASH,
            Kdf::Shake256(_) => 64,
        }
    }
}

/// A KDF and the identifier of the HPKE suite or KEM that uses it.
pub(super) struct Labelled<'a> {
    pub(super) kdf: &'a Kdf,
    pub(super) suite: &'a [u8],
}

impl Labelled<'_> {
    /// Derives the key, the base nonce and the exporter secret for a mode without a pre-shared key.
    pub(super) fn schedule(
        &self,
        mode: u8,
        secret: &[u8],
        info: &[u8],
        key: &mut [u8],
        nonce: &mut [u8],
        exporter: &mut [u8],
    ) -> Result<()> {
        match self.kdf {
            Kdf::HkdfSha256(hmac) => {
                let no_key = self.extract(hmac.as_ref(), &[], "psk_id_hash", &[])?;
                let info = self.extract(hmac.as_ref(), &[], "info_hash", info)?;
                let context = [&[mode][..], no_key.as_slice(), info.as_slice()].concat();
                let secret = self.extract(hmac.as_ref(), secret, "secret", &[])?;
                self.expand(hmac.as_ref(), secret.as_slice(), "key", &context, key)?;
                self.expand(hmac.as_ref(), secret.as_slice(), "base_nonce", &context, nonce)?;
                self.expand(hmac.as_ref(), secret.as_slice(), "exp", &context, exporter)
            }
            Kdf::Shake256(shake) => {
                let secrets = Wiped::new([&prefixed(&[])?[..], &prefixed(secret)?].concat());
                let context = [&[mode][..], &prefixed(&[])?, &prefixed(info)?].concat();
                let mut all = Wiped::new(vec![0; key.len() + nonce.len() + exporter.len()]);
                self.derive(shake.as_ref(), &secrets, "secret", &context, &mut all)?;
                let (first, rest) = all.split_at(key.len());
                let (second, third) = rest.split_at(nonce.len());
                key.copy_from_slice(first);
                nonce.copy_from_slice(second);
                exporter.copy_from_slice(third);
                Ok(())
            }
        }
    }

    /// Derives a secret for `context` from the exporter secret.
    pub(super) fn export(&self, exporter: &[u8], context: &[u8], out: &mut [u8]) -> Result<()> {
        match self.kdf {
            Kdf::HkdfSha256(hmac) => self.expand(hmac.as_ref(), exporter, "sec", context, out),
            Kdf::Shake256(shake) => self.derive(shake.as_ref(), exporter, "sec", context, out),
        }
    }

    /// Computes LabeledExtract (RFC 9180, section 4).
    pub(super) fn extract(&self, hmac: &dyn Mac, salt: &[u8], label: &str, ikm: &[u8]) -> Result<Wiped<[u8; HASH]>> {
        let message = Wiped::new([VERSION, self.suite, label.as_bytes(), ikm].concat());
        let mut extracted = Wiped::new([0; HASH]);
        hmac.tag_once(salt, &message, extracted.as_mut_slice())?;
        Ok(extracted)
    }

    /// Computes LabeledExpand (RFC 9180, section 4).
    pub(super) fn expand(&self, hmac: &dyn Mac, key: &[u8], label: &str, info: &[u8], out: &mut [u8]) -> Result<()> {
        let info = [&length(out.len())?[..], VERSION, self.suite, label.as_bytes(), info].concat();
        let key = hmac.load_key(key)?;
        // Each block depends on the previous one (RFC 5869, section 2.3).
        let mut block = Wiped::new([0; HASH]);
        for (number, part) in out.chunks_mut(HASH).enumerate() {
            let counter = u8::try_from(number + 1).map_err(|_| TOO_LONG)?;
            let before = if number == 0 { &[][..] } else { block.as_slice() };
            let message = Wiped::new([before, &info, &[counter]].concat());
            key.tag(&message, block.as_mut_slice())?;
            part.copy_from_slice(&block[..part.len()]);
        }
        Ok(())
    }

    /// Computes LabeledDerive for a one-stage KDF (draft-ietf-hpke-pq-05).
    fn derive(&self, shake: &dyn Xof, ikm: &[u8], label: &str, context: &[u8], out: &mut [u8]) -> Result<()> {
        let label = prefixed(label.as_bytes())?;
        let parts = [ikm, VERSION, self.suite, &label, &length(out.len())?, context];
        shake.digest(&Wiped::new(parts.concat()), out)
    }
}

const TOO_LONG: Error = Error::Unsupported("the input or output is too long for HPKE's KDFs");

fn length(bytes: usize) -> Result<[u8; 2]> {
    u16::try_from(bytes).map(u16::to_be_bytes).map_err(|_| TOO_LONG)
}

/// Returns `bytes`, preceded by their length as a big-endian two-byte integer.
fn prefixed(bytes: &[u8]) -> Result<Wiped<Vec<u8>>> {
    Ok(Wiped::new([&length(bytes.len())?[..], bytes].concat()))
}
