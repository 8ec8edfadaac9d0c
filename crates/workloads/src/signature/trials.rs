//! The trials of keygen, sign and verify.

use super::{Mode, check, encode_signing_key, other_key, own_encoding, round_trip, signing_key};
use crate::fault;
use crate::inputs::{POOL, Turn, bytes, pool};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, KeyEncoding, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Keys that are kept for [`Trial::verify`].
const KEPT: usize = 4;

/// Key generation up to a prepared key.
pub(super) struct Keygen {
    scheme: Arc<dyn SignatureScheme>,
    keys: Vec<Box<dyn SigningKey>>,
    other_key: Box<dyn VerifyingKey>,
}

impl Keygen {
    pub(super) fn new(scheme: Arc<dyn SignatureScheme>, generator: &mut ChaCha8Rng) -> LibraryResult<Keygen> {
        Ok(Keygen { other_key: other_key(scheme.as_ref(), generator)?, scheme, keys: Vec::new() })
    }
}

impl Trial for Keygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.push(self.scheme.generate(Coins::Internal).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.last() else { return Ok(()) };
        let verifier = key.verifying_key().map_err(fault)?;
        round_trip(self.scheme.as_ref(), key.as_ref(), verifier.as_ref(), self.other_key.as_ref())
    }
}

/// Key generation up to encoded bytes.
pub(super) struct KeygenEncoded {
    scheme: Arc<dyn SignatureScheme>,
    other_key: Box<dyn VerifyingKey>,
    outputs: Vec<Encoded>,
    turn: Turn,
}

#[derive(Clone)]
struct Encoded {
    verifying_key: Vec<u8>,
    signing_key: Vec<u8>,
    lengths: (usize, usize),
}

impl KeygenEncoded {
    pub(super) fn new(scheme: Arc<dyn SignatureScheme>, generator: &mut ChaCha8Rng) -> LibraryResult<KeygenEncoded> {
        let verifying_key = vec![0; scheme.info().parameters.verifying_key];
        let signing_key = vec![0; own_encoding(scheme.as_ref()).map_or(0, |(_, length)| length)];
        let slot = Encoded { verifying_key, signing_key, lengths: (0, 0) };
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(KeygenEncoded { scheme, other_key, outputs: vec![slot; KEPT], turn: Turn::of(KEPT) })
    }
}

impl Trial for KeygenEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let slot = &mut self.outputs[self.turn.advance()];
            slot.lengths = self
                .scheme
                .generate_encoded(Coins::Internal, &mut slot.verifying_key, &mut slot.signing_key)
                .map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let slot = &self.outputs[self.turn.last()];
        let (encoding, _) =
            own_encoding(self.scheme.as_ref()).ok_or_else(|| Fault::Library("no key encoding".into()))?;
        let verifier = self.scheme.load_verifying_key(&slot.verifying_key[..slot.lengths.0]).map_err(fault)?;
        let signer = self.scheme.load_signing_key(encoding, &slot.signing_key[..slot.lengths.1]).map_err(fault)?;
        round_trip(self.scheme.as_ref(), signer.as_ref(), verifier.as_ref(), self.other_key.as_ref())
    }
}

/// Signing, with a prepared key or from the signing key's bytes; a fresh message for each signature.
pub(super) struct Sign {
    scheme: Arc<dyn SignatureScheme>,
    encoding: Option<KeyEncoding>,
    keys: Vec<(Box<dyn SigningKey>, Vec<u8>)>,
    messages: Vec<Vec<u8>>,
    generator: ChaCha8Rng,
    key: Turn,
    message: Turn,
    signature: Vec<u8>,
    length: usize,
    mode: Mode,
    other_key: Box<dyn VerifyingKey>,
}

impl Sign {
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoded: bool,
        length: usize,
        mode: Mode,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Sign> {
        let mut encoding = None;
        let keys = pool(|| {
            let key = signing_key(scheme.as_ref(), generator)?;
            let mut bytes = Vec::new();
            if encoded {
                (encoding, bytes) = encode_signing_key(scheme.as_ref(), key.as_ref())?;
            }
            Ok((key, bytes))
        })?;
        let messages: Vec<Vec<u8>> = (0..POOL).map(|_| bytes(generator, length)).collect();
        let signature = vec![0; scheme.info().parameters.signature];
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(Sign {
            other_key,
            encoding,
            key: Turn::of(keys.len()),
            message: Turn::of(POOL),
            keys,
            messages,
            generator: generator.clone(),
            signature,
            length: 0,
            mode,
            scheme,
        })
    }
}

impl Trial for Sign {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        // Eight bytes make a message new; refilling a long one whole would take longer than signing it.
        for message in self.messages.iter_mut().take(batch) {
            let fresh = message.len().min(8);
            self.generator.fill_bytes(&mut message[..fresh]);
        }
        self.message = Turn::of(POOL);
        self.length = 0;
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (key, encoded) = &self.keys[self.key.advance()];
            let message = &self.messages[self.message.advance()];
            self.length = match self.encoding {
                None => self.mode.sign(key.as_ref(), message, &mut self.signature),
                Some(encoding) => {
                    self.mode.sign_from(self.scheme.as_ref(), encoding, encoded, message, &mut self.signature)
                }
            }
            .map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let key = self.keys[self.key.last()].0.as_ref();
        let verifier = key.verifying_key().map_err(fault)?;
        let message = &self.messages[self.message.last()];
        let signature = &self.signature[..self.length];
        check(self.mode, verifier.as_ref(), self.other_key.as_ref(), message, signature)?;
        if self.mode.deterministic {
            let mut again = vec![0; self.signature.len()];
            let length = self.mode.sign(key, message, &mut again).map_err(fault)?;
            if again[..length] != *signature {
                return Err(Fault::WrongAnswer("a deterministic signature differs from the one before".into()));
            }
        }
        Ok(())
    }
}

/// Verification, with a prepared key or from the verifying key's bytes.
pub(super) struct Verify {
    scheme: Arc<dyn SignatureScheme>,
    encoded: bool,
    signed: Vec<Signed>,
    turn: Turn,
    mode: Mode,
    other_key: Box<dyn VerifyingKey>,
}

struct Signed {
    key: Box<dyn VerifyingKey>,
    encoded: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Verify {
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoded: bool,
        length: usize,
        mode: Mode,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Verify> {
        let parameters = &scheme.info().parameters;
        let signed = pool(|| {
            let signer = signing_key(scheme.as_ref(), generator)?;
            let key = signer.verifying_key()?;
            let mut encoded = vec![0; parameters.verifying_key];
            let encoded_length = key.encode(&mut encoded)?;
            encoded.truncate(encoded_length);
            let message = bytes(generator, length);
            let mut signature = vec![0; parameters.signature];
            let signature_length = mode.sign(signer.as_ref(), &message, &mut signature)?;
            signature.truncate(signature_length);
            Ok(Signed { key, encoded, message, signature })
        })?;
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(Verify { encoded, turn: Turn::of(signed.len()), signed, mode, other_key, scheme })
    }
}

impl Trial for Verify {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let signed = &self.signed[self.turn.advance()];
            if self.encoded {
                let key = self.scheme.load_verifying_key(&signed.encoded).map_err(fault)?;
                self.mode.verify(key.as_ref(), &signed.message, &signed.signature).map_err(fault)?;
            } else {
                self.mode.verify(signed.key.as_ref(), &signed.message, &signed.signature).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let signed = &self.signed[self.turn.last()];
        check(self.mode, signed.key.as_ref(), self.other_key.as_ref(), &signed.message, &signed.signature)
    }
}
