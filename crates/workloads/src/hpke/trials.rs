//! Seals and opens first messages.

use crate::fault;
use crate::inputs::{self, Messages, POOL, Supply, Turn};
use pqlab_constructions::hpke::{DhKem, Suite};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Hpke, HpkeRecipient, KeyEncoding, Result as LibraryResult, Wiped,
};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Context (`info`) of every message.
const INFO: &[u8] = b"pqlab";
/// Public data that is authenticated with each message.
const ASSOCIATED_DATA: &[u8] = b"first message";

fn nothing() -> Fault {
    Fault::WrongAnswer("no operation has run since the outputs were cleared".to_owned())
}

/// Recipients, and the plaintexts to seal to their keys.
pub(super) struct Parties {
    recipients: Vec<Box<dyn Recipient>>,
    messages: Messages,
}

impl Parties {
    pub(super) fn new(
        suite: Suite,
        own: Option<Arc<dyn Hpke>>,
        supply: Supply,
        length: usize,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Parties> {
        let suite = Arc::new(suite);
        let recipients = supply.keys(|| match &own {
            Some(hpke) => Ok(Box::new(ByLibrary::new(hpke, &suite)?) as Box<dyn Recipient>),
            None => Ok(Box::new(ByConstruction::generate(&suite, generator)?) as Box<dyn Recipient>),
        });
        Ok(Parties { recipients: recipients?, messages: supply.messages(length, generator) })
    }

    /// Opens a message with the key that it was sealed to. Checks that the message is rejected if a bit is flipped in
    /// the encapsulated secret or in the last byte.
    fn check(&self, key: usize, message: &[u8], plaintext: &[u8]) -> Result<(), Fault> {
        let recipient = self.recipients[key].as_ref();
        if recipient.open(message).map_err(fault)? != plaintext {
            return Err(Fault::WrongAnswer("opening returned a different plaintext".into()));
        }
        for place in [0, message.len() - 1] {
            let mut changed = message.to_vec();
            changed[place] ^= 1;
            if recipient.open(&changed).is_ok() {
                return Err(Fault::WrongAnswer("a message with a bit flipped was accepted".into()));
            }
        }
        recipient.counterpart().map_or(Ok(()), |other| agree(recipient, other, message, plaintext))
    }
}

/// Checks that two implementations of the same recipient can open each other's messages.
fn agree(one: &dyn Recipient, other: &dyn Recipient, message: &[u8], plaintext: &[u8]) -> Result<(), Fault> {
    let sealed = other.seal(plaintext).map_err(fault)?;
    if other.open(message).map_err(fault)? == plaintext && one.open(&sealed).map_err(fault)? == plaintext {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the library and the construction decrypt to different plaintexts".into()))
    }
}

/// Recipient's keys, with the operations of the sender and the recipient.
trait Recipient: Send {
    /// Seals a message to the recipient's public key.
    fn seal(&self, plaintext: &[u8]) -> LibraryResult<Vec<u8>>;

    fn open(&self, message: &[u8]) -> LibraryResult<Vec<u8>>;

    /// Returns another implementation of the same recipient, if there is one.
    fn counterpart(&self) -> Option<&dyn Recipient> {
        None
    }
}

/// Recipient that uses pqlab's construction, with both keys prepared.
struct ByConstruction {
    suite: Arc<Suite>,
    private: Box<dyn DecapsulationKey>,
    public: Box<dyn EncapsulationKey>,
}

impl ByConstruction {
    fn generate(suite: &Arc<Suite>, generator: &mut ChaCha8Rng) -> LibraryResult<ByConstruction> {
        let info = suite.kem().info();
        let (coins, taken) = (info.parameters.keygen_coins, info.coins.keygen);
        let (private, _) = inputs::key(coins, taken, generator, |coins| suite.kem().generate(coins))?;
        ByConstruction::new(suite, private)
    }

    fn new(suite: &Arc<Suite>, private: Box<dyn DecapsulationKey>) -> LibraryResult<ByConstruction> {
        let public = private.encapsulation_key()?;
        Ok(ByConstruction { suite: Arc::clone(suite), private, public })
    }
}

impl Recipient for ByConstruction {
    fn seal(&self, plaintext: &[u8]) -> LibraryResult<Vec<u8>> {
        self.suite.seal(self.public.as_ref(), INFO, ASSOCIATED_DATA, plaintext, Coins::Internal)
    }

