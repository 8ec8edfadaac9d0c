//! Measures the lengths of signatures: signs a fresh message each time, records the length, and verifies the signature.

use super::{Setting, signing_key};
use crate::fault;
use crate::inputs::{Supply, Turn};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Error, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Name under which samples record the length of each signature in bytes.
pub(super) const SIGNATURE_BYTES: &str = "signature_bytes";
/// Length of a message in bytes.
const MESSAGE: usize = 32;

/// Returns whether to measure a scheme's signature lengths. This is useful only if the lengths vary or are padded, as
/// in padded Falcon.
pub(super) fn worth_it(scheme: &dyn SignatureScheme) -> bool {
    let parameters = &scheme.info().parameters;
    parameters.variable_length || parameters.algorithm.starts_with("Falcon-padded-")
}

/// Signs with several keys in rotation, and records the length of each signature.
pub(super) struct SignatureSizes {
    setting: Setting,
    keys: Vec<(Box<dyn SigningKey>, Box<dyn VerifyingKey>)>,
    turn: Turn,
    /// Signatures since the last [`Trial::verify`], each as index of the key, message and signature.
    signed: Vec<(usize, [u8; MESSAGE], Vec<u8>)>,
    /// Number of signatures in `signed`. The remaining entries are buffers for the next signatures.
    made: usize,
    generator: ChaCha8Rng,
}

impl SignatureSizes {
    pub(super) fn new(setting: Setting, generator: &mut ChaCha8Rng) -> LibraryResult<SignatureSizes> {
        let keys = Supply::Pool.keys(|| {
            let (key, _) = signing_key(setting.scheme.as_ref(), generator)?;
            let verifier = key.verifying_key()?;
            Ok::<_, Error>((key, verifier))
        })?;
        let turn = Turn::new(keys.len());
        Ok(SignatureSizes { setting, turn, keys, signed: Vec::new(), made: 0, generator: generator.clone() })
    }
}

impl Trial for SignatureSizes {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        let longest = self.setting.scheme.info().parameters.signature;
        for _ in self.signed.len()..self.made + batch {
            self.signed.push((0, [0; MESSAGE], vec![0; longest]));
        }
        for (_, message, signature) in &mut self.signed[self.made..self.made + batch] {
            self.generator.fill_bytes(message);
            signature.resize(longest, 0);
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        for (number, message, signature) in &mut self.signed[self.made..self.made + batch] {
            *number = self.turn.advance();
            let length = self.keys[*number].0.sign(&[], &*message, Coins::Internal, signature).map_err(fault)?;
            signature.truncate(length);
            recorder.note(SIGNATURE_BYTES, length as f64);
        }
        self.made += batch;
        Ok(())
    }

    /// Verifies every signature. For the last signature, also checks that altered signatures are rejected.
    fn verify(&mut self) -> Result<(), Fault> {
        for (number, message, signature) in &self.signed[..self.made] {
            self.keys[*number].1.verify(&[], message, signature).map_err(fault)?;
        }
        if let Some((number, message, signature)) = self.signed[..self.made].last() {
            self.setting.check(self.keys[*number].1.as_ref(), message, signature)?;
        }
        self.made = 0;
        Ok(())
    }
}
