use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether an operation starts from a key that is parsed and expanded already, or from its encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// With a prepared key object; for key generation: up to a prepared key object.
    Prepared,
    /// From encoded bytes: parse, check, prepare, operate; for key generation: up to encoded bytes.
    Encoded,
}

/// The parameter that names the state.
const STATE: &str = "state";
/// Parameters that say what a link is like which a case goes over.
const LINK: [&str; 5] = ["network", "rtt", "rate", "loss", "mtu"];

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

/// One of the parameters that tell cases of the same algorithm, operation and provider apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Parameter {
    /// Something that is so, such as `deterministic`.
    Flag(String),
    /// A named number, such as `len=1024`.
    Number(String, u64),
    /// A named word, such as `regime=disk`.
    Word(String, String),
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
    /// The identity in one line: `kem/ML-KEM-768/encapsulate@liboqs`, `signature/ML-DSA-65/verify[encoded,len=1024]@aws-lc`.
    pub fn id(&self) -> String {
        format!("{}/{}/{}{}@{}", self.workload, self.algorithm, self.operation, self.brackets(), self.provider)
    }

    /// What a table's row is called: `ML-KEM-768 encapsulate`, with what tells it apart in brackets.
    pub fn name(&self) -> String {
        format!("{} {}{}", self.algorithm, self.operation, self.brackets())
    }

    /// The provider's library, without its backend: `libcrux` of `libcrux:avx2`.
    pub fn library(&self) -> &str {
        self.provider.split(':').next().unwrap_or(&self.provider)
    }

    /// The backend, where the provider's id names one.
    pub fn backend(&self) -> Option<&str> {
        self.provider.split_once(':').map(|(_, backend)| backend)
    }

    /// The value of a named number among the parameters.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Number(key, value) if key == name => Some(*value),
            _ => None,
        })
    }

    /// The value of a named word among the parameters.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Word(key, value) if key == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// The state in which the case is measured.
    pub fn state(&self) -> State {
        let named = self.word(STATE);
        State::ALL.into_iter().find(|state| Some(state.name()) == named).unwrap_or_default()
    }

    /// Whether the case is the computing of one thread in its steady state: then core cycles say what its software costs, whatever
    /// the core's clock did. What waits for memory, a disk, a socket or other threads does not.
    pub fn computes(&self) -> bool {
        let waits = self.operation.ends_with("-load")
            || self.number("threads").is_some()
            || self.word("regime") == Some("disk")
            || self.word("over").is_some();
        self.state() == State::Warm && self.workload != "memory" && !waits
    }

    /// Whether it waits for a network that was made for it: its time is mostly that of the link, which no core's clock changes.
    pub fn waits_for_network(&self) -> bool {
        LINK.iter().any(|name| self.word(name).is_some())
    }

    /// The same case in a state; the usual one is not named.
    pub fn in_state(mut self, state: State) -> Case {
        self.parameters.retain(|parameter| !matches!(parameter, Parameter::Word(name, _) if name == STATE));
        if state != State::Warm {
            self.parameters.push(Parameter::Word(STATE.into(), state.name().into()));
        }
        self
    }

    /// Whether a flag is set among the parameters.
    pub fn flag(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Flag(flag) if flag == name))
    }

    fn brackets(&self) -> String {
        let encoded = (self.form == Some(Form::Encoded)).then(|| "encoded".to_owned());
        let all: Vec<String> = encoded.into_iter().chain(self.parameters.iter().map(Parameter::to_string)).collect();
        if all.is_empty() { String::new() } else { format!("[{}]", all.join(",")) }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Flag(flag) => formatter.write_str(flag),
            Parameter::Number(name, value) => write!(formatter, "{name}={value}"),
            Parameter::Word(name, value) => write!(formatter, "{name}={value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(form: Option<Form>, parameters: Vec<Parameter>) -> Case {
        Case {
            workload: "signature".into(),
            algorithm: "ML-DSA-65".into(),
            operation: "verify".into(),
            provider: "libcrux:avx2".into(),
            form,
            parameters,
            block: String::new(),
            facts: Facts::default(),
        }
    }

    #[test]
    fn an_id_names_only_what_tells_cases_apart() {
        assert_eq!(case(Some(Form::Prepared), vec![]).id(), "signature/ML-DSA-65/verify@libcrux:avx2");
        let encoded =
            case(Some(Form::Encoded), vec![Parameter::Number("len".into(), 1024), Parameter::Flag("hedged".into())]);
        assert_eq!(encoded.id(), "signature/ML-DSA-65/verify[encoded,len=1024,hedged]@libcrux:avx2");
        assert_eq!(encoded.number("len"), Some(1024));
        assert_eq!((encoded.library(), encoded.backend()), ("libcrux", Some("avx2")));
    }

    #[test]
    fn what_waits_is_not_computing() {
        let plain = case(None, vec![Parameter::Number("len".into(), 32)]);
        assert!(plain.computes());
        assert!(!plain.clone().in_state(State::Evicted).computes());
        for parameter in [
            Parameter::Number("threads".into(), 1),
            Parameter::Word("regime".into(), "disk".into()),
            Parameter::Word("over".into(), "tcp".into()),
        ] {
            assert!(!case(None, vec![parameter]).computes());
        }
        assert!(!Case { operation: "verify-load".into(), ..plain.clone() }.computes());
        let over = |word: &str| case(None, vec![Parameter::Word(word.into(), "1".into())]).waits_for_network();
        assert!(over("rtt") && over("network") && !over("over"));
        assert!(!Case { workload: "memory".into(), ..plain }.computes());
    }

    #[test]
    fn a_state_is_named_unless_it_is_the_usual_one() {
        let warm = case(None, vec![Parameter::Number("len".into(), 32)]);
        assert_eq!(warm.state(), State::Warm);
        let evicted = warm.clone().in_state(State::Evicted);
        assert_eq!(evicted.id(), "signature/ML-DSA-65/verify[len=32,state=evicted]@libcrux:avx2");
        for state in State::ALL {
            assert_eq!(evicted.clone().in_state(state).state(), state);
        }
        assert_eq!(evicted.in_state(State::Warm), warm);
    }
}
