//! Trial that computes the fingerprint of a public key. Several areas share it.

use pqlab_constructions::keys::{DecodeError, PublicKey};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::Hash;
use std::sync::Arc;

/// Name of the operation.
pub(crate) const FINGERPRINT: &str = "fingerprint";

/// Fingerprint trial. Each operation encodes the key as SubjectPublicKeyInfo and computes the SHA-256 digest.
pub(crate) struct Fingerprint {
    key: PublicKey,
    hash: Arc<dyn Hash>,
    expected: [u8; 32],
    output: Option<[u8; 32]>,
}

impl Fingerprint {
    /// Creates the trial for a key. `hash` is a library's SHA-256.
    pub(crate) fn new(key: PublicKey, hash: Arc<dyn Hash>) -> Result<Fingerprint, Fault> {
        let expected = key.fingerprint(hash.as_ref()).map_err(broken)?;
        Ok(Fingerprint { key, hash, expected, output: None })
    }
}

impl Trial for Fingerprint {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.output = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.output = Some(self.key.fingerprint(self.hash.as_ref()).map_err(broken)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.output == Some(self.expected) { Ok(()) } else { Err(Fault::WrongAnswer("wrong fingerprint".into())) }
    }
}

fn broken(error: DecodeError) -> Fault {
    Fault::WrongAnswer(error.to_string())
}
