//! Trials for KEM operations. The same trials serve for an operation alone, on several threads, as a task, as half of a
//! hybrid, and for measuring memory use.

use super::same_secret;
use crate::fault;
use crate::inputs::{GivenCoins, NewKeys, Supply, Turn};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KeyEncoding, Result as LibraryResult};
use std::sync::Arc;

/// Number of most recent prepared keys that [`Trial::verify`] checks.
const KEPT: usize = 16;

/// Encapsulates to the public key `to`, decapsulates with `key`, and compares the secrets.
fn round_trip(kem: &dyn Kem, key: &dyn DecapsulationKey, to: &dyn EncapsulationKey) -> Result<(), Fault> {
    let Sent { ciphertext, secret, .. } = Sent::to(kem, 0, to).map_err(fault)?;
    let mut received = vec![0; secret.len()];
    key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
    same_secret(&secret, &received)
}

/// Key generation that produces a prepared key.
pub(crate) struct Keygen {
    kem: Arc<dyn Kem>,
    keys: NewKeys<Box<dyn DecapsulationKey>>,
}

impl Keygen {
    pub(crate) fn new(kem: Arc<dyn Kem>, coins: Option<GivenCoins>) -> Keygen {
        Keygen { kem, keys: NewKeys::new(coins) }
    }
}

impl Trial for Keygen {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.setup(batch);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.keys.make(batch, |coins| self.kem.generate(coins))
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let goes_round = |key: &dyn DecapsulationKey, public: &dyn DecapsulationKey| {
            let to = public.encapsulation_key().map_err(fault)?;
            round_trip(self.kem.as_ref(), key, to.as_ref())
        };
        for key in self.keys.latest()?.take(KEPT) {
            goes_round(key.as_ref(), key.as_ref())?;
        }
        // The same randomness must give the same key.
        match (self.keys.latest()?.next(), self.keys.again(|coins| self.kem.generate(coins))?) {
            (Some(last), Some(again)) => goes_round(last.as_ref(), again.as_ref()),
            _ => Ok(()),
        }
    }
}

/// Key generation that produces encoded keys.
pub(super) struct KeygenEncoded {
    kem: Arc<dyn Kem>,
    encoding: KeyEncoding,
    /// Whether a single library call generates the key and writes this encoding.
    own: bool,
    public: Vec<u8>,
    private: Vec<u8>,
}

impl KeygenEncoded {
    pub(super) fn new(encoding: KeyEncoding, kem: Arc<dyn Kem>) -> KeygenEncoded {
        let info = kem.info();
        let public = vec![0; info.parameters.encapsulation_key];
        let private = vec![0; info.decapsulation_key(encoding).unwrap_or(0)];
        let own = kem.written().first() == Some(&encoding);
        KeygenEncoded { encoding, own, public, private, kem }
    }
}

impl Trial for KeygenEncoded {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.public.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let KeygenEncoded { public, private, .. } = self;
        for _ in 0..batch {
            if self.own {
                self.kem.generate_encoded(Coins::Internal, public, private).map_err(fault)?;
            } else {
                let key = self.kem.generate(Coins::Internal).map_err(fault)?;
                key.encode_encapsulation_key(public).map_err(fault)?;
                key.encode(self.encoding, private).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let to = self.kem.load_encapsulation_key(&self.public).map_err(fault)?;
        let key = self.kem.load_decapsulation_key(self.encoding, &self.private).map_err(fault)?;
        round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())
    }
}

/// Public key to encapsulate to.
enum Recipient {
    /// A prepared key.
    Prepared(Box<dyn EncapsulationKey>),
    /// An encoded key, parsed in each call.
    Encoded(Vec<u8>),
}

/// Encapsulation to a prepared or an encoded key.
pub(crate) struct Encapsulate {
    kem: Arc<dyn Kem>,
    keys: Vec<(Box<dyn DecapsulationKey>, Recipient)>,
    turn: Turn,
    outputs: Vec<Sent>,
    output: Turn,
    /// Supplied randomness. `None` if the library uses its own generator.
    coins: Option<GivenCoins>,
}

