//! Provider that does no work, called in the same way as the others. The time that its calls take is the overhead that
//! the harness adds to every figure.
//!
//! Keys own as much memory as ML-KEM-768 and ML-DSA-65 keys. Operations write only as much output as a verifiable round
//! trip needs: the first eight bytes, and shared secrets in full. This is not cryptography. Ciphertexts contain the
//! secret in the clear. A signature depends only on the first bytes of the key, and on the length and the first byte of
//! the message.

mod agreement;
mod hash;
mod kem;
mod signature;
mod symmetric;
#[cfg(test)]
mod tests;

use crate::shared::compiled::compiled;
use pqlab_primitives::{BuildInfo, Coins, Error, KeyEncoding, NULL, Provider, Result};
use std::borrow::Cow;
use std::sync::Arc;

const STANDARD: Cow<'static, str> = Cow::Borrowed("none");

/// Length of secrets, digests, MAC tags and 256-bit keys, in bytes.
const SECRET: usize = 32;

pub(crate) fn providers() -> Vec<Provider> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut provider = Provider::new(NULL, BuildInfo { version, build: compiled().to_owned() });
    provider.kems = vec![Arc::new(kem::NullKem::new())];
    provider.signatures = vec![Arc::new(signature::NullSignature::new())];
    provider.key_agreements = vec![Arc::new(agreement::NullAgreement::new())];
    provider.hashes = vec![Arc::new(hash::NullHash::new())];
    provider.xofs = vec![Arc::new(hash::NullXof::new())];
    provider.lane_hashes = vec![Arc::new(hash::NullLanes(4)), Arc::new(hash::NullLanes(8))];
    provider.macs = vec![Arc::new(symmetric::NullMac)];
    provider.kdfs = vec![Arc::new(symmetric::NullKdf)];
    provider.aeads = vec![Arc::new(symmetric::NullAead)];
    vec![provider]
}

/// Bytes that the null provider writes instead of computed values. They are not all zero.
const MARK: [u8; 8] = *b"nothing.";

/// Returns the first eight bytes, or [`MARK`] if `bytes` is shorter.
#[inline(always)]
fn head(bytes: &[u8]) -> [u8; 8] {
    *bytes.first_chunk().unwrap_or(&MARK)
}

#[inline(always)]
fn write_head(out: &mut [u8], word: [u8; 8]) {
    if let Some(front) = out.first_chunk_mut() {
        *front = word;
    }
}

/// Writes `word` four times, which fills a shared secret with a single vector store.
#[inline(always)]
fn write_secret(out: &mut [u8], word: [u8; 8]) -> Result<()> {
    let actual = out.len();
    let out: &mut [u8; SECRET] =
        out.try_into().map_err(|_| Error::Length { what: "shared secret", expected: SECRET, actual })?;
    out.as_chunks_mut().0.fill(word);
    Ok(())
}

/// Returns eight bytes that depend on the message's length and first byte.
#[inline(always)]
fn summary(message: &[u8]) -> [u8; 8] {
    summary_of(message.first().copied(), message.len())
}

#[inline(always)]
fn summary_of(first: Option<u8>, length: usize) -> [u8; 8] {
    let first = u64::from(first.unwrap_or_default());
    (u64::from_le_bytes(MARK) ^ (length as u64) ^ (first << 56)).to_le_bytes()
}

#[inline(always)]
fn xor(a: [u8; 8], b: [u8; 8]) -> [u8; 8] {
    (u64::from_ne_bytes(a) ^ u64::from_ne_bytes(b)).to_ne_bytes()
}

/// Returns eight bytes that depend on the first eight bytes of exact coins. For internal coins, returns [`MARK`].
#[inline(always)]
fn coins_head(coins: Coins, length: usize) -> Result<[u8; 8]> {
    match coins {
        Coins::Internal => Ok(MARK),
        Coins::Exact(bytes) => {
            Error::check_length("coins", length, bytes.len())?;
            Ok(xor(head(bytes), MARK))
        }
    }
}

/// Memory for a key, as large as a real key. Both keys in a pair begin with the same eight bytes.
#[derive(Clone)]
struct Key(Box<[u8]>);

impl Key {
    fn new(word: [u8; 8], length: usize) -> Key {
        let mut bytes = vec![0; length].into_boxed_slice();
        write_head(&mut bytes, word);
        Key(bytes)
    }

    fn load(what: &'static str, length: usize, bytes: &[u8]) -> Result<Key> {
        Error::check_length(what, length, bytes.len())?;
        Ok(Key(bytes.into()))
    }

    #[inline(always)]
    fn head(&self) -> [u8; 8] {
        head(&self.0)
    }

    fn encode(&self, what: &'static str, out: &mut [u8]) -> Result<usize> {
        let (expected, actual) = (self.0.len(), out.len());
        out.get_mut(..expected).ok_or(Error::Length { what, expected, actual })?.copy_from_slice(&self.0);
        Ok(expected)
    }
}

fn expanded_only(encoding: KeyEncoding) -> Result<()> {
    if encoding == KeyEncoding::Expanded { Ok(()) } else { Err(Error::Unsupported("keys have only one encoding")) }
}

/// Public key in a key pair.
struct Public(Key);

/// Private key in a key pair.
struct Private(Key);
