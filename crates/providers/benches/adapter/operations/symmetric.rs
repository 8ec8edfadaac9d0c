use super::each;
use crate::interleaved::{Side, Work};
use pqlab_primitives::{Aead, Kdf, Mac};
use std::sync::Arc;

/// Message length in bytes.
pub(crate) const MESSAGE: usize = 64;
pub(crate) const KEY: [u8; 32] = [7; 32];
/// Salt and info for key derivation.
pub(crate) const SALT: &[u8] = b"pqlab derive salt";
pub(crate) const INFO: &[u8] = b"pqlab derive info";
/// Nonce for AES-GCM. [`TAG`] is the length of a tag in bytes.
pub(crate) const NONCE: [u8; 12] = [1; 12];
pub(crate) const TAG: usize = 16;

/// Returns a message of [`MESSAGE`] bytes.
pub(crate) fn message() -> Vec<u8> {
    vec![5; MESSAGE]
}

/// Returns the side that runs a MAC operation through the trait, with a prepared or an encoded key.
pub(crate) fn through_mac(mac: &Arc<dyn Mac>, operation: &str) -> Side {
    let (mac, message, mut out) = (Arc::clone(mac), message(), vec![0; mac.tag_len()]);
    if operation == "tag" {
        let key = mac.load_key(&KEY).expect("cannot load the key");
        return each(move || key.tag(&message, &mut out).expect("cannot compute the tag"));
    }
    each(move || mac.tag_once(&KEY, &message, &mut out).expect("cannot compute the tag"))
}

/// Returns the side that derives a key through the trait.
pub(crate) fn through_kdf(kdf: &Arc<dyn Kdf>) -> Side {
    let (kdf, mut out) = (Arc::clone(kdf), [0; 32]);
    each(move || kdf.derive(SALT, &KEY, INFO, &mut out).expect("cannot derive a key"))
}

/// Returns the side that seals or opens a message through the trait.
pub(crate) fn through_aead(aead: &Arc<dyn Aead>, operation: &str) -> Side {
    let key = aead.load_key(&KEY).expect("cannot load the key");
    let sealed = sealed(aead);
    if operation == "seal" {
        return cipher((message(), vec![0; TAG]), move |buffer, tag| {
            key.seal(&NONCE, &[], buffer, tag).expect("encryption failed");
        });
    }
    cipher(sealed, move |buffer, tag| key.open(&NONCE, &[], buffer, tag).expect("decryption failed"))
}

/// Returns a ciphertext and a valid tag.
pub(crate) fn sealed(aead: &Arc<dyn Aead>) -> (Vec<u8>, Vec<u8>) {
    let (mut buffer, mut tag) = (message(), vec![0; TAG]);
    let key = aead.load_key(&KEY).expect("cannot load the key");
    key.seal(&NONCE, &[], &mut buffer, &mut tag).expect("encryption failed");
    (buffer, tag)
}

/// Returns a side that seals or opens a message in place. Each operation in a batch uses a fresh copy of the message
/// and the tag.
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
