//! Trials for signature operations. The same trials serve for an operation alone, on several threads, as a task, as
//! half of a hybrid, and for measuring memory use.

use super::check::Setting;
use crate::fault;
use crate::inputs::{GivenCoins, Messages, NewKeys, Turn};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, KeyEncoding, SigningKey, VerifyingKey};

/// Key generation that produces a prepared key.
pub(crate) struct Keygen {
    setting: Setting,
    keys: NewKeys<Box<dyn SigningKey>>,
}

impl Keygen {
    pub(crate) fn new(setting: Setting, coins: Option<GivenCoins>) -> Keygen {
        Keygen { setting, keys: NewKeys::new(coins) }
    }
}

impl Trial for Keygen {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.setup(batch);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.keys.make(batch, |coins| self.setting.scheme.generate(coins))
    }

    fn verify(&mut self) -> Result<(), Fault> {
        // The same randomness must give the same key.
        let again = self.keys.again(|coins| self.setting.scheme.generate(coins))?;
        for key in self.keys.latest()?.take(1) {
            let verifier = again.as_ref().unwrap_or(key).verifying_key().map_err(fault)?;
            self.setting.round_trip(key.as_ref(), verifier.as_ref())?;
        }
        Ok(())
    }
}

/// Key generation that produces encoded keys.
pub(super) struct KeygenEncoded {
    setting: Setting,
    encoding: KeyEncoding,
    /// Whether a single library call generates the key and writes this encoding.
    own: bool,
    verifying_key: Vec<u8>,
    signing_key: Vec<u8>,
    /// Lengths of the last keys, in bytes.
    lengths: (usize, usize),
}

impl KeygenEncoded {
    pub(super) fn new(setting: Setting, encoding: KeyEncoding) -> KeygenEncoded {
        let info = setting.scheme.info();
        let verifying_key = vec![0; info.parameters.verifying_key];
        let signing_key = vec![0; info.signing_key(encoding).unwrap_or(0)];
        let own = setting.scheme.written().first() == Some(&encoding);
        KeygenEncoded { setting, encoding, own, verifying_key, signing_key, lengths: (0, 0) }
    }
}

impl Trial for KeygenEncoded {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.verifying_key.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let KeygenEncoded { verifying_key, signing_key, .. } = self;
        let scheme = &self.setting.scheme;
        for _ in 0..batch {
            self.lengths = if self.own {
                scheme.generate_encoded(Coins::Internal, verifying_key, signing_key).map_err(fault)?
            } else {
                let key = scheme.generate(Coins::Internal).map_err(fault)?;
                let verifier = key.verifying_key().map_err(fault)?;
                let verifying = verifier.encode(verifying_key).map_err(fault)?;
                (verifying, key.encode(self.encoding, signing_key).map_err(fault)?)
            };
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let KeygenEncoded { verifying_key, signing_key, lengths, .. } = self;
        let scheme = &self.setting.scheme;
        let verifier = scheme.load_verifying_key(&verifying_key[..lengths.0]).map_err(fault)?;
        let signer = scheme.load_signing_key(self.encoding, &signing_key[..lengths.1]).map_err(fault)?;
        self.setting.round_trip(signer.as_ref(), verifier.as_ref())
    }
}

/// Signing with a prepared or an encoded key.
pub(crate) struct Sign {
    setting: Setting,
    /// Encoding of the key that each call parses. `None` if keys are prepared.
    encoding: Option<KeyEncoding>,
    /// Keys with their encoded bytes. The bytes are empty if keys are prepared.
    keys: Vec<(Box<dyn SigningKey>, Vec<u8>)>,
    key: Turn,
    messages: Messages,
    signature: Vec<u8>,
    length: usize,
    /// Supplied randomness, which is empty for deterministic signing. `None` if the library uses its own generator.
    coins: Option<GivenCoins>,
}

impl Sign {
    /// Creates a trial that signs with these keys and messages, both in rotation.
    pub(crate) fn new(
        setting: Setting,
        encoding: Option<KeyEncoding>,
        keys: Vec<(Box<dyn SigningKey>, Vec<u8>)>,
        messages: Messages,
        coins: Option<GivenCoins>,
    ) -> Sign {
        let (key, signature) = (Turn::new(keys.len()), setting.signature());
        let coins = coins.or_else(|| setting.mode.deterministic.then(|| GivenCoins::seeds(vec![Vec::new()])));
        Sign { setting, encoding, keys, key, messages, signature, length: 0, coins }
    }
}

impl Trial for Sign {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.messages.setup(batch);
        self.length = 0;
        self.coins.iter_mut().for_each(|coins| coins.setup(batch));
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let Setting { scheme, mode, .. } = &self.setting;
        for _ in 0..batch {
            let (key, bytes) = &self.keys[self.key.advance()];
            let (message, coins, out) =
                (self.messages.next(), GivenCoins::next(&mut self.coins), self.signature.as_mut_slice());
            self.length = match self.encoding {
                None => mode.sign(key.as_ref(), message, coins, out),
                Some(encoding) => mode.sign_from(scheme.as_ref(), encoding, bytes, message, coins, out),
            }
            .map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let key = self.keys[self.key.last()].0.as_ref();
        let verifier = key.verifying_key().map_err(fault)?;
        let (message, signature) = (self.messages.last(), &self.signature[..self.length]);
        self.setting.check(verifier.as_ref(), message, signature)?;
        if let Some(coins) = &self.coins {
            let mut again = self.setting.signature();
            let length = self.setting.mode.sign(key, message, coins.last(), &mut again).map_err(fault)?;
            if again[..length] != *signature {
                return Err(Fault::WrongAnswer("the same randomness gives a different signature".into()));
            }
        }
        Ok(())
    }
}

/// Verification with a prepared or an encoded key.
pub(crate) struct Verify {
    setting: Setting,
    encoded: bool,
    keys: Vec<(Box<dyn VerifyingKey>, Vec<u8>)>,
    signed: Vec<Signed>,
    turn: Turn,
}

/// Message and its signature with the key at index `key`.
pub(crate) struct Signed {
    pub(crate) key: usize,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Verify {
    /// Creates a trial that verifies these signatures in rotation. If `encoded` is set, each call parses the key's
    /// bytes.
    pub(crate) fn new(
        setting: Setting,
        encoded: bool,
        keys: Vec<(Box<dyn VerifyingKey>, Vec<u8>)>,
        signed: Vec<Signed>,
    ) -> Verify {
        Verify { setting, encoded, keys, turn: Turn::new(signed.len()), signed }
    }
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let Setting { scheme, mode, .. } = &self.setting;
        for _ in 0..batch {
            let Signed { key, message, signature } = &self.signed[self.turn.advance()];
            let (key, encoded) = &self.keys[*key];
            if self.encoded {
                let key = scheme.load_verifying_key(encoded).map_err(fault)?;
                mode.verify(key.as_ref(), message, signature).map_err(fault)?;
            } else {
                mode.verify(key.as_ref(), message, signature).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Signed { key, message, signature } = &self.signed[self.turn.last()];
        self.setting.check(self.keys[*key].0.as_ref(), message, signature)
    }
}
