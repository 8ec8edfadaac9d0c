//! How long signatures are: each is made over a fresh message, its length noted, and verified.

use super::{Mode, other_key, refuses, signing_key};
use crate::inputs::Turn;
use crate::{fault, inputs};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Under this name the length in bytes of each signature is kept with the samples.
pub(super) const SIGNATURE_BYTES: &str = "signature_bytes";
/// Length in bytes of a message.
const MESSAGE: usize = 32;

/// Whether there is something to learn: Falcon, whose signatures are compressed, and padded or not.
pub(super) fn worth_it(scheme: &dyn SignatureScheme) -> bool {
    let parameters = &scheme.info().parameters;
    parameters.variable_length || parameters.algorithm.starts_with("Falcon-padded-")
}

/// Signing with several keys in turn, noting the length of each signature.
pub(super) struct SignatureSizes {
    keys: Vec<(Box<dyn SigningKey>, Box<dyn VerifyingKey>)>,
    other_key: Box<dyn VerifyingKey>,
    turn: Turn,
    /// What was signed since the last [`Trial::verify`]: the key's number, the message, the signature.
    signed: Vec<(usize, [u8; MESSAGE], Vec<u8>)>,
    /// How many of them are made; those behind are room for the next.
    made: usize,
    longest: usize,
    generator: ChaCha8Rng,
}

impl SignatureSizes {
    pub(super) fn new(scheme: Arc<dyn SignatureScheme>, generator: &mut ChaCha8Rng) -> LibraryResult<SignatureSizes> {
        let keys = inputs::pool(|| {
            let key = signing_key(scheme.as_ref(), generator)?;
            let verifier = key.verifying_key()?;
            Ok::<_, pqlab_primitives::Error>((key, verifier))
        })?;
        Ok(SignatureSizes {
            other_key: other_key(scheme.as_ref(), generator)?,
            turn: Turn::of(keys.len()),
            keys,
            signed: Vec::new(),
            made: 0,
            longest: scheme.info().parameters.signature,
            generator: generator.clone(),
        })
    }
}

impl Trial for SignatureSizes {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        for _ in self.signed.len()..self.made + batch {
            self.signed.push((0, [0; MESSAGE], vec![0; self.longest]));
        }
        for (_, message, signature) in &mut self.signed[self.made..self.made + batch] {
            self.generator.fill_bytes(message);
            signature.resize(self.longest, 0);
        }
        Ok(())
    }

    fn run(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        for (number, message, signature) in &mut self.signed[self.made..self.made + batch] {
            *number = self.turn.advance();
            let length = self.keys[*number].0.sign(&[], &*message, Coins::Internal, signature).map_err(fault)?;
            signature.truncate(length);
            recorder.note(SIGNATURE_BYTES, length as f64);
        }
        self.made += batch;
        Ok(())
    }

    /// Verifies every signature, and that one key does not stand for another.
    fn verify(&mut self) -> Result<(), Fault> {
        for (number, message, signature) in &self.signed[..self.made] {
            self.keys[*number].1.verify(&[], message, signature).map_err(fault)?;
        }
        if let Some((_, message, signature)) = self.signed[..self.made].last() {
            refuses(Mode::default(), self.other_key.as_ref(), message, signature, "a signature under another key")?;
        }
        self.made = 0;
        Ok(())
    }
}
