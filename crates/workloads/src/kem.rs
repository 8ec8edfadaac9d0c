//! Workload `kem`: key generation, encapsulation, decapsulation, with prepared keys and from encoded bytes.

use crate::inputs::{Turn, generator, pool};
use crate::{Options, Workload, fault, find, missing};
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KeyEncoding, Provider};
use pqlab_record::{Case, Facts, Form, Sizes};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Outputs of the latest operations that are kept for [`Trial::verify`].
const KEPT: usize = 16;

pub(crate) struct KemWorkload;

impl Workload for KemWorkload {
    fn id(&self) -> &'static str {
        "kem"
    }

    fn describe(&self) -> &'static str {
        "key encapsulation: keygen, encapsulate, decapsulate"
    }

    fn cases(&self, providers: &[Arc<Provider>], _options: &Options) -> Vec<Case> {
        let mut cases = Vec::new();
        for operation in ["keygen", "encapsulate", "decapsulate"] {
            for form in [Form::Prepared, Form::Encoded] {
                for provider in providers {
                    cases.extend(provider.kems.iter().map(|kem| case(provider, kem.as_ref(), operation, form)));
                }
            }
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let kem = Arc::clone(find(providers, &case.provider)?.kem(&case.algorithm).ok_or_else(|| missing(case))?);
        trial(kem, case, &mut generator(case, seed))
    }
}

/// A KEM's key generation, encapsulation or decapsulation, with prepared keys or from encoded bytes as the case says.
pub(crate) fn trial(kem: Arc<dyn Kem>, case: &Case, generator: &mut ChaCha8Rng) -> Result<Box<dyn Trial>, Fault> {
    let encoded = case.form == Some(Form::Encoded);
    Ok(match (case.operation.as_str(), encoded) {
        ("keygen", false) => Box::new(Keygen { kem, keys: Vec::new() }),
        ("keygen", true) => Box::new(KeygenEncoded::new(kem)),
        ("encapsulate", false) => Box::new(Encapsulate::new(kem, generator).map_err(fault)?),
        ("encapsulate", true) => Box::new(EncapsulateEncoded::new(kem, generator).map_err(fault)?),
        ("decapsulate", _) => Box::new(Decapsulate::new(kem, encoded, generator).map_err(fault)?),
        _ => return Err(missing(case)),
    })
}

fn case(provider: &Provider, kem: &dyn Kem, operation: &str, form: Form) -> Case {
    let info = kem.info();
    let parameters = &info.parameters;
    let sizes = Sizes {
        public_key: Some(parameters.encapsulation_key as u64),
        secret_key: own_encoding(kem).map(|(_, length)| length as u64),
        ciphertext: Some(parameters.ciphertext as u64),
        shared_secret: Some(parameters.shared_secret as u64),
        signature: None,
        ..Sizes::default()
    };
    Case {
        workload: "kem".into(),
        algorithm: parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: Vec::new(),
        block: format!("kem/{operation}"),
        facts: Facts { sizes, category: parameters.category, ..Facts::default() },
    }
}

/// The encoding of the decapsulation key that the provider writes by itself, and its length in bytes.
fn own_encoding(kem: &dyn Kem) -> Option<(KeyEncoding, usize)> {
    let encoding = *kem.info().encodings.first()?;
    Some((encoding, kem.info().decapsulation_key(encoding)?))
}

/// A key pair from seeded coins where the provider takes them, else from its own.
fn key_pair(kem: &dyn Kem, generator: &mut ChaCha8Rng) -> pqlab_primitives::Result<Box<dyn DecapsulationKey>> {
    let mut coins = vec![0; kem.info().parameters.keygen_coins];
    generator.fill_bytes(&mut coins);
    kem.generate(if kem.info().coins.keygen { Coins::Exact(&coins) } else { Coins::Internal })
}

/// Encapsulates to `key` and decapsulates again.
pub(crate) fn round_trip(kem: &dyn Kem, key: &dyn DecapsulationKey, to: &dyn EncapsulationKey) -> Result<(), Fault> {
    let parameters = &kem.info().parameters;
    let mut ciphertext = vec![0; parameters.ciphertext];
    let (mut sent, mut received) = (vec![0; parameters.shared_secret], vec![0; parameters.shared_secret]);
    to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).map_err(fault)?;
    key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
    same_secret(&sent, &received)
}

pub(crate) fn same_secret(sent: &[u8], received: &[u8]) -> Result<(), Fault> {
    if sent == received && sent.iter().any(|&byte| byte != 0) {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the two sides have different shared secrets".into()))
    }
}

/// Key generation up to a prepared key.
struct Keygen {
    kem: Arc<dyn Kem>,
    keys: Vec<Box<dyn DecapsulationKey>>,
}

impl Trial for Keygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.push(self.kem.generate(Coins::Internal).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        for key in self.keys.iter().rev().take(KEPT) {
            let to = key.encapsulation_key().map_err(fault)?;
            round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())?;
        }
        Ok(())
    }
}

/// Key generation up to encoded bytes.
struct KeygenEncoded {
    kem: Arc<dyn Kem>,
    outputs: Vec<(Vec<u8>, Vec<u8>)>,
    turn: Turn,
}

