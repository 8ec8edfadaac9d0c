//! Signing the published message sets of C2SP's CCTV, whose rejections average out.
//!
//! ML-DSA signs by rejection: how often it tries again depends on message and key, and a mean over random messages
//! converges slowly. For the key of the all-zero seed, deterministic signing and the empty context, the sets hold messages
//! whose numbers of attempts add up to the expected ones. So a sample is the whole set signed once, divided by its number
//! of messages. The alternative set exists to show that it is not the set that is optimised for.

use super::{Mode, Setting};
use crate::{VECTORS, fault};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, SignatureScheme, SigningKey, VerifyingKey};
use std::path::Path;
use std::sync::Arc;

/// A published set of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageSet {
    Main,
    Alternative,
}

impl MessageSet {
    pub(super) const ALL: [MessageSet; 2] = [MessageSet::Main, MessageSet::Alternative];

    pub(super) fn name(self) -> &'static str {
        match self {
            MessageSet::Main => "cctv",
            MessageSet::Alternative => "cctv-alt",
        }
    }

    pub(super) fn of(name: &str) -> Option<MessageSet> {
        MessageSet::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Reads the messages for an algorithm from the folder of published vectors.
    pub(super) fn read(self, folder: &Path, algorithm: &str) -> Result<Vec<String>, Fault> {
        let ending = match self {
            MessageSet::Main => "",
            MessageSet::Alternative => ".alt",
        };
        let path = folder.join(format!("cctv/ML-DSA/benchmark/{algorithm}{ending}.json"));
        let unreadable = |error: String| Fault::Unsupported(format!("cannot read {}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))?;
        let messages: Vec<String> = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if messages.is_empty() { Err(unreadable("it holds no message".into())) } else { Ok(messages) }
    }
}

/// Whether a provider can sign as the sets ask for: with the key of a given seed, deterministically.
pub(super) fn offered(scheme: &dyn SignatureScheme) -> bool {
    let info = scheme.info();
    info.parameters.algorithm.starts_with("ML-DSA-") && info.coins.keygen && info.coins.operation && info.hedged
}

/// Signing a set of messages, one after the other.
pub(super) struct SignSet {
    setting: Setting,
    key: Box<dyn SigningKey>,
    verifier: Box<dyn VerifyingKey>,
    messages: Vec<String>,
    signatures: Vec<Vec<u8>>,
}

pub(super) const MODE: Mode = Mode { deterministic: true, prehash: None, context: &[] };

impl SignSet {
    pub(super) fn new(scheme: &Arc<dyn SignatureScheme>, set: MessageSet) -> Result<SignSet, Fault> {
        let folder = std::env::var_os(VECTORS).ok_or_else(|| {
            Fault::Unsupported(format!(
                "the message sets are not here: name the folder of published vectors in {VECTORS}"
            ))
        })?;
        let messages = set.read(Path::new(&folder), &scheme.info().parameters.algorithm)?;
        SignSet::of(scheme, messages)
    }

    pub(super) fn of(scheme: &Arc<dyn SignatureScheme>, messages: Vec<String>) -> Result<SignSet, Fault> {
        let [key, other] = [0, 1].map(|byte| scheme.generate(Coins::Exact(&[byte; 32])).map_err(fault));
        let (key, setting) = (key?, Setting::new(Arc::clone(scheme), MODE, other?.as_ref()).map_err(fault)?);
        let verifier = key.verifying_key().map_err(fault)?;
        let signatures = vec![setting.signature(); messages.len()];
        Ok(SignSet { setting, key, verifier, messages, signatures })
    }
}

impl Trial for SignSet {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.signatures.iter_mut().for_each(|signature| signature.fill(0));
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for (message, signature) in self.messages.iter().zip(&mut self.signatures).take(batch) {
            MODE.sign(self.key.as_ref(), message.as_bytes(), MODE.coins(), signature).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        for (message, signature) in self.messages.iter().zip(&self.signatures) {
            MODE.verify(self.verifier.as_ref(), message.as_bytes(), signature).map_err(fault)?;
        }
        match self.messages.iter().zip(&self.signatures).next_back() {
            Some((message, signature)) => self.setting.check(self.verifier.as_ref(), message.as_bytes(), signature),
            None => Ok(()),
        }
    }

    fn batch(&self) -> Option<u64> {
        Some(self.messages.len() as u64)
    }
}
