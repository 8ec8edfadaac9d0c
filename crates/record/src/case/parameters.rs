//! Parameters of a case, and methods for looking them up. If a parameter has a method here, all code uses that method.
//! All other parameters are looked up by name, but only by the area that declares them.

use super::{Case, State};
use crate::FLOOR;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Parameter that distinguishes cases of the same algorithm, operation and provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Parameter {
    /// A property that the case has, such as `deterministic`.
    Flag(String),
    /// A named number, such as `len=1024`.
    Number(String, u64),
    /// A named word, such as `regime=disk`.
    Word(String, String),
}

impl Parameter {
    /// Parameter name for the message length in bytes.
    pub const LENGTH: &'static str = "len";
    /// Parameter name for the output length in bytes.
    pub const OUTPUT: &'static str = "out";
    /// Parameter name for the number of threads that run the operation at the same time.
    pub const THREADS: &'static str = "threads";
    /// Parameter name for the number of tasks submitted together to a thread pool.
    pub const TASKS: &'static str = "tasks";
    /// Parameter name for the number of threads in the pool that runs the tasks.
    pub const WORKERS: &'static str = "workers";
    /// Parameter name for the number of transactions in a block.
    pub const TRANSACTIONS: &'static str = "tx";
    /// Parameter name for the number of different keys that signed a block's transactions.
    pub const SENDERS: &'static str = "senders";
    /// Parameter name for the number of different keys that signed the messages in a batch.
    pub const SIGNERS: &'static str = "signers";
    /// Parameter name for the number of signatures verified in one batch.
    pub const BATCH: &'static str = "batch";
    /// Parameter name for the regime of an operation on a ledger block: `compute` (transactions already decoded), `ram`
    /// (decoding included) or `disk` (reading included).
    pub const REGIME: &'static str = "regime";
    /// Parameter name for the share of invalid transactions in a block, such as `1%`.
    pub const INVALID: &'static str = "invalid";
    /// Parameter name for the signature scheme that authenticates a TLS server.
    pub const AUTHENTICATION: &'static str = "auth";
    /// Parameter name for the number of intermediate certificates in a TLS server's chain.
    pub const INTERMEDIATES: &'static str = "chain";
    /// Parameter name for the kind of TLS handshake: `psk`, `client-auth`, ...
    pub const MODE: &'static str = "mode";
    /// Parameter name for the transport of a handshake's messages, if it is not memory.
    pub const OVER: &'static str = "over";
    /// Parameter name for the [`State`] of the caches and of the process.
    pub const STATE: &'static str = "state";
    /// Parameter name for the encoding of the private key that the operation loads or writes.
    pub const KEY: &'static str = "key";
    /// Parameter name for the source of randomness, if it is not the library's own generator.
    pub const COINS: &'static str = "coins";
    /// Parameter name for the number of keys that the operation cycles through, if it is not the default.
    pub const KEYS: &'static str = "keys";
    /// Parameter name for the published set of messages to sign.
    pub const MESSAGES: &'static str = "messages";
    /// Parameter name for the hash function that hashes the message before it is signed.
    pub const PREHASH: &'static str = "prehash";
    /// Name of the flag for signing without randomness, in a scheme that also offers a randomized variant.
    pub const DETERMINISTIC: &'static str = "deterministic";

