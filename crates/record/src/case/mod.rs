mod attempts;
mod id;
mod kind;
mod parameters;

pub use attempts::ExpectedAttempts;
pub use id::{CaseId, UnreadableId};
pub use kind::{CoinSource, Kind, Statistic};
pub use parameters::Parameter;

use crate::NULL;
use serde::{Deserialize, Serialize};

/// Form of an operation's key: already parsed and expanded, or encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The operation starts from a prepared key object. Key generation returns a prepared key object.
    Prepared,
    /// The operation starts from encoded bytes: it parses, checks and prepares the key, then uses it. Key generation
    /// returns encoded bytes.
    Encoded,
}

/// State of the caches and of the process when an operation is timed. Each state has separate cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Steady state: the same operation was called just before.
    #[default]
    Warm,
    /// The operation was called before in this process, but the harness has since walked a buffer larger than the
    /// last-level cache. Code, tables and inputs come from memory.
    Evicted,
    /// First call of the operation in a fresh process, after the caches were evicted.
    FirstCall,
}

impl State {
    /// All states, the default first.
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
    /// Length of the public, encapsulation or verifying key.
    pub public_key: Option<u64>,
    /// Length of the private, decapsulation or signing key. Applies to the encoding that the case names, or to the
    /// provider's default encoding if it names none.
    pub secret_key: Option<u64>,
    /// Length of a ciphertext.
    pub ciphertext: Option<u64>,
    /// Length of the shared secret.
    pub shared_secret: Option<u64>,
    /// Length of a signature. If it varies, the maximum.
    pub signature: Option<u64>,
    /// Length of the client's message in a circuit handshake.
    pub onionskin: Option<u64>,
    /// Length of the relay's message in a circuit handshake.
    pub reply: Option<u64>,
}

/// Facts about a case that are not part of its id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Lengths of keys, ciphertexts, signatures and messages, in bytes.
    pub sizes: Sizes,
    /// Number of bytes that one operation processes, such as the message length of a hash. `None` if a rate per byte is
    /// not meaningful.
    pub bytes: Option<u64>,
    /// NIST security category; `None` if the algorithm has none.
    pub category: Option<u8>,
    /// Known defect of the library in this operation, found with published test vectors. `None` if no defect is known.
    pub defect: Option<String>,
    /// Random generator that the operation calls; `None` if it calls none.
    pub generator: Option<String>,
}

/// A benchmark case: one operation of one algorithm by one library, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Name of the workload, which is also the name of its area: `kem`.
    pub workload: String,
    /// Name of the algorithm in its standard, or name of the construction.
    pub algorithm: String,
    /// Name of the operation: `keygen`, `encapsulate`, `sign`, `digest`, ...
    pub operation: String,
    /// Provider id, with the backend after a colon. A construction from two providers has both ids, joined by a plus.
    pub provider: String,
    /// Prepared or encoded, if the operation has both forms.
    pub form: Option<Form>,
    /// Other parameters that distinguish cases, in the order of the id.
    pub parameters: Vec<Parameter>,
    /// Name of the case's block. The cases in a block are measured in the same shuffled rounds, so that they can be
    /// compared.
    pub block: String,
    /// Facts about the case that are not part of its id.
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
