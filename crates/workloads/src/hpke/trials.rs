//! Sealing and opening first messages.

use crate::fault;
use crate::inputs::{self, Messages, POOL, Supply, Turn};
use pqlab_constructions::hpke::Suite;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Result as LibraryResult};
use rand_chacha::ChaCha8Rng;

/// What both sides say beside the message: for what it is, and what is not secret of it.
const INFO: &[u8] = b"pqlab";
const ASSOCIATED_DATA: &[u8] = b"first message";

fn nothing() -> Fault {
    Fault::WrongAnswer("nothing was done since the outputs were cleared".to_owned())
}

/// Recipients, and what is sealed to them.
pub(super) struct Parties {
    suite: Suite,
    keys: Vec<(Box<dyn DecapsulationKey>, Box<dyn EncapsulationKey>)>,
    messages: Messages,
}

impl Parties {
    pub(super) fn new(
        suite: Suite,
        supply: Supply,
        length: usize,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Parties> {
        let info = suite.kem().info();
        let (coins, taken) = (info.parameters.keygen_coins, info.coins.keygen);
        let keys = supply.keys(|| {
            let (key, _) = inputs::key(coins, taken, generator, |coins| suite.kem().generate(coins))?;
            let public = key.encapsulation_key()?;
            Ok::<_, pqlab_primitives::Error>((key, public))
        })?;
        Ok(Parties { messages: supply.messages(length, generator), suite, keys })
    }

    fn open(&self, key: usize, message: &[u8]) -> Result<Vec<u8>, Fault> {
        self.suite.open(self.keys[key].0.as_ref(), INFO, ASSOCIATED_DATA, message).map_err(fault)
    }

    /// Opens what was sealed to a key, and nothing with a bit flipped, in the encapsulated secret or at its end.
    fn check(&self, key: usize, message: &[u8], plaintext: &[u8]) -> Result<(), Fault> {
        if self.open(key, message)? != plaintext {
            return Err(Fault::WrongAnswer("another plaintext".into()));
        }
        for place in [0, message.len() - 1] {
            let mut changed = message.to_vec();
            changed[place] ^= 1;
            if self.open(key, &changed).is_ok() {
                return Err(Fault::WrongAnswer("a message with a bit flipped is opened".into()));
            }
        }
        Ok(())
    }
}

pub(super) struct Seal {
    parties: Parties,
    key: Turn,
    sealed: Vec<u8>,
}

impl Seal {
    pub(super) fn new(parties: Parties) -> Seal {
        Seal { key: Turn::of(parties.keys.len()), parties, sealed: Vec::new() }
    }
}

impl Trial for Seal {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.parties.messages.setup(batch);
        self.sealed.clear();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let Parties { suite, keys, messages } = &mut self.parties;
        for _ in 0..batch {
            let recipient = keys[self.key.advance()].1.as_ref();
            let sealed = suite.seal(recipient, INFO, ASSOCIATED_DATA, messages.next(), Coins::Internal);
            self.sealed = sealed.map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.sealed.is_empty() {
            return Err(nothing());
        }
        self.parties.check(self.key.last(), &self.sealed, self.parties.messages.last())
    }
}

pub(super) struct Open {
    parties: Parties,
    /// By number of the key: what was sealed to it, and of what.
    sealed: Vec<(usize, Vec<u8>, Vec<u8>)>,
    turn: Turn,
    /// What was opened last.
    opened: Option<Vec<u8>>,
}

impl Open {
    pub(super) fn new(mut parties: Parties) -> Result<Open, Fault> {
        let Parties { suite, keys, messages } = &mut parties;
        let seal = |number: usize| {
            let (key, plaintext) = (number % keys.len(), messages.next().to_vec());
            let recipient = keys[key].1.as_ref();
            let message = suite.seal(recipient, INFO, ASSOCIATED_DATA, &plaintext, Coins::Internal).map_err(fault)?;
            Ok((key, message, plaintext))
        };
        let sealed = (0..POOL).map(seal).collect::<Result<Vec<_>, Fault>>()?;
        Ok(Open { turn: Turn::of(sealed.len()), parties, sealed, opened: None })
    }
}

impl Trial for Open {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.opened = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (key, message, _) = &self.sealed[self.turn.advance()];
            self.opened = Some(self.parties.open(*key, message)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (key, message, plaintext) = &self.sealed[self.turn.last()];
        if self.opened.as_ref().ok_or_else(nothing)? != plaintext {
            return Err(Fault::WrongAnswer("another plaintext".into()));
        }
        self.parties.check(*key, message, plaintext)
    }
}
