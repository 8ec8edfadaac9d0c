//! Signs the message sets that C2SP published (CCTV). Signing a complete set takes the expected number of attempts.
//!
//! ML-DSA signs by rejection: the number of attempts depends on message and key, so a mean over random messages
//! converges slowly. Each set is designed for the key from the all-zero seed, deterministic signing and an empty
//! context. Its messages then take the expected total number of attempts. A sample therefore signs the complete set
//! once, and the time of the sample is divided by the number of messages. The alternative set reveals libraries that
//! are optimized for the main set.

use super::{Mode, Setting};
use crate::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, SignatureScheme, SigningKey, VerifyingKey};
use pqlab_record::Case;
use pqlab_verification::{fetched_vectors, vectors_root};
use std::path::{Path, PathBuf};
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

    pub(super) fn parse(name: &str) -> Option<MessageSet> {
        MessageSet::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Returns the path of the file with the messages for an algorithm. Looks in the folder of published vectors, then
    /// among the fetched vectors. `None` if neither contains the file.
    fn find(self, algorithm: &str) -> Option<PathBuf> {
        let folders = vectors_root().into_iter().chain(fetched_vectors());
        folders.map(|folder| folder.join(self.name_of_file(algorithm))).find(|path| path.is_file())
    }

    fn name_of_file(self, algorithm: &str) -> String {
        let ending = match self {
            MessageSet::Main => "",
            MessageSet::Alternative => ".alt",
        };
        format!("cctv/ML-DSA/benchmark/{algorithm}{ending}.json")
    }

    /// Reads the messages from their file.
    pub(super) fn read(path: &Path) -> Result<Vec<String>, Fault> {
        let unreadable = |error: String| Fault::Unsupported(format!("cannot read {}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let messages: Vec<String> = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if messages.is_empty() { Err(unreadable("it contains no messages".into())) } else { Ok(messages) }
    }
}

/// Message for users whose machine lacks the message sets.
pub const MESSAGE_SETS_MISSING: &str = "the message sets of C2SP CCTV are missing: run `make vectors`, or set \
     PQLAB_VECTORS to a folder of published vectors (docs/vectors.md)";

/// Returns whether a case signs a published message set that is not on this machine.
pub fn lacks_message_set(case: &Case) -> bool {
    let set = case.word(super::MESSAGES).and_then(MessageSet::parse);
    set.is_some_and(|set| set.find(&case.algorithm).is_none())
}

/// Returns whether a scheme can sign in the way that the sets require: ML-DSA, deterministic, with a key from a
/// supplied seed.
pub(super) fn offered(scheme: &dyn SignatureScheme) -> bool {
    let info = scheme.info();
    info.parameters.algorithm.starts_with("ML-DSA-") && info.coins.keygen && info.coins.operation && info.hedged
}

/// Signs the messages of a set one by one.
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
        let path = set.find(&scheme.info().parameters.algorithm);
        let path = path.ok_or_else(|| Fault::Unsupported(MESSAGE_SETS_MISSING.into()))?;
        let messages = MessageSet::read(&path)?;
        SignSet::with_messages(scheme, messages)
    }

    pub(super) fn with_messages(scheme: &Arc<dyn SignatureScheme>, messages: Vec<String>) -> Result<SignSet, Fault> {
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
