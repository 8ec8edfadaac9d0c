mod id;
mod kind;
mod parameters;

pub use id::{CaseId, UnreadableId};
pub use kind::{CoinSource, Kind, Statistic};
pub use parameters::Parameter;

use crate::NULL;
use serde::{Deserialize, Serialize};

/// Whether an operation starts from a key that is parsed and expanded already, or from its encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// With a prepared key object; for key generation: up to a prepared key object.
    Prepared,
    /// From encoded bytes: parse, check, prepare, operate; for key generation: up to encoded bytes.
    Encoded,
}

/// In which state of the caches and of the process an operation is measured. Each is a figure of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Steady state: the same operation was called just before.
    #[default]
    Warm,
    /// The operation was called before in this process, but a buffer larger than the last-level cache was walked since:
    /// its code, its tables and its inputs come from memory.
    Evicted,
    /// The first call of the operation in a fresh process, after the caches were evicted.
    FirstCall,
}

impl State {
    /// Every state, the usual one first.
    pub const ALL: [State; 3] = [State::Warm, State::Evicted, State::FirstCall];

    /// The word that ids and command lines carry.
    pub fn name(self) -> &'static str {
        match self {
            State::Warm => "warm",
            State::Evicted => "evicted",
            State::FirstCall => "first-call",
        }
    }
}

impl std::str::FromStr for State {
    type Err = crate::UnknownWord;

    fn from_str(word: &str) -> Result<State, Self::Err> {
        crate::UnknownWord::find("state", word, &State::ALL, State::name)
    }
}

/// Lengths in bytes of what the algorithm exchanges; absent where it has no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Public, encapsulation or verifying key.
    pub public_key: Option<u64>,
    /// Private, decapsulation or signing key, in the encoding that the case names, else in the one that the provider writes by
    /// itself.
    pub secret_key: Option<u64>,
    /// Ciphertext.
    pub ciphertext: Option<u64>,
    /// Shared secret.
    pub shared_secret: Option<u64>,
    /// Signature, the longest where the length varies.
    pub signature: Option<u64>,
    /// The client's message of a circuit handshake.
    pub onionskin: Option<u64>,
    /// The relay's message of a circuit handshake.
    pub reply: Option<u64>,
}

/// What is known of a case beyond its identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// Bytes that one operation works through, where a rate per byte means something (a hash: the message).
    pub bytes: Option<u64>,
    /// NIST security category; `None` where the algorithm has none.
    pub category: Option<u8>,
    /// What the library is known to do wrong in this operation, as published vectors show.
    pub defect: Option<String>,
    /// The random generator that the library asks within the operation; `None` where it asks none.
    pub generator: Option<String>,
}

/// One row of a plan: what is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The workload's name, which is also the area's: `kem`.
    pub workload: String,
    /// The standard's name of the algorithm, or the construction's.
    pub algorithm: String,
    /// The operation: `keygen`, `encapsulate`, `sign`, `digest`, ...
    pub operation: String,
    /// The provider's id, with its backend after a colon; two joined by a plus where a construction mixes them.
    pub provider: String,
    /// Prepared or encoded, where the operation has both forms.
    pub form: Option<Form>,
    /// What else tells cases apart, in the order in which the id shows it.
    pub parameters: Vec<Parameter>,
    /// Cases of one block are measured in the same shuffled rounds, so that they can be compared with one another.
    pub block: String,
    /// What is known beyond the identity.
    pub facts: Facts,
}

impl Case {
    /// Whether the provider is the one that does nothing.
    pub fn is_null(&self) -> bool {
        self.library() == NULL
    }

    /// The provider's library, without its backend: `libcrux` of `libcrux:avx2`.
    pub fn library(&self) -> &str {
        self.provider.split(':').next().unwrap_or(&self.provider)
    }

    /// The backend, where the provider's id names one.
    pub fn backend(&self) -> Option<&str> {
        self.provider.split_once(':').map(|(_, backend)| backend)
    }
}