impl KeygenEncoded {
    fn new(kem: Arc<dyn Kem>) -> KeygenEncoded {
        let public = kem.info().parameters.encapsulation_key;
        let private = own_encoding(kem.as_ref()).map_or(0, |(_, length)| length);
        KeygenEncoded { outputs: vec![(vec![0; public], vec![0; private]); KEPT], turn: Turn::of(KEPT), kem }
    }
}

impl Trial for KeygenEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (public, private) = &mut self.outputs[self.turn.advance()];
            self.kem.generate_encoded(Coins::Internal, public, private).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (public, private) = &self.outputs[self.turn.last()];
        let (encoding, _) = own_encoding(self.kem.as_ref()).ok_or_else(|| Fault::Library("no key encoding".into()))?;
        let to = self.kem.load_encapsulation_key(public).map_err(fault)?;
        let key = self.kem.load_decapsulation_key(encoding, private).map_err(fault)?;
        round_trip(self.kem.as_ref(), key.as_ref(), to.as_ref())
    }
}

/// Encapsulation to a prepared key.
struct Encapsulate {
    keys: Vec<(Box<dyn DecapsulationKey>, Box<dyn EncapsulationKey>)>,
    turn: Turn,
    outputs: Outputs,
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

    /// Decapsulates the latest output; a slot that was not written since [`clear`](Self::clear) has no secret.
    fn verify<'k>(&self, key: impl Fn(usize) -> &'k dyn DecapsulationKey) -> Result<(), Fault> {
        let (index, ciphertext, sent) = &self.slots[self.turn.last()];
        let mut received = vec![0; sent.len()];
        key(*index).decapsulate(ciphertext, &mut received).map_err(fault)?;
        same_secret(sent, &received)
    }
}

impl Encapsulate {
    fn new(kem: Arc<dyn Kem>, generator: &mut ChaCha8Rng) -> pqlab_primitives::Result<Encapsulate> {
        let keys = pool(|| {
            let key = key_pair(kem.as_ref(), generator)?;
            let to = key.encapsulation_key()?;
            Ok((key, to))
        })?;
        Ok(Encapsulate { turn: Turn::of(keys.len()), keys, outputs: Outputs::new(kem.as_ref()) })
    }
}

impl Trial for Encapsulate {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.outputs.clear();
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let index = self.turn.advance();
            let (ciphertext, secret) = self.outputs.next(index);
            self.keys[index].1.encapsulate(Coins::Internal, ciphertext, secret).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.outputs.verify(|index| self.keys[index].0.as_ref())
    }
}

/// Encapsulation from the encapsulation key's bytes.
struct EncapsulateEncoded {
    kem: Arc<dyn Kem>,
    keys: Vec<(Box<dyn DecapsulationKey>, Vec<u8>)>,
    turn: Turn,
    outputs: Outputs,
}

impl EncapsulateEncoded {
    fn new(kem: Arc<dyn Kem>, generator: &mut ChaCha8Rng) -> pqlab_primitives::Result<EncapsulateEncoded> {
        let keys = pool(|| {
            let key = key_pair(kem.as_ref(), generator)?;
            let mut bytes = vec![0; kem.info().parameters.encapsulation_key];
            key.encapsulation_key()?.encode(&mut bytes)?;
            Ok((key, bytes))
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
struct Decapsulate {
    kem: Arc<dyn Kem>,
    /// `Some` where the key is parsed in each call.
    encoding: Option<KeyEncoding>,
    pairs: Vec<Pair>,
    turn: Turn,
    secret: Vec<u8>,
}

struct Pair {
    key: Box<dyn DecapsulationKey>,
    encoded: Vec<u8>,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
}

impl Decapsulate {
    fn new(kem: Arc<dyn Kem>, encoded: bool, generator: &mut ChaCha8Rng) -> pqlab_primitives::Result<Decapsulate> {
        let parameters = &kem.info().parameters;
        let own = own_encoding(kem.as_ref()).filter(|_| encoded);
        let pairs = pool(|| {
            let key = key_pair(kem.as_ref(), generator)?;
            let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
            key.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
            let mut bytes = vec![0; own.map_or(0, |(_, length)| length)];
            if let Some((encoding, _)) = own {
                key.encode(encoding, &mut bytes)?;
            }
            Ok(Pair { key, encoded: bytes, ciphertext, secret })
        })?;
        let secret = vec![0; parameters.shared_secret];
        Ok(Decapsulate { encoding: own.map(|(encoding, _)| encoding), turn: Turn::of(pairs.len()), pairs, secret, kem })
    }
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
                    let pair = &self.pairs[self.turn.advance()];
                    pair.key.decapsulate(&pair.ciphertext, &mut self.secret).map_err(fault)?;
                }
            }
            Some(encoding) => {
                for _ in 0..batch {
                    let pair = &self.pairs[self.turn.advance()];
                    let key = self.kem.load_decapsulation_key(encoding, &pair.encoded).map_err(fault)?;
                    key.decapsulate(&pair.ciphertext, &mut self.secret).map_err(fault)?;
                }
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same_secret(&self.pairs[self.turn.last()].secret, &self.secret)
    }
}
