//! HMAC, HKDF and AES-GCM, measured for comparison with the hash functions.

use super::same;
use crate::fault;
use crate::inputs::Turn;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{AeadKey, Error, Kdf, MacKey};
use std::sync::Arc;

/// Length in bytes of the keying material that a KDF derives.
pub(super) const KEYING_MATERIAL: usize = 32;

/// Message authentication with a prepared key.
pub(super) struct Tag {
    key: Box<dyn MacKey>,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    turn: Turn,
    out: Vec<u8>,
}

impl Tag {
    pub(super) fn new(key: Box<dyn MacKey>, length: usize, messages: Vec<Vec<u8>>) -> Result<Tag, Error> {
        let expected = messages
            .iter()
            .map(|message| {
                let mut out = vec![0; length];
                key.tag(message, &mut out).map(|()| out)
            })
            .collect::<Result<_, _>>()?;
        Ok(Tag { key, turn: Turn::new(messages.len()), messages, expected, out: vec![0; length] })
    }
}

impl Trial for Tag {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.key.tag(&self.messages[self.turn.advance()], &mut self.out).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.turn.last()], "tag")
    }
}

/// Key derivation: extract and expand.
pub(super) struct Derive {
    kdf: Arc<dyn Kdf>,
    materials: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    turn: Turn,
    out: Vec<u8>,
}

const SALT: &[u8] = b"pqlab derive salt";
const INFO: &[u8] = b"pqlab derive info";

impl Derive {
    pub(super) fn new(kdf: Arc<dyn Kdf>, materials: Vec<Vec<u8>>) -> Result<Derive, Error> {
        let expected = materials
            .iter()
            .map(|material| {
                let mut out = vec![0; KEYING_MATERIAL];
                kdf.derive(SALT, material, INFO, &mut out).map(|()| out)
            })
            .collect::<Result<_, _>>()?;
        Ok(Derive { kdf, turn: Turn::new(materials.len()), materials, expected, out: vec![0; KEYING_MATERIAL] })
    }
}

impl Trial for Derive {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let material = &self.materials[self.turn.advance()];
            self.kdf.derive(SALT, material, INFO, &mut self.out).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.turn.last()], "key")
    }
}

/// Authenticated encryption or decryption in place, with a prepared key. Each operation of a batch uses a separate
/// buffer, because decryption overwrites its input.
pub(super) struct Cipher {
    key: Box<dyn AeadKey>,
    nonce: Vec<u8>,
    messages: Vec<Vec<u8>>,
    /// Ciphertext and tag of each message.
    sealed: Vec<(Vec<u8>, Vec<u8>)>,
    buffers: Vec<(Vec<u8>, Vec<u8>)>,
    seal: bool,
}

impl Cipher {
    pub(super) fn new(
        key: Box<dyn AeadKey>,
        tag: usize,
        nonce: Vec<u8>,
        messages: Vec<Vec<u8>>,
        seal: bool,
    ) -> Result<Cipher, Error> {
        let sealed = messages
            .iter()
            .map(|message| {
                let (mut buffer, mut out) = (message.clone(), vec![0; tag]);
                key.seal(&nonce, &[], &mut buffer, &mut out).map(|()| (buffer, out))
            })
            .collect::<Result<_, _>>()?;
        Ok(Cipher { key, nonce, messages, sealed, buffers: Vec::new(), seal })
    }
}

impl Trial for Cipher {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.buffers.resize_with(batch.max(self.buffers.len()), Default::default);
        for (index, (buffer, tag)) in self.buffers.iter_mut().take(batch).enumerate() {
            let message = index % self.messages.len();
            let input = if self.seal { &self.messages[message] } else { &self.sealed[message].0 };
            buffer.clear();
            buffer.extend_from_slice(input);
            tag.clear();
            tag.extend_from_slice(&self.sealed[message].1);
            if self.seal {
                tag.fill(0);
            }
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for (buffer, tag) in &mut self.buffers[..batch] {
            if self.seal {
                self.key.seal(&self.nonce, &[], buffer, tag).map_err(fault)?;
            } else {
                self.key.open(&self.nonce, &[], buffer, tag).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some((buffer, tag)) = self.buffers.first() else { return Ok(()) };
        let expected = if self.seal { &self.sealed[0].0 } else { &self.messages[0] };
        same(buffer, expected, if self.seal { "ciphertext" } else { "plaintext" })?;
        same(tag, &self.sealed[0].1, "tag")
    }
}