    /// Returns the parameter's name. For a flag, the name is the flag itself.
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

/// Names of the parameters that describe the link between the two ends of a handshake.
const LINK: [&str; 5] = ["network", "rtt", "rate", "loss", "mtu"];
/// Name of the area that measures peak memory use, not time.
const MEMORY: &str = "memory";
/// Name of the area of hash functions.
const HASH: &str = "hash";
/// Operations outside the hash area that process their input byte by byte.
const BY_THE_BYTE: [&str; 3] = ["seal", "open", "digest"];

impl Case {
    /// Returns the value of the numeric parameter called `name`, if the case has it.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Number(key, value) if key == name => Some(*value),
            _ => None,
        })
    }

    /// Returns the value of the word parameter called `name`, if the case has it.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Word(key, value) if key == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// Returns whether the case has the flag called `name`.
    pub fn flag(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Flag(flag) if flag == name))
    }

    /// Returns whether all parameters of the case have one of these names.
    pub fn has_only(&self, names: &[&str]) -> bool {
        self.parameters.iter().all(|parameter| names.contains(&parameter.name()))
    }

    /// Returns the case without the parameters with these names.
    pub fn without(mut self, names: &[&str]) -> Case {
        self.parameters.retain(|parameter| !names.contains(&parameter.name()));
        self
    }

    /// Returns the message length in bytes, if the operation takes a message.
    pub fn message_length(&self) -> Option<u64> {
        self.number(Parameter::LENGTH)
    }

    /// Returns the output length in bytes, if it is not the algorithm's usual one.
    pub fn output_length(&self) -> Option<u64> {
        self.number(Parameter::OUTPUT)
    }

    /// Returns the number of threads that run the operation at the same time, if there are several.
    pub fn threads(&self) -> Option<u64> {
        self.number(Parameter::THREADS)
    }

    /// Returns the number of tasks submitted together to a thread pool, if the operation is measured [under
    /// load](Self::is_load).
    pub fn tasks(&self) -> Option<u64> {
        self.number(Parameter::TASKS)
    }

    /// Returns the number of threads in the pool that runs the [tasks](Self::tasks), if the operation is measured under
    /// load.
    pub fn workers(&self) -> Option<u64> {
        self.number(Parameter::WORKERS)
    }

    /// Returns the number of transactions in the block, if the operation works on a block.
    pub fn transactions(&self) -> Option<u64> {
        self.number(Parameter::TRANSACTIONS)
    }

    /// Returns the number of different keys that signed the transactions in the block, if the case names it.
    pub fn senders(&self) -> Option<u64> {
        self.number(Parameter::SENDERS)
    }

    /// Returns the number of different keys that signed the messages in the batch, if the case names it.
    pub fn signers(&self) -> Option<u64> {
        self.number(Parameter::SIGNERS)
    }

    /// Returns the number of signatures verified in one batch, if the operation verifies batches.
    pub fn batch_size(&self) -> Option<u64> {
        self.number(Parameter::BATCH)
    }

    /// Returns the regime of an operation on a block (`compute`, `ram` or `disk`), if the case names it.
    pub fn regime(&self) -> Option<&str> {
        self.word(Parameter::REGIME)
    }

    /// Returns whether the block contains invalid transactions.
    pub fn has_invalid_transaction(&self) -> bool {
        self.word(Parameter::INVALID).is_some()
    }

    /// Returns the signature scheme that authenticates the TLS server, if the case names it.
    pub fn authentication(&self) -> Option<&str> {
        self.word(Parameter::AUTHENTICATION)
    }

    /// Returns the kind of TLS handshake, if it is not the usual one.
    pub fn handshake_mode(&self) -> Option<&str> {
        self.word(Parameter::MODE)
    }

    /// Returns the transport of a handshake's messages, if it is not memory.
    pub fn transport(&self) -> Option<&str> {
        self.word(Parameter::OVER)
    }

    /// Returns the published set of messages to sign, if the case uses one.
    pub fn message_set(&self) -> Option<&str> {
        self.word(Parameter::MESSAGES)
    }

    /// Returns whether signing uses no randomness, in a scheme that also offers a randomized variant.
    pub fn is_deterministic(&self) -> bool {
        self.flag(Parameter::DETERMINISTIC)
    }

    /// Returns whether the case does nothing, so that its time is the overhead of the harness.
    pub fn is_overhead(&self) -> bool {
        self.workload == FLOOR
    }

    /// Returns whether the operation is measured with many tasks in a thread pool.
    pub fn is_load(&self) -> bool {
        self.operation.ends_with("-load")
    }

    /// Returns whether the operation processes its input byte by byte, so that a figure per byte is meaningful. Returns
    /// `false` for parsing a transaction, which skips most bytes, and for verifying a signature, because the time is
    /// not proportional to the message length.
    pub fn works_by_the_byte(&self) -> bool {
        self.workload == HASH || BY_THE_BYTE.contains(&self.operation.as_str())
    }

    /// Returns the state in which the case is measured.
    pub fn state(&self) -> State {
        let named = self.word(Parameter::STATE);
        State::ALL.into_iter().find(|state| Some(state.name()) == named).unwrap_or_default()
    }

    /// Returns whether the case is a computation by one thread in steady state. Core cycles then show the cost of the
    /// software at any clock rate. An operation that waits for memory, a disk, a socket or other threads is not a
    /// computation.
    pub fn computes(&self) -> bool {
        let waits =
            self.is_load() || self.threads().is_some() || self.regime() == Some("disk") || self.transport().is_some();
        self.state() == State::Warm && self.workload != MEMORY && !waits
    }

    /// Returns whether the case waits for an emulated network. Most of its time then depends on the link, not on the
    /// core clock.
    pub fn waits_for_network(&self) -> bool {
        LINK.iter().any(|name| self.word(name).is_some())
    }

    /// Returns the case in a different state. Ids do not name the warm state.
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
    fn parameters_are_read_and_removed_by_name() {
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