impl Encapsulate {
    /// Creates a trial that encapsulates to these keys in rotation, with `outputs` output buffers.
    ///
    /// # Errors
    /// Errors from the library for the encapsulation keys.
    pub(crate) fn new(
        kem: Arc<dyn Kem>,
        keys: Vec<Box<dyn DecapsulationKey>>,
        encoded: bool,
        outputs: usize,
        coins: Option<GivenCoins>,
    ) -> LibraryResult<Encapsulate> {
        let recipient = |key: &dyn DecapsulationKey| -> LibraryResult<Recipient> {
            let to = key.encapsulation_key()?;
            if !encoded {
                return Ok(Recipient::Prepared(to));
            }
            let mut bytes = vec![0; kem.info().parameters.encapsulation_key];
            to.encode(&mut bytes)?;
            Ok(Recipient::Encoded(bytes))
        };
        let with_recipient = |key: Box<dyn DecapsulationKey>| recipient(key.as_ref()).map(|to| (key, to));
        let keys = keys.into_iter().map(with_recipient).collect::<LibraryResult<Vec<_>>>()?;
        let (turn, output) = (Turn::new(keys.len()), Turn::new(outputs));
        let outputs = (0..outputs).map(|_| Sent::room(kem.as_ref(), 0)).collect();
        Ok(Encapsulate { turn, keys, outputs, output, coins, kem })
    }
}

impl Trial for Encapsulate {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.outputs.iter_mut().for_each(|sent| sent.secret.fill(0));
        self.coins.iter_mut().for_each(|coins| coins.setup(batch));
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let index = self.turn.advance();
            let Sent { key, ciphertext, secret } = &mut self.outputs[self.output.advance()];
            *key = index;
            let coins = GivenCoins::next(&mut self.coins);
            match &self.keys[index].1 {
                Recipient::Prepared(to) => to.encapsulate(coins, ciphertext, secret).map_err(fault)?,
                Recipient::Encoded(bytes) => {
                    let to = self.kem.load_encapsulation_key(bytes).map_err(fault)?;
                    to.encapsulate(coins, ciphertext, secret).map_err(fault)?;
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Sent { key, ciphertext, secret } = &self.outputs[self.output.last()];
        if secret.iter().all(|&byte| byte == 0) {
            return Err(Fault::WrongAnswer("nothing was encapsulated".into()));
        }
        let (key, to) = &self.keys[*key];
        let mut received = vec![0; secret.len()];
        key.decapsulate(ciphertext, &mut received).map_err(fault)?;
        same_secret(secret, &received)?;
        // The same randomness must give the same ciphertext.
        if let (Some(coins), Recipient::Prepared(to)) = (&self.coins, to) {
            let mut again = Sent::room(self.kem.as_ref(), 0);
            to.encapsulate(coins.last(), &mut again.ciphertext, &mut again.secret).map_err(fault)?;
            if again.ciphertext != *ciphertext {
                return Err(Fault::WrongAnswer("the same randomness gives a different ciphertext".into()));
            }
        }
        Ok(())
    }
}

/// Result of an encapsulation to the key with index `key`.
struct Sent {
    key: usize,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
}

impl Sent {
    fn room(kem: &dyn Kem, key: usize) -> Sent {
        let parameters = &kem.info().parameters;
        Sent { key, ciphertext: vec![0; parameters.ciphertext], secret: vec![0; parameters.shared_secret] }
    }

