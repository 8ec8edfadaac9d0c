//! Signing and verifying such that the parts of a decomposition do the same work: ML-DSA repeats itself a number of times
//! that depends on key, message, context and randomness, and a difference between two runs of it would measure luck. So
//! the halves have the keys of the composite and sign, deterministically, the bytes that it hands to them.

use super::{ED25519, ML_DSA};
use crate::fault;
use crate::inputs::{POOL, Turn, bytes};
use pqlab_constructions::CompositeSignature;
use pqlab_constructions::hybrid_signature::Message;
use pqlab_harness::{Demands, Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Hash, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey};
use pqlab_record::Case;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Length in bytes of the caller's message: a digest's.
const MESSAGE: usize = 32;

/// What chance decides of the time of a signature.
pub(super) struct Luck;

impl Luck {
    /// Whether a scheme that repeats itself can be had without: the same keys, and signatures without randomness. The
    /// reference's hybrid draws for each signature what it signs.
    pub(super) fn can_be_left_out(scheme: &dyn SignatureScheme) -> bool {
        let info = scheme.info();
        let repeats = [ML_DSA, CompositeSignature::ALGORITHM].contains(&info.parameters.algorithm.as_ref());
        repeats && info.coins.keygen && info.coins.operation
    }
}

/// Keys and messages of one scheme.
pub(super) struct Inputs {
    scheme: Arc<dyn SignatureScheme>,
    context: &'static [u8],
    deterministic: bool,
    /// Whether keys that are timed are made from the seeds; else from the library's own randomness.
    given: bool,
    pool: Vec<Input>,
}

struct Input {
    /// Coins of key generation; none where the library takes none.
    seed: Vec<u8>,
    key: Box<dyn SigningKey>,
    message: Vec<u8>,
}

impl Input {
    fn coins(&self) -> Coins<'_> {
        if self.seed.is_empty() { Coins::Internal } else { Coins::Exact(&self.seed) }
    }
}

impl Inputs {
    /// From `xi || seed` and a message for each of the pool, drawn in the same order for every scheme.
    pub(super) fn new(
        scheme: Arc<dyn SignatureScheme>,
        case: &Case,
        given: bool,
        sha512: &dyn Hash,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Inputs> {
        let half = [ED25519, ML_DSA].contains(&case.algorithm.as_str());
        let mut pool = Vec::with_capacity(POOL);
        for _ in 0..POOL {
            let (seeds, message) = (bytes(generator, 64), bytes(generator, MESSAGE));
            let seed = match case.algorithm.as_str() {
                _ if !scheme.info().coins.keygen => Vec::new(),
                ED25519 => seeds[32..].to_vec(),
                ML_DSA => seeds[..32].to_vec(),
                _ => seeds,
            };
            let message = if half { Message::new(sha512, &[], &message)?.as_bytes().to_vec() } else { message };
            let coins = if seed.is_empty() { Coins::Internal } else { Coins::Exact(&seed) };
            let key = scheme.generate(coins)?;
            pool.push(Input { key, seed, message });
        }
        let context = if case.algorithm == ML_DSA { Message::ML_DSA_CONTEXT } else { &[] };
        Ok(Inputs { scheme, context, deterministic: case.flag("deterministic"), given, pool })
    }

    fn signing_coins(&self) -> Coins<'static> {
        if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal }
    }

    /// Signing without randomness takes for each key and message what it takes, from one try to dozens: a sample goes round the
    /// whole pool, so that a composite and its halves have the same work in every visit.
    fn demands(&self) -> Demands {
        Demands { multiple_of: if self.deterministic { self.pool.len() as u64 } else { 1 }, ..Demands::default() }
    }

    fn signature(&self) -> Vec<u8> {
        vec![0; self.scheme.info().parameters.signature]
    }

    /// Accepts the signature, and refuses it for another message and with a bit flipped.
    fn check(&self, verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Fault> {
        verifier.verify(self.context, message, signature).map_err(fault)?;
        let flipped = |bytes: &[u8]| {
            let mut changed = bytes.to_vec();
            changed.iter_mut().take(1).for_each(|byte| *byte ^= 1);
            changed
        };
        let refused = |message: &[u8], signature: &[u8], what: &str| {
            let accepted = verifier.verify(self.context, message, signature).is_ok();
            if accepted { Err(Fault::WrongAnswer(format!("verification accepts {what}"))) } else { Ok(()) }
        };
        refused(&flipped(message), signature, "another message")?;
        refused(message, &flipped(signature), "a signature with a bit flipped")
    }

    /// The key of an input as it is timed.
    #[inline(always)]
    fn generate(&self, input: &Input) -> LibraryResult<Box<dyn SigningKey>> {
        self.scheme.generate(if self.given { input.coins() } else { Coins::Internal })
    }
}

