//! Parameters of a case, and the questions that the rest of the program asks about them. Only this file knows how ids
//! spell them. A parameter without a question of its own is looked up by name, within the area that declares it.

use super::{Case, State};
use crate::FLOOR;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Parameter that distinguishes cases of the same algorithm, operation and provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Parameter {
    /// A property that holds, such as `deterministic`.
    Flag(String),
    /// A named number, such as `len=1024`.
    Number(String, u64),
    /// A named word, such as `regime=disk`.
    Word(String, String),
}

impl Parameter {
    /// Message length in bytes.
    pub const LENGTH: &'static str = "len";
    /// Output length in bytes.
    pub const OUTPUT: &'static str = "out";
    /// Threads that run the operation at the same time.
    pub const THREADS: &'static str = "threads";
    /// Tasks submitted to a thread pool at once.
    pub const TASKS: &'static str = "tasks";
    /// Threads of that pool.
    pub const WORKERS: &'static str = "workers";
    /// Transactions in a block.
    pub const TRANSACTIONS: &'static str = "tx";
    /// Keys that signed a block's transactions.
    pub const SENDERS: &'static str = "senders";
    /// Keys that signed a batch of signatures.
    pub const SIGNERS: &'static str = "signers";
    /// Signatures verified at once.
    pub const BATCH: &'static str = "batch";
    /// Source and destination of an operation's data: `compute`, `disk`, ...
    pub const REGIME: &'static str = "regime";
    /// Position of the invalid transaction in a block.
    pub const INVALID: &'static str = "invalid";
    /// Signature scheme that authenticates a TLS server.
    pub const AUTHENTICATION: &'static str = "auth";
    /// Intermediate certificates in a TLS server's chain.
    pub const INTERMEDIATES: &'static str = "chain";
    /// Kind of TLS handshake: `psk`, `client-auth`, ...
    pub const MODE: &'static str = "mode";
    /// Transport of a handshake's messages, if it is not memory.
    pub const OVER: &'static str = "over";
    /// State of the caches and of the process.
    pub const STATE: &'static str = "state";
    /// Encoding of the private key that is loaded or written within the operation.
    pub const KEY: &'static str = "key";
    /// Coins other than those of the library's own generator.
    pub const COINS: &'static str = "coins";
    /// Keys that the operation takes in turn, where that is not the usual pool.
    pub const KEYS: &'static str = "keys";
    /// Published set of messages that are signed.
    pub const MESSAGES: &'static str = "messages";
    /// Hash function by which the message is hashed before it is signed.
    pub const PREHASH: &'static str = "prehash";
    /// Signing without randomness in a scheme that also has a randomised variant.
    pub const DETERMINISTIC: &'static str = "deterministic";

    /// Returns the name in front of the value, or the flag itself.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Flag(name) | Parameter::Number(name, _) | Parameter::Word(name, _) => name,
        }
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

/// Parameters that describe the link between the two ends of a handshake.
const LINK: [&str; 5] = ["network", "rtt", "rate", "loss", "mtu"];
/// Area of peak stack and heap, which are not times.
const MEMORY: &str = "memory";
/// The area of hash functions.
const HASH: &str = "hash";
/// Operations of other areas that work through their input byte by byte.
const BY_THE_BYTE: [&str; 3] = ["seal", "open", "digest"];