    fn to(kem: &dyn Kem, key: usize, to: &dyn EncapsulationKey) -> LibraryResult<Sent> {
        let mut sent = Sent::room(kem, key);
        to.encapsulate(Coins::Internal, &mut sent.ciphertext, &mut sent.secret)?;
        Ok(sent)
    }
}

/// Decapsulation with a prepared or an encoded key.
pub(crate) struct Decapsulate {
    kem: Arc<dyn Kem>,
    /// Encoding of the key that each call parses. `None` if keys are prepared.
    encoding: Option<KeyEncoding>,
    /// Keys with their encoded bytes. The bytes are empty if keys are prepared.
    keys: Vec<(Box<dyn DecapsulationKey>, Vec<u8>)>,
    sent: Vec<Sent>,
    turn: Turn,
    secret: Vec<u8>,
}

impl Decapsulate {
    /// Creates a trial that decapsulates with these keys in rotation. `supply` determines the number of ciphertexts.
    ///
    /// # Errors
    /// Errors from the library while encapsulating.
    pub(crate) fn new(
        kem: Arc<dyn Kem>,
        encoding: Option<KeyEncoding>,
        keys: Vec<(Box<dyn DecapsulationKey>, Vec<u8>)>,
        supply: Supply,
    ) -> LibraryResult<Decapsulate> {
        let to = |key: usize| Sent::to(kem.as_ref(), key, keys[key].0.encapsulation_key()?.as_ref());
        let sent = supply.inputs(keys.len(), Vec::new(), to)?;
        let secret = vec![0; kem.info().parameters.shared_secret];
        Ok(Decapsulate { encoding, turn: Turn::new(sent.len()), keys, sent, secret, kem })
    }
}

impl Trial for Decapsulate {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.secret.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        match self.encoding {
            None => {
                for _ in 0..batch {
                    let sent = &self.sent[self.turn.advance()];
                    self.keys[sent.key].0.decapsulate(&sent.ciphertext, &mut self.secret).map_err(fault)?;
                }
            }
            Some(encoding) => {
                for _ in 0..batch {
                    let sent = &self.sent[self.turn.advance()];
                    let key = self.kem.load_decapsulation_key(encoding, &self.keys[sent.key].1).map_err(fault)?;
                    key.decapsulate(&sent.ciphertext, &mut self.secret).map_err(fault)?;
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same_secret(&self.sent[self.turn.last()].secret, &self.secret)
    }
}

/// Complete key exchange: key generation, encapsulation, decapsulation.
pub(crate) struct Handshake {
    kem: Arc<dyn Kem>,
    /// Supplied randomness for the key. `None` if the library uses its own generator.
    coins: Option<GivenCoins>,
    /// Buffer for the encapsulation key if the key is sent encoded. `None` if the key is passed prepared.
    encoded: Option<Vec<u8>>,
    sent: Sent,
    received: Vec<u8>,
}

impl Handshake {
    pub(crate) fn new(kem: Arc<dyn Kem>, coins: Option<GivenCoins>, encoded: bool) -> Handshake {
        let parameters = &kem.info().parameters;
        Handshake {
            encoded: encoded.then(|| vec![0; parameters.encapsulation_key]),
            sent: Sent::room(kem.as_ref(), 0),
            received: vec![0; parameters.shared_secret],
            coins,
            kem,
        }
    }

    #[inline(always)]
    fn exchange(&mut self) -> LibraryResult<()> {
        let key = self.kem.generate(GivenCoins::next(&mut self.coins))?;
        let mut to = key.encapsulation_key()?;
        if let Some(bytes) = &mut self.encoded {
            let length = to.encode(bytes)?;
            to = self.kem.load_encapsulation_key(&bytes[..length])?;
        }
        to.encapsulate(Coins::Internal, &mut self.sent.ciphertext, &mut self.sent.secret)?;
        key.decapsulate(&self.sent.ciphertext, &mut self.received)
    }
}

impl Trial for Handshake {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.sent.secret.fill(0);
        self.received.fill(0);
        self.coins.iter_mut().for_each(|coins| coins.setup(batch));
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.exchange().map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same_secret(&self.sent.secret, &self.received)
    }
}