/// Key generation up to a prepared key.
pub(super) struct SignatureKeygen {
    inputs: Inputs,
    turn: Turn,
    keys: Vec<Box<dyn SigningKey>>,
}

impl SignatureKeygen {
    pub(super) fn new(inputs: Inputs) -> SignatureKeygen {
        SignatureKeygen { turn: Turn::of(inputs.pool.len()), keys: Vec::new(), inputs }
    }
}

impl Trial for SignatureKeygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let input = &self.inputs.pool[self.turn.advance()];
            self.keys.push(self.inputs.generate(input).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.last() else {
            return Err(Fault::WrongAnswer("no key was made".into()));
        };
        let (mut signature, message) = (self.inputs.signature(), &self.inputs.pool[self.turn.last()].message);
        let length = key.sign(self.inputs.context, message, Coins::Internal, &mut signature).map_err(fault)?;
        let verifier = key.verifying_key().map_err(fault)?;
        self.inputs.check(verifier.as_ref(), message, &signature[..length])
    }
}

pub(super) struct Sign {
    inputs: Inputs,
    turn: Turn,
    signature: Vec<u8>,
    length: usize,
}

impl Sign {
    pub(super) fn new(inputs: Inputs) -> Sign {
        Sign { turn: Turn::of(inputs.pool.len()), signature: inputs.signature(), length: 0, inputs }
    }
}

impl Trial for Sign {
    fn demands(&self) -> Demands {
        self.inputs.demands()
    }

    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.length = 0;
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let coins = self.inputs.signing_coins();
        for _ in 0..batch {
            let Input { key, message, .. } = &self.inputs.pool[self.turn.advance()];
            self.length = key.sign(self.inputs.context, message, coins, &mut self.signature).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Input { key, message, .. } = &self.inputs.pool[self.turn.last()];
        let verifier = key.verifying_key().map_err(fault)?;
        self.inputs.check(verifier.as_ref(), message, &self.signature[..self.length])
    }
}

pub(super) struct Verify {
    inputs: Inputs,
    signed: Vec<(Box<dyn VerifyingKey>, Vec<u8>)>,
    turn: Turn,
}

impl Verify {
    pub(super) fn new(inputs: Inputs) -> LibraryResult<Verify> {
        let coins = inputs.signing_coins();
        let sign = |input: &Input| {
            let mut signature = inputs.signature();
            let length = input.key.sign(inputs.context, &input.message, coins, &mut signature)?;
            signature.truncate(length);
            Ok((input.key.verifying_key()?, signature))
        };
        let signed = inputs.pool.iter().map(sign).collect::<LibraryResult<_>>()?;
        Ok(Verify { turn: Turn::of(inputs.pool.len()), signed, inputs })
    }
}

impl Trial for Verify {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let index = self.turn.advance();
            let (verifier, signature) = &self.signed[index];
            verifier.verify(self.inputs.context, &self.inputs.pool[index].message, signature).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let index = self.turn.last();
        let (verifier, signature) = &self.signed[index];
        self.inputs.check(verifier.as_ref(), &self.inputs.pool[index].message, signature)
    }
}

/// Key generation, signing and verification in one.
pub(super) struct Cycle {
    inputs: Inputs,
    turn: Turn,
    signature: Vec<u8>,
    key: Option<Box<dyn VerifyingKey>>,
    length: usize,
}

impl Cycle {
    pub(super) fn new(inputs: Inputs) -> Cycle {
        let (turn, signature) = (Turn::of(inputs.pool.len()), inputs.signature());
        Cycle { turn, signature, key: None, length: 0, inputs }
    }
}

impl Trial for Cycle {
    fn demands(&self) -> Demands {
        self.inputs.demands()
    }

    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.length = 0;
        self.key = None;
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let coins = self.inputs.signing_coins();
        let context = self.inputs.context;
        for _ in 0..batch {
            let input = &self.inputs.pool[self.turn.advance()];
            let key = self.inputs.generate(input).map_err(fault)?;
            self.length = key.sign(context, &input.message, coins, &mut self.signature).map_err(fault)?;
            let verifier = key.verifying_key().map_err(fault)?;
            verifier.verify(context, &input.message, &self.signature[..self.length]).map_err(fault)?;
            self.key = Some(verifier);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = &self.key else {
            return Err(Fault::WrongAnswer("no signature was made".into()));
        };
        self.inputs.check(key.as_ref(), &self.inputs.pool[self.turn.last()].message, &self.signature[..self.length])
    }
}
