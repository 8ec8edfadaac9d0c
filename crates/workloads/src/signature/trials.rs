//! The trials of keygen, sign and verify.

use super::{Mode, check, encoded, key_with_coins, other_key, round_trip, signing_key};
use crate::fault;
use crate::inputs::{GivenCoins, POOL, Turn, bytes, inputs_of, pool_of};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Error, KeyEncoding, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
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
    /// `Some` where coins are given.
    coins: Option<GivenCoins>,
}

impl Keygen {
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        exact: bool,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Keygen> {
        let other_key = other_key(scheme.as_ref(), generator)?;
        let coins = exact.then(|| GivenCoins::new(scheme.info().parameters.keygen_coins, generator));
        Ok(Keygen { other_key, scheme, keys: Vec::new(), coins })
    }
}

impl Trial for Keygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        if let Some(coins) = &mut self.coins {
            coins.refill(batch);
        }
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        match &mut self.coins {
            None => {
                for _ in 0..batch {
                    self.keys.push(self.scheme.generate(Coins::Internal).map_err(fault)?);
                }
            }
            Some(coins) => {
                for _ in 0..batch {
                    self.keys.push(self.scheme.generate(Coins::Exact(coins.next())).map_err(fault)?);
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.last() else { return Ok(()) };
        // The same coins must give the same key.
        let again = match &self.coins {
            None => None,
            Some(coins) => Some(self.scheme.generate(Coins::Exact(coins.last())).map_err(fault)?),
        };
        let verifier = again.as_ref().unwrap_or(key).verifying_key().map_err(fault)?;
        round_trip(self.scheme.as_ref(), key.as_ref(), verifier.as_ref(), self.other_key.as_ref())
    }
}

/// Key generation up to encoded bytes.
pub(super) struct KeygenEncoded {
    scheme: Arc<dyn SignatureScheme>,
    encoding: KeyEncoding,
    /// Whether the library writes that encoding by itself.
    own: bool,
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
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoding: KeyEncoding,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<KeygenEncoded> {
        let verifying_key = vec![0; scheme.info().parameters.verifying_key];
        let signing_key = vec![0; scheme.info().signing_key(encoding).unwrap_or(0)];
        let slot = Encoded { verifying_key, signing_key, lengths: (0, 0) };
        let other_key = other_key(scheme.as_ref(), generator)?;
        let own = scheme.written().first() == Some(&encoding);
        Ok(KeygenEncoded { scheme, encoding, own, other_key, outputs: vec![slot; KEPT], turn: Turn::of(KEPT) })
    }
}

impl Trial for KeygenEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let slot = &mut self.outputs[self.turn.advance()];
            slot.lengths = if self.own {
                self.scheme
                    .generate_encoded(Coins::Internal, &mut slot.verifying_key, &mut slot.signing_key)
                    .map_err(fault)?
            } else {
                let key = self.scheme.generate(Coins::Internal).map_err(fault)?;
                let verifier = key.verifying_key().map_err(fault)?;
                let verifying = verifier.encode(&mut slot.verifying_key).map_err(fault)?;
                (verifying, key.encode(self.encoding, &mut slot.signing_key).map_err(fault)?)
            };
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let slot = &self.outputs[self.turn.last()];
        let verifier = self.scheme.load_verifying_key(&slot.verifying_key[..slot.lengths.0]).map_err(fault)?;
        let signer = self.scheme.load_signing_key(self.encoding, &slot.signing_key[..slot.lengths.1]).map_err(fault)?;
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
    /// `Some` where coins are given.
    coins: Option<GivenCoins>,
}

