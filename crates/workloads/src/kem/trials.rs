//! The trials of keygen, encapsulate and decapsulate.

use super::{key_pair, same_secret};
use crate::fault;
use crate::inputs::{GivenCoins, Turn, inputs_of, pool, pool_of};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Result as LibraryResult};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Outputs of the latest operations that are kept for [`Trial::verify`].
const KEPT: usize = 16;

/// Encapsulates to `key` and decapsulates again.
pub(crate) fn round_trip(kem: &dyn Kem, key: &dyn DecapsulationKey, to: &dyn EncapsulationKey) -> Result<(), Fault> {
    let parameters = &kem.info().parameters;
    let mut ciphertext = vec![0; parameters.ciphertext];
    let (mut sent, mut received) = (vec![0; parameters.shared_secret], vec![0; parameters.shared_secret]);
    to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).map_err(fault)?;
    key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
    same_secret(&sent, &received)
}

/// Key generation up to a prepared key.
pub(super) struct Keygen {
    kem: Arc<dyn Kem>,
    keys: Vec<Box<dyn DecapsulationKey>>,
    /// `Some` where coins are given.
    coins: Option<GivenCoins>,
}

impl Keygen {
    pub(super) fn new(kem: Arc<dyn Kem>, exact: bool, generator: &mut ChaCha8Rng) -> Keygen {
        let coins = exact.then(|| GivenCoins::new(kem.info().parameters.keygen_coins, generator));
        Keygen { kem, keys: Vec::new(), coins }
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
                    self.keys.push(self.kem.generate(Coins::Internal).map_err(fault)?);
                }
            }
            Some(coins) => {
                for _ in 0..batch {
                    self.keys.push(self.kem.generate(Coins::Exact(coins.next())).map_err(fault)?);
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        for key in self.keys.iter().rev().take(KEPT) {
            let to = key.encapsulation_key().map_err(fault)?;
            round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())?;
        }
        // The same coins must give the same key.
        if let (Some(coins), Some(key)) = (&self.coins, self.keys.last()) {
            let again = self.kem.generate(Coins::Exact(coins.last())).map_err(fault)?;
            let to = again.encapsulation_key().map_err(fault)?;
            round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())?;
        }
        Ok(())
    }
}

/// Key generation up to encoded bytes.
pub(super) struct KeygenEncoded {
    kem: Arc<dyn Kem>,
    encoding: KeyEncoding,
    /// Whether the library writes that encoding by itself.
    own: bool,
    outputs: Vec<(Vec<u8>, Vec<u8>)>,
    turn: Turn,
}

impl KeygenEncoded {
    pub(super) fn new(encoding: KeyEncoding, kem: Arc<dyn Kem>) -> KeygenEncoded {
        let info = kem.info();
        let (public, private) = (info.parameters.encapsulation_key, info.decapsulation_key(encoding).unwrap_or(0));
        let own = kem.written().first() == Some(&encoding);
        let outputs = vec![(vec![0; public], vec![0; private]); KEPT];
        KeygenEncoded { outputs, turn: Turn::of(KEPT), encoding, own, kem }
    }
}

impl Trial for KeygenEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (public, private) = &mut self.outputs[self.turn.advance()];
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
        let (public, private) = &self.outputs[self.turn.last()];
        let to = self.kem.load_encapsulation_key(public).map_err(fault)?;
        let key = self.kem.load_decapsulation_key(self.encoding, private).map_err(fault)?;
        round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())
    }
}

/// Encapsulation to a prepared key.
pub(super) struct Encapsulate {
    keys: Vec<(Box<dyn DecapsulationKey>, Box<dyn EncapsulationKey>)>,
    turn: Turn,
    outputs: Outputs,
    /// `Some` where coins are given.
    coins: Option<GivenCoins>,
}

/// Where encapsulations write, and for which key.
struct Outputs {
    slots: Vec<(usize, Vec<u8>, Vec<u8>)>,
    turn: Turn,
}

impl Outputs {
    fn new(kem: &dyn Kem) -> Outputs {
        let parameters = &kem.info().parameters;
        let slot = (0, vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
        Outputs { slots: vec![slot; KEPT], turn: Turn::of(KEPT) }
    }

    #[inline(always)]
    fn next(&mut self, key: usize) -> (&mut [u8], &mut [u8]) {
        let slot = &mut self.slots[self.turn.advance()];
        slot.0 = key;
        (&mut slot.1, &mut slot.2)
    }

    fn clear(&mut self) {
        for (_, _, secret) in &mut self.slots {
            secret.fill(0);
        }
    }

    /// The latest output: the key's number, the ciphertext, the secret.
    fn last(&self) -> &(usize, Vec<u8>, Vec<u8>) {
        &self.slots[self.turn.last()]
    }

    /// Decapsulates the latest output; a slot that was not written since [`clear`](Self::clear) has no secret.
    fn verify<'k>(&self, key: impl Fn(usize) -> &'k dyn DecapsulationKey) -> Result<(), Fault> {
        let (index, ciphertext, sent) = self.last();
        let mut received = vec![0; sent.len()];
        key(*index).decapsulate(ciphertext, &mut received).map_err(fault)?;
        same_secret(sent, &received)
    }
}

