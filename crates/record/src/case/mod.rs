mod id;
mod kind;
mod parameters;

pub use id::{CaseId, UnreadableId};
pub use kind::{CoinSource, Kind, Statistic};
pub use parameters::Parameter;

use crate::NULL;
use serde::{Deserialize, Serialize};

/// Whether an operation starts from a parsed and expanded key, or from the key's encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Starts from a prepared key object. Key generation ends with a prepared key object.
    Prepared,
    /// Starts from encoded bytes: parses, checks and prepares the key, then operates. Key generation ends with encoded
    /// bytes.
    Encoded,
}

/// State of the caches and of the process when an operation is measured. Each state has separate cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Steady state: the same operation was called just before.
    #[default]
    Warm,
    /// The operation was called before in this process, but the harness has since walked a buffer larger than the
    /// last-level cache. Code, tables and inputs come from memory.
    Evicted,
    /// The first call of the operation in a fresh process, after the caches were evicted.
    FirstCall,
}

impl State {
    /// All states. The default comes first.
    pub const ALL: [State; 3] = [State::Warm, State::Evicted, State::FirstCall];

    /// Returns the keyword used in ids and command lines.
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

/// Lengths in bytes of the items that the algorithm exchanges. A length is `None` if the algorithm has no such item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Public, encapsulation or verifying key.
    pub public_key: Option<u64>,
    /// Private, decapsulation or signing key, in the encoding that the case names, otherwise in the provider's default
    /// one.
    pub secret_key: Option<u64>,
    /// Ciphertext.
    pub ciphertext: Option<u64>,
    /// Shared secret.
    pub shared_secret: Option<u64>,
    /// Signature. If the length varies, the longest one.
    pub signature: Option<u64>,
    /// The client's message in a circuit handshake.
    pub onionskin: Option<u64>,
    /// The relay's message in a circuit handshake.
    pub reply: Option<u64>,
}

/// Facts about a case beyond its identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Lengths in bytes.
    pub sizes: Sizes,
    /// Number of bytes that one operation processes, if a rate per byte is meaningful. For a hash, the message length.
    pub bytes: Option<u64>,
    /// NIST security category; `None` if the algorithm has none.
    pub category: Option<u8>,
    /// Known defect of the library in this operation, revealed by published vectors.
    pub defect: Option<String>,
    /// Random generator that the operation calls; `None` if it calls none.
    pub generator: Option<String>,
}

/// One row of a plan: an operation to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Name of the workload, which is also the name of its area: `kem`.
    pub workload: String,
    /// Name of the algorithm in its standard, or name of the construction.
    pub algorithm: String,
    /// The operation: `keygen`, `encapsulate`, `sign`, `digest`, ...
    pub operation: String,
    /// Provider id, with the backend after a colon. For a construction from two providers, their ids joined by a plus.
    pub provider: String,
    /// Prepared or encoded, if the operation has both forms.
    pub form: Option<Form>,
    /// Other parameters that distinguish cases, in the order of the id.
    pub parameters: Vec<Parameter>,
    /// Block of the case. Cases in one block are measured in the same shuffled rounds, so that they can be compared.
    pub block: String,
    /// Facts about the case beyond its identity.
    pub facts: Facts,
}

impl Case {
    /// Returns whether the provider is `null`, which does nothing.
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
