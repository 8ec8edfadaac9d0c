//! Trials for signing and verifying. A composite and its halves do the same work in these trials. The number of ML-DSA
//! attempts depends on key, message, context and randomness, so different inputs would give random differences. The
//! halves therefore use the composite's keys, and deterministically sign the bytes that the composite passes to them.

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

/// Length of the caller's message in bytes: the size of a digest.
const MESSAGE: usize = 32;

/// Random part of the signing time, which is the number of attempts.
pub(super) struct Luck;

impl Luck {
    /// Returns whether supplied seeds and deterministic signing make the scheme's number of attempts reproducible. The
    /// hybrid in the reference form signs fresh random bytes with each message, so its number of attempts always
    /// varies.
    pub(super) fn can_be_left_out(scheme: &dyn SignatureScheme) -> bool {
        let info = scheme.info();
        let repeats = [ML_DSA, CompositeSignature::ALGORITHM].contains(&info.parameters.algorithm.as_ref());
        repeats && info.coins.keygen && info.coins.operation
    }
}

/// Keys and messages for one scheme, one message per key.
pub(super) struct Inputs {
    setting: Setting,
    keys: Vec<Box<dyn SigningKey>>,
    messages: Vec<Vec<u8>>,
    /// Seeds for keys that are generated in the timed call. `None` if the keys come from the library's own randomness.
    coins: Option<GivenCoins>,
}

impl Inputs {
    /// Generates a message and 64 bytes of seeds (32 for ML-DSA, then 32 for Ed25519) for each key of the pool. A
    /// composite and its halves get the same seeds and messages.
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
        // Generate one key beyond the pool, for a signer whose key must not verify the signatures.
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

    /// Returns the trial for a case's operation.
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

/// Returns the demands of a trial. If signing is deterministic, a sample must cover the entire pool. A signature then
/// takes a fixed number of attempts, from one to dozens, which depends on the key and message. If samples cover the
/// pool, a composite and its halves do the same work in every visit.
fn whole_turns(setting: &Setting) -> Demands {
    Demands { multiple_of: if setting.mode.deterministic { POOL as u64 } else { 1 }, ..Demands::default() }
}

/// Wraps a trial and replaces its demands.
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

/// Key generation, signing and verification in one operation.
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