impl Encapsulate {
    pub(super) fn new(
        kem: Arc<dyn Kem>,
        exact: bool,
        keys: Option<u64>,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Encapsulate> {
        let keys = pool_of(keys, || {
            let (key, _) = key_pair(kem.as_ref(), generator)?;
            let to = key.encapsulation_key()?;
            Ok::<_, Error>((key, to))
        })?;
        let coins = exact.then(|| GivenCoins::new(kem.info().parameters.encapsulation_coins, generator));
        Ok(Encapsulate { turn: Turn::of(keys.len()), keys, outputs: Outputs::new(kem.as_ref()), coins })
    }
}

impl Trial for Encapsulate {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.outputs.clear();
        if let Some(coins) = &mut self.coins {
            coins.refill(batch);
        }
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        match &mut self.coins {
            None => {
                for _ in 0..batch {
                    let index = self.turn.advance();
                    let (ciphertext, secret) = self.outputs.next(index);
                    self.keys[index].1.encapsulate(Coins::Internal, ciphertext, secret).map_err(fault)?;
                }
            }
            Some(coins) => {
                for _ in 0..batch {
                    let index = self.turn.advance();
                    let (ciphertext, secret) = self.outputs.next(index);
                    self.keys[index].1.encapsulate(Coins::Exact(coins.next()), ciphertext, secret).map_err(fault)?;
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.outputs.verify(|index| self.keys[index].0.as_ref())?;
        // The same coins must give the same ciphertext.
        if let Some(coins) = &self.coins {
            let (index, ciphertext, secret) = self.outputs.last();
            let (mut again, mut same) = (vec![0; ciphertext.len()], vec![0; secret.len()]);
            self.keys[*index].1.encapsulate(Coins::Exact(coins.last()), &mut again, &mut same).map_err(fault)?;
            if again != *ciphertext {
                return Err(Fault::WrongAnswer("the same coins give another ciphertext".into()));
            }
        }
        Ok(())
    }
}

/// Encapsulation from the encapsulation key's bytes.
pub(super) struct EncapsulateEncoded {
    kem: Arc<dyn Kem>,
    keys: Vec<(Box<dyn DecapsulationKey>, Vec<u8>)>,
    turn: Turn,
    outputs: Outputs,
}

impl EncapsulateEncoded {
    pub(super) fn new(kem: Arc<dyn Kem>, generator: &mut ChaCha8Rng) -> LibraryResult<EncapsulateEncoded> {
        let keys = pool(|| {
            let (key, _) = key_pair(kem.as_ref(), generator)?;
            let mut bytes = vec![0; kem.info().parameters.encapsulation_key];
            key.encapsulation_key()?.encode(&mut bytes)?;
            Ok::<_, Error>((key, bytes))
        })?;
        Ok(EncapsulateEncoded { turn: Turn::of(keys.len()), keys, outputs: Outputs::new(kem.as_ref()), kem })
    }
}

impl Trial for EncapsulateEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.outputs.clear();
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let index = self.turn.advance();
            let (ciphertext, secret) = self.outputs.next(index);
            let key = self.kem.load_encapsulation_key(&self.keys[index].1).map_err(fault)?;
            key.encapsulate(Coins::Internal, ciphertext, secret).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.outputs.verify(|index| self.keys[index].0.as_ref())
    }
}

/// Decapsulation, with a prepared key or from the decapsulation key's bytes.
pub(super) struct Decapsulate {
    kem: Arc<dyn Kem>,
    /// `Some` where the key is parsed in each call.
    encoding: Option<KeyEncoding>,
    keys: Vec<(Box<dyn DecapsulationKey>, Vec<u8>)>,
    sent: Vec<Sent>,
    turn: Turn,
    secret: Vec<u8>,
}

/// What was encapsulated to the key of that number.
struct Sent {
    key: usize,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
}

impl Decapsulate {
    pub(super) fn new(
        kem: Arc<dyn Kem>,
        encoding: Option<KeyEncoding>,
        keys: Option<u64>,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Decapsulate> {
        let parameters = &kem.info().parameters;
        let count = keys;
        let keys = pool_of(count, || {
            let (key, coins) = key_pair(kem.as_ref(), generator)?;
            let bytes = match encoding {
                Some(encoding) => encoded(kem.as_ref(), key.as_ref(), encoding, coins)?,
                None => Vec::new(),
            };
            Ok::<_, Error>((key, bytes))
        })?;
        let to = |number: usize| {
            let key = number % keys.len();
            let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
            keys[key].0.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
            Ok(Sent { key, ciphertext, secret })
        };
        let sent = (0..inputs_of(count, keys.len())).map(to).collect::<LibraryResult<Vec<Sent>>>()?;
        let secret = vec![0; parameters.shared_secret];
        Ok(Decapsulate { encoding, turn: Turn::of(sent.len()), keys, sent, secret, kem })
    }
}

/// The bytes of a key in an encoding. A library whose keys forget their seed is given the one that this one was made from.
fn encoded(kem: &dyn Kem, key: &dyn DecapsulationKey, encoding: KeyEncoding, coins: Vec<u8>) -> LibraryResult<Vec<u8>> {
    let length = kem.info().decapsulation_key(encoding).unwrap_or(0);
    if encoding == KeyEncoding::Seed && coins.len() == length && !kem.written().contains(&encoding) {
        return Ok(coins);
    }
    let mut bytes = vec![0; length];
    let length = key.encode(encoding, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

impl Trial for Decapsulate {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.secret.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
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
