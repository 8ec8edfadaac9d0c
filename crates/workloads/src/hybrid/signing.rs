//! Signing and verifying, such that a composite and its halves do the same work. The number of ML-DSA's attempts
//! depends on key, message, context and randomness, so a difference between two runs would measure luck. Therefore the
//! halves have the keys of the composite and sign, deterministically, the bytes that it passes to them.

use super::{ED25519, ML_DSA};
use crate::inputs::{GivenCoins, Messages, POOL, Supply, bytes};
use crate::signature::{Keygen, Mode, Setting, Sign, Signed, Verify};
use crate::{fault, missing};
use pqlab_constructions::CompositeSignature;
use pqlab_constructions::hybrid_signature::Message;
use pqlab_harness::{Demands, Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Error, Hash, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use pqlab_record::Case;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Length in bytes of the caller's message: that of a digest.
const MESSAGE: usize = 32;

/// The part of a signature's time that chance decides.
pub(super) struct Luck;

impl Luck {
    /// Whether a scheme with random attempts can do without chance: the same keys, and signatures without randomness.
    /// The reference's hybrid signs fresh random data each time.
    pub(super) fn can_be_left_out(scheme: &dyn SignatureScheme) -> bool {
        let info = scheme.info();
        let repeats = [ML_DSA, CompositeSignature::ALGORITHM].contains(&info.parameters.algorithm.as_ref());
        repeats && info.coins.keygen && info.coins.operation
    }
}

/// Keys and messages of one scheme, equally many of both.
pub(super) struct Inputs {
    setting: Setting,
    keys: Vec<Box<dyn SigningKey>>,
    messages: Vec<Vec<u8>>,
    /// `Some` if timed keys are made from given seeds; otherwise they come from the library's own randomness.
    coins: Option<GivenCoins>,
}

impl Inputs {
    /// Draws `xi || seed` and a message for each key of the pool, in the same order for every scheme.
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        case: &Case,
        given: bool,
        sha512: &dyn Hash,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Inputs> {
        let half = [ED25519, ML_DSA].contains(&case.algorithm.as_str());
        let takes_seeds = scheme.info().coins.keygen;
        let (mut keys, mut messages, mut seeds) = (Vec::new(), Vec::new(), Vec::new());
        // The last key belongs to somebody else.
        for _ in 0..=POOL {
            let (both, message) = (bytes(generator, 64), bytes(generator, MESSAGE));
            let seed = match case.algorithm.as_str() {
                ED25519 => both[32..].to_vec(),
                ML_DSA => both[..32].to_vec(),
                _ => both,
            };
            keys.push(scheme.generate(if takes_seeds { Coins::Exact(&seed) } else { Coins::Internal })?);
            let message = if half { Message::new(sha512, &[], &message)?.as_bytes().to_vec() } else { message };
            messages.push(message);
            seeds.push(seed);
        }
        messages.truncate(POOL);
        seeds.truncate(POOL);
        let context = if case.algorithm == ML_DSA { Message::ML_DSA_CONTEXT } else { &[] };
        let mode = Mode { deterministic: case.is_deterministic(), prehash: None, context };
        let other = keys.split_off(POOL);
        let setting = Setting::new(scheme, mode, other[0].as_ref())?;
        Ok(Inputs { setting, keys, messages, coins: given.then(|| GivenCoins::seeds(seeds)) })
    }

    /// Returns the trial of a case's operation.
    pub(super) fn trial(self, case: &Case) -> Result<Box<dyn Trial>, Fault> {
        let Inputs { setting, keys, messages, coins } = self;
        Ok(match case.operation.as_str() {
            "keygen" => Box::new(Keygen::new(setting, coins)),
            "sign" => {
                let keys = keys.into_iter().map(|key| (key, Vec::new())).collect();
                let demands = whole_turns(&setting);
                Box::new(InTurns { trial: Sign::new(setting, None, keys, Messages::fixed(messages), None), demands })
            }
            "verify" => {
                let sign = |key: usize| {
                    let (mut signature, message) = (setting.signature(), messages[key].clone());
                    let mode = setting.mode;
                    let length = mode.sign(keys[key].as_ref(), &message, mode.coins(), &mut signature)?;
                    signature.truncate(length);
                    Ok::<_, Error>(Signed { key, message, signature })
                };
                let signed = Supply::Pool.inputs(keys.len(), Vec::new(), sign).map_err(fault)?;
                let verifiers = keys.iter().map(|key| Ok((key.verifying_key()?, Vec::new())));
                let verifiers = verifiers.collect::<LibraryResult<Vec<_>>>().map_err(fault)?;
                Box::new(Verify::new(setting, false, verifiers, signed))
            }
            "cycle" => {
                let signature = setting.signature();
                let messages = Messages::fixed(messages);
                Box::new(Cycle { setting, messages, coins, signature, key: None, length: 0 })
            }
            _ => return Err(missing(case)),
        })
    }
}

/// Signing without randomness takes between one attempt and dozens, depending on key and message. A sample therefore
/// covers the whole pool, so that a composite and its halves have the same work in every visit.
fn whole_turns(setting: &Setting) -> Demands {
    Demands { multiple_of: if setting.mode.deterministic { POOL as u64 } else { 1 }, ..Demands::default() }
}

/// A trial with other demands.
struct InTurns<T> {
    trial: T,
    demands: Demands,
}

impl<T: Trial> Trial for InTurns<T> {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.trial.setup(batch)
    }

    #[inline(always)]
    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        self.trial.routine(batch, recorder)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.trial.verify()
    }

    fn demands(&self) -> Demands {
        self.demands
    }
}

/// Key generation, signing and verification in one.
struct Cycle {
    setting: Setting,
    messages: Messages,
    coins: Option<GivenCoins>,
    signature: Vec<u8>,
    key: Option<Box<dyn VerifyingKey>>,
    length: usize,
}

impl Trial for Cycle {
    fn demands(&self) -> Demands {
        whole_turns(&self.setting)
    }

    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.length = 0;
        self.key = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let Setting { scheme, mode, .. } = &self.setting;
        let coins = mode.coins();
        for _ in 0..batch {
            let message = self.messages.next();
            let key = scheme.generate(GivenCoins::next(&mut self.coins)).map_err(fault)?;
            self.length = mode.sign(key.as_ref(), message, coins, &mut self.signature).map_err(fault)?;
            let verifier = key.verifying_key().map_err(fault)?;
            mode.verify(verifier.as_ref(), message, &self.signature[..self.length]).map_err(fault)?;
            self.key = Some(verifier);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let key = self.key.as_ref().ok_or_else(|| Fault::WrongAnswer("no signature was created".into()))?;
        self.setting.check(key.as_ref(), self.messages.last(), &self.signature[..self.length])
    }
}