impl Case {
    /// Returns the value of a named number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Number(key, value) if key == name => Some(*value),
            _ => None,
        })
    }

    /// Returns the value of a named word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Word(key, value) if key == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Flag(flag) if flag == name))
    }

    /// Whether nothing but parameters of these names tells the case apart.
    pub fn has_only(&self, names: &[&str]) -> bool {
        self.parameters.iter().all(|parameter| names.contains(&parameter.name()))
    }

    /// The same case without the parameters of these names.
    pub fn without(mut self, names: &[&str]) -> Case {
        self.parameters.retain(|parameter| !names.contains(&parameter.name()));
        self
    }

    /// Message length in bytes, if the operation has a message.
    pub fn message_length(&self) -> Option<u64> {
        self.number(Parameter::LENGTH)
    }

    /// Output length in bytes, if it is not the algorithm's usual one.
    pub fn output_length(&self) -> Option<u64> {
        self.number(Parameter::OUTPUT)
    }

    /// Threads that run the operation at the same time, if it is measured on several.
    pub fn threads(&self) -> Option<u64> {
        self.number(Parameter::THREADS)
    }

    /// Tasks submitted to a thread pool at once, for an operation [under load](Self::is_load).
    pub fn tasks(&self) -> Option<u64> {
        self.number(Parameter::TASKS)
    }

    /// Threads of the pool that runs the [tasks](Self::tasks).
    pub fn workers(&self) -> Option<u64> {
        self.number(Parameter::WORKERS)
    }

    /// Transactions of the block, for an operation on a block.
    pub fn transactions(&self) -> Option<u64> {
        self.number(Parameter::TRANSACTIONS)
    }

    /// Keys that signed the transactions of the block.
    pub fn senders(&self) -> Option<u64> {
        self.number(Parameter::SENDERS)
    }

    /// Keys that signed the signatures of the batch.
    pub fn signers(&self) -> Option<u64> {
        self.number(Parameter::SIGNERS)
    }

    /// Signatures verified at once, if the operation verifies batches.
    pub fn batch_size(&self) -> Option<u64> {
        self.number(Parameter::BATCH)
    }

    /// Source and destination of the data, for an operation on a block.
    pub fn regime(&self) -> Option<&str> {
        self.word(Parameter::REGIME)
    }

    /// Whether one of the block's transactions is invalid.
    pub fn has_invalid_transaction(&self) -> bool {
        self.word(Parameter::INVALID).is_some()
    }

    /// Signature scheme that authenticates the TLS server.
    pub fn authentication(&self) -> Option<&str> {
        self.word(Parameter::AUTHENTICATION)
    }

    /// Kind of TLS handshake, if it is not the usual one.
    pub fn handshake_mode(&self) -> Option<&str> {
        self.word(Parameter::MODE)
    }

    /// Transport of a handshake's messages, if it is not memory.
    pub fn transport(&self) -> Option<&str> {
        self.word(Parameter::OVER)
    }

    /// Published set of messages that are signed, if the case uses one.
    pub fn message_set(&self) -> Option<&str> {
        self.word(Parameter::MESSAGES)
    }

    /// Whether signing draws nothing in a scheme that also has a randomised variant.
    pub fn is_deterministic(&self) -> bool {
        self.flag(Parameter::DETERMINISTIC)
    }

    /// Whether the case does nothing and shows what the harness adds to every operation.
    pub fn is_overhead(&self) -> bool {
        self.workload == FLOOR
    }

    /// Whether the operation is measured with many tasks in a thread pool.
    pub fn is_load(&self) -> bool {
        self.operation.ends_with("-load")
    }

    /// Whether the operation processes its input byte by byte, so that a figure per byte is meaningful. Parsing a transaction hardly
    /// touches most of it, and the time of a signature verification does not depend on single bytes.
    pub fn works_by_the_byte(&self) -> bool {
        self.workload == HASH || BY_THE_BYTE.contains(&self.operation.as_str())
    }

    /// Returns the state in which the case is measured.
    pub fn state(&self) -> State {
        let named = self.word(Parameter::STATE);
        State::ALL.into_iter().find(|state| Some(state.name()) == named).unwrap_or_default()
    }

    /// Whether the case is the computation of one thread in its steady state. Core cycles then say what the software
    /// costs, whatever the core's clock did. An operation that waits for memory, a disk, a socket or other threads does
    /// not compute.
    pub fn computes(&self) -> bool {
        let waits =
            self.is_load() || self.threads().is_some() || self.regime() == Some("disk") || self.transport().is_some();
        self.state() == State::Warm && self.workload != MEMORY && !waits
    }

    /// Whether the case waits for an emulated network. Most of its time is then the link's, which no core clock
    /// changes.
    pub fn waits_for_network(&self) -> bool {
        LINK.iter().any(|name| self.word(name).is_some())
    }

    /// Returns the case in another state. Ids do not name the usual one.
    pub fn in_state(mut self, state: State) -> Case {
        self.parameters.retain(|parameter| !matches!(parameter, Parameter::Word(name, _) if name == Parameter::STATE));
        if state != State::Warm {
            self.parameters.push(Parameter::Word(Parameter::STATE.into(), state.name().into()));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;

    fn case(parameters: Vec<Parameter>) -> Case {
        Case {
            workload: "signature".into(),
            algorithm: "ML-DSA-65".into(),
            operation: "verify".into(),
            provider: "libcrux:avx2".into(),
            form: None,
            parameters,
            block: String::new(),
            facts: Facts::default(),
        }
    }

    #[test]
    fn operations_that_wait_do_not_compute() {
        let plain = case(vec![Parameter::Number("len".into(), 32)]);
        assert!(plain.computes());
        assert!(!plain.clone().in_state(State::Evicted).computes());
        for parameter in [
            Parameter::Number("threads".into(), 1),
            Parameter::Word("regime".into(), "disk".into()),
            Parameter::Word("over".into(), "tcp".into()),
        ] {
            assert!(!case(vec![parameter]).computes());
        }
        assert!(!Case { operation: "verify-load".into(), ..plain.clone() }.computes());
        let over = |word: &str| case(vec![Parameter::Word(word.into(), "1".into())]).waits_for_network();
        assert!(over("rtt") && over("network") && !over("over"));
        assert!(!Case { workload: "memory".into(), ..plain }.computes());
    }

    #[test]
    fn parameters_are_asked_for_and_left_out_by_name() {
        let case = case(vec![Parameter::Number("len".into(), 32), Parameter::Flag("deterministic".into())]);
        assert!(case.has_only(&[Parameter::LENGTH, Parameter::DETERMINISTIC]) && !case.has_only(&[Parameter::LENGTH]));
        assert_eq!(case.without(&[Parameter::DETERMINISTIC, Parameter::KEY]).name(), "ML-DSA-65 verify[len=32]");
    }

    #[test]
    fn ids_do_not_name_the_usual_state() {
        let warm = case(vec![Parameter::Number("len".into(), 32)]);
        assert_eq!(warm.state(), State::Warm);
        let evicted = warm.clone().in_state(State::Evicted);
        assert_eq!(evicted.id(), "signature/ML-DSA-65/verify[len=32,state=evicted]@libcrux:avx2");
        for state in State::ALL {
            assert_eq!(evicted.clone().in_state(state).state(), state);
        }
        assert_eq!(evicted.in_state(State::Warm), warm);
    }
}
