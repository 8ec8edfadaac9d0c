use super::each;
use crate::interleaved::{Side, Work};
use pqlab_primitives::{Aead, Kdf, Mac};
use std::sync::Arc;

/// Length of messages in bytes.
pub(crate) const MESSAGE: usize = 64;
pub(crate) const KEY: [u8; 32] = [7; 32];
/// Inputs of a key derivation.
pub(crate) const SALT: &[u8] = b"pqlab derive salt";
pub(crate) const INFO: &[u8] = b"pqlab derive info";
/// Nonce of AES-GCM, and length of its tag in bytes.
pub(crate) const NONCE: [u8; 12] = [1; 12];
pub(crate) const TAG: usize = 16;

/// Returns a message.
pub(crate) fn message() -> Vec<u8> {
    vec![5; MESSAGE]
}

/// Returns a side that runs a MAC's operation through the trait, with a prepared key or with the key's bytes.
pub(crate) fn through_mac(mac: &Arc<dyn Mac>, operation: &str) -> Side {
    let (mac, message, mut out) = (Arc::clone(mac), message(), vec![0; mac.tag_len()]);
    if operation == "tag" {
        let key = mac.load_key(&KEY).expect("a key");
        return each(move || key.tag(&message, &mut out).expect("a tag"));
    }
    each(move || mac.tag_once(&KEY, &message, &mut out).expect("a tag"))
}

/// Returns a side that derives a key through the trait.
pub(crate) fn through_kdf(kdf: &Arc<dyn Kdf>) -> Side {
    let (kdf, mut out) = (Arc::clone(kdf), [0; 32]);
    each(move || kdf.derive(SALT, &KEY, INFO, &mut out).expect("keying material"))
}

/// Returns a side that seals or opens through the trait.
pub(crate) fn through_aead(aead: &Arc<dyn Aead>, operation: &str) -> Side {
    let key = aead.load_key(&KEY).expect("a key");
    let sealed = sealed(aead);
    if operation == "seal" {
        return cipher((message(), vec![0; TAG]), move |buffer, tag| {
            key.seal(&NONCE, &[], buffer, tag).expect("a ciphertext");
        });
    }
    cipher(sealed, move |buffer, tag| key.open(&NONCE, &[], buffer, tag).expect("a plaintext"))
}

/// Returns a ciphertext and its tag.
pub(crate) fn sealed(aead: &Arc<dyn Aead>) -> (Vec<u8>, Vec<u8>) {
    let (mut buffer, mut tag) = (message(), vec![0; TAG]);
    let key = aead.load_key(&KEY).expect("a key");
    key.seal(&NONCE, &[], &mut buffer, &mut tag).expect("a ciphertext");
    (buffer, tag)
}

/// Returns a side that seals or opens a buffer and its tag in place. Each operation of a batch consumes its own pair.
pub(crate) fn cipher(input: (Vec<u8>, Vec<u8>), call: impl FnMut(&mut [u8], &mut [u8]) + 'static) -> Side {
    Box::new(Cipher { call, input, buffers: Vec::new() })
}

struct Cipher<F> {
    call: F,
    input: (Vec<u8>, Vec<u8>),
    buffers: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<F: FnMut(&mut [u8], &mut [u8])> Work for Cipher<F> {
    fn ready(&mut self, batch: usize) {
        self.buffers.resize(batch, self.input.clone());
        for buffer in &mut self.buffers {
            buffer.clone_from(&self.input);
        }
    }

    fn run(&mut self, batch: usize) {
        for (buffer, tag) in &mut self.buffers[..batch] {
            (self.call)(buffer, tag);
        }
    }
}
