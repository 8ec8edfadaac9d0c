mod id;
mod kind;
mod parameters;

pub use id::{CaseId, UnreadableId};
pub use kind::{CoinSource, Kind, Statistic};
pub use parameters::Parameter;

use crate::NULL;
use serde::{Deserialize, Serialize};

/// Whether an operation starts from a parsed and expanded key or from its encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// With a prepared key object; for key generation: up to a prepared key object.
    Prepared,
    /// From encoded bytes: parse, check, prepare, operate; for key generation: up to encoded bytes.
    Encoded,
}

/// State of the caches and of the process in which an operation is measured. Each state has its own figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Steady state: the same operation was called just before.
    #[default]
    Warm,
    /// The operation was called before in this process, but a buffer larger than the last-level cache was walked since:
    /// its code, tables and inputs come from memory.
    Evicted,
    /// The first call of the operation in a fresh process, after the caches were evicted.
    FirstCall,
}

impl State {
    /// Every state, the usual one first.
    pub const ALL: [State; 3] = [State::Warm, State::Evicted, State::FirstCall];

    /// Returns the word used in ids and command lines.
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

/// Lengths in bytes of what the algorithm exchanges; `None` if it has no such item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Public, encapsulation or verifying key.
    pub public_key: Option<u64>,
    /// Private, decapsulation or signing key: in the encoding that the case names, else in the provider's default one.
    pub secret_key: Option<u64>,
    /// Ciphertext.
    pub ciphertext: Option<u64>,
    /// Shared secret.
    pub shared_secret: Option<u64>,
    /// Signature; the longest if the length varies.
    pub signature: Option<u64>,
    /// The client's message of a circuit handshake.
    pub onionskin: Option<u64>,
    /// The relay's message of a circuit handshake.
    pub reply: Option<u64>,
}

/// Facts about a case beyond its identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// Bytes that one operation processes, if a rate per byte is meaningful (for a hash: the message).
    pub bytes: Option<u64>,
    /// NIST security category; `None` if the algorithm has none.
    pub category: Option<u8>,
    /// Known defect of the library in this operation, as published vectors show.
    pub defect: Option<String>,
    /// Random generator that the operation asks; `None` if it asks none.
    pub generator: Option<String>,
}

/// One row of a plan: something to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Name of the workload and of its area: `kem`.
    pub workload: String,
    /// Name of the algorithm in its standard, or name of the construction.
    pub algorithm: String,
    /// The operation: `keygen`, `encapsulate`, `sign`, `digest`, ...
    pub operation: String,
    /// Provider id, with its backend after a colon. A construction that mixes two providers joins them with a plus.
    pub provider: String,
    /// Prepared or encoded, if the operation has both forms.
    pub form: Option<Form>,
    /// Other parameters that distinguish cases, in the order of the id.
    pub parameters: Vec<Parameter>,
    /// Cases of one block are measured in the same shuffled rounds, so that they can be compared.
    pub block: String,
    /// Facts beyond the identity.
    pub facts: Facts,
}

impl Case {
    /// Whether the provider is the one that does nothing.
    pub fn is_null(&self) -> bool {
        self.library() == NULL
    }

    /// Returns the provider's library, without its backend: `libcrux` for `libcrux:avx2`.
    pub fn library(&self) -> &str {
        self.provider.split(':').next().unwrap_or(&self.provider)
    }

    /// Returns the backend, if the provider's id names one.
    pub fn backend(&self) -> Option<&str> {
        self.provider.split_once(':').map(|(_, backend)| backend)
    }
}