    fn open(&self, message: &[u8]) -> LibraryResult<Vec<u8>> {
        self.suite.open(self.private.as_ref(), INFO, ASSOCIATED_DATA, message)
    }
}

/// Recipient that uses the library's own HPKE functions, which take the public key as bytes.
struct ByLibrary {
    hpke: Arc<dyn Hpke>,
    private: Box<dyn HpkeRecipient>,
    public: Vec<u8>,
    construction: ByConstruction,
}

impl ByLibrary {
    fn new(hpke: &Arc<dyn Hpke>, suite: &Arc<Suite>) -> LibraryResult<ByLibrary> {
        let (info, recipient) = (hpke.info(), hpke.generate()?);
        let (mut public, mut private) = (vec![0; info.public_key], Wiped::new(vec![0; info.private_key]));
        recipient.public_key(&mut public)?;
        recipient.private_key(&mut private)?;
        let kem = suite.kem();
        let encoding = if info.kem == DhKem::ALGORITHM { KeyEncoding::Scalar } else { KeyEncoding::Seed };
        let construction = ByConstruction::new(suite, kem.load_decapsulation_key(encoding, &private)?)?;
        Ok(ByLibrary { hpke: Arc::clone(hpke), private: recipient, public, construction })
    }
}

impl Recipient for ByLibrary {
    fn seal(&self, plaintext: &[u8]) -> LibraryResult<Vec<u8>> {
        let mut message = vec![0; self.hpke.info().overhead() + plaintext.len()];
        self.hpke.seal(&self.public, INFO, ASSOCIATED_DATA, plaintext, &mut message)?;
        Ok(message)
    }

    fn open(&self, message: &[u8]) -> LibraryResult<Vec<u8>> {
        let length = message.len().checked_sub(self.hpke.info().overhead()).ok_or(Error::Malformed("HPKE message"))?;
        let mut plaintext = vec![0; length];
        self.private.open(INFO, ASSOCIATED_DATA, message, &mut plaintext)?;
        Ok(plaintext)
    }

    fn counterpart(&self) -> Option<&dyn Recipient> {
        Some(&self.construction)
    }
}

pub(super) struct Seal {
    parties: Parties,
    key: Turn,
    sealed: Vec<u8>,
}

impl Seal {
    pub(super) fn new(parties: Parties) -> Seal {
        Seal { key: Turn::new(parties.recipients.len()), parties, sealed: Vec::new() }
    }
}

impl Trial for Seal {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.parties.messages.setup(batch);
        self.sealed.clear();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let Parties { recipients, messages } = &mut self.parties;
        for _ in 0..batch {
            let recipient = recipients[self.key.advance()].as_ref();
            self.sealed = recipient.seal(messages.next()).map_err(fault)?;
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
    /// Sealed messages: index of the key, sealed message, and plaintext.
    sealed: Vec<(usize, Vec<u8>, Vec<u8>)>,
    turn: Turn,
    /// Most recently opened plaintext.
    opened: Option<Vec<u8>>,
}

impl Open {
    pub(super) fn new(mut parties: Parties) -> Result<Open, Fault> {
        let Parties { recipients, messages } = &mut parties;
        let seal = |number: usize| {
            let (key, plaintext) = (number % recipients.len(), messages.next().to_vec());
            let message = recipients[key].seal(&plaintext).map_err(fault)?;
            Ok((key, message, plaintext))
        };
        let sealed = (0..POOL).map(seal).collect::<Result<Vec<_>, Fault>>()?;
        Ok(Open { turn: Turn::new(sealed.len()), parties, sealed, opened: None })
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
            self.opened = Some(self.parties.recipients[*key].open(message).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (key, message, plaintext) = &self.sealed[self.turn.last()];
        if self.opened.as_ref().ok_or_else(nothing)? != plaintext {
            return Err(Fault::WrongAnswer("opening returned a different plaintext".into()));
        }
        self.parties.check(*key, message, plaintext)
    }
}