impl Sign {
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoding: Option<KeyEncoding>,
        length: usize,
        mode: Mode,
        exact: bool,
        keys: Option<u64>,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Sign> {
        let keys = pool_of(keys, || {
            let (key, coins) = key_with_coins(scheme.as_ref(), generator)?;
            let bytes = match encoding {
                Some(encoding) => encoded(scheme.as_ref(), key.as_ref(), encoding, coins)?,
                None => Vec::new(),
            };
            Ok::<_, Error>((key, bytes))
        })?;
        let messages: Vec<Vec<u8>> = (0..POOL).map(|_| bytes(generator, length)).collect();
        let signature = vec![0; scheme.info().parameters.signature];
        let other_key = other_key(scheme.as_ref(), generator)?;
        let coins = exact.then(|| GivenCoins::new(scheme.info().parameters.signing_coins, generator));
        Ok(Sign {
            other_key,
            coins,
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
        if let Some(coins) = &mut self.coins {
            coins.refill(batch);
        }
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        if let Some(coins) = &mut self.coins {
            for _ in 0..batch {
                let (key, _) = &self.keys[self.key.advance()];
                let message = &self.messages[self.message.advance()];
                let coins = Coins::Exact(coins.next());
                self.length = self.mode.sign_with(key.as_ref(), message, coins, &mut self.signature).map_err(fault)?;
            }
            return Ok(());
        }
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
        let coins = match &self.coins {
            Some(coins) => Some(Coins::Exact(coins.last())),
            None => self.mode.deterministic.then_some(Coins::Exact(&[])),
        };
        if let Some(coins) = coins {
            let mut again = vec![0; self.signature.len()];
            let length = self.mode.sign_with(key, message, coins, &mut again).map_err(fault)?;
            if again[..length] != *signature {
                return Err(Fault::WrongAnswer(
                    "the same coins give a signature that differs from the one before".into(),
                ));
            }
        }
        Ok(())
    }
}

/// Verification, with a prepared key or from the verifying key's bytes.
pub(super) struct Verify {
    scheme: Arc<dyn SignatureScheme>,
    encoded: bool,
    keys: Vec<(Box<dyn VerifyingKey>, Vec<u8>)>,
    signed: Vec<Signed>,
    turn: Turn,
    mode: Mode,
    other_key: Box<dyn VerifyingKey>,
}

/// What was signed with the key of that number.
struct Signed {
    key: usize,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Verify {
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoded: bool,
        length: usize,
        mode: Mode,
        keys: Option<u64>,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Verify> {
        let parameters = &scheme.info().parameters;
        let sign = |signer: &dyn SigningKey, key: usize, generator: &mut ChaCha8Rng| {
            let message = bytes(generator, length);
            let mut signature = vec![0; parameters.signature];
            let signature_length = mode.sign(signer, &message, &mut signature)?;
            signature.truncate(signature_length);
            Ok::<_, Error>(Signed { key, message, signature })
        };
        let (mut signers, mut signed) = (Vec::new(), Vec::new());
        let count = keys;
        let keys = pool_of(count, || {
            let signer = signing_key(scheme.as_ref(), generator)?;
            let key = signer.verifying_key()?;
            let mut encoded = vec![0; parameters.verifying_key];
            let encoded_length = key.encode(&mut encoded)?;
            encoded.truncate(encoded_length);
            signed.push(sign(signer.as_ref(), signed.len(), generator)?);
            signers.push(signer);
            Ok::<_, Error>((key, encoded))
        })?;
        for number in keys.len()..inputs_of(count, keys.len()) {
            let key = number % keys.len();
            signed.push(sign(signers[key].as_ref(), key, generator)?);
        }
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(Verify { encoded, turn: Turn::of(signed.len()), keys, signed, mode, other_key, scheme })
    }
}

impl Trial for Verify {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let signed = &self.signed[self.turn.advance()];
            let (key, encoded) = &self.keys[signed.key];
            if self.encoded {
                let key = self.scheme.load_verifying_key(encoded).map_err(fault)?;
                self.mode.verify(key.as_ref(), &signed.message, &signed.signature).map_err(fault)?;
            } else {
                self.mode.verify(key.as_ref(), &signed.message, &signed.signature).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let signed = &self.signed[self.turn.last()];
        check(self.mode, self.keys[signed.key].0.as_ref(), self.other_key.as_ref(), &signed.message, &signed.signature)
    }
}
