//! Workload `ssh`: SSH handshakes with russh, between two sides in one process.
//!
//! The algorithm of a case is its key exchange. `handshake` covers both sides, from the first byte until the client knows
//! that the server has accepted its login. `client` and `server` cover the computation of one side. `connect` is a
//! connection over TCP, either over loopback or over an emulated link. The host key and the user's key are of the same
//! type, which is a parameter.

mod connect;
mod trial;

use crate::tls::connect::Connections;
use crate::tls::over;
use crate::{CaseOptions, Workload, missing};
use connect::Ssh;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::{Case, Facts, Parameter};
use pqlab_ssh::{Config, Error, KeyExchange, KeyType, Keys, Setup};
use std::sync::{Arc, Mutex, PoisonError};
use trial::{Handshakes, Part};

/// Provider name of the implementation.
const RUSSH: &str = "russh";
/// Provider of the crates that russh uses for key exchange and signatures.
const PRIMITIVES: &str = "rustcrypto";
/// Operation that connects over TCP.
const CONNECT: &str = "connect";
/// Case parameter for the type of both keys.
const AUTH: &str = "auth";

pub(crate) struct SshWorkload;

impl Workload for SshWorkload {
    fn id(&self) -> &'static str {
        "ssh"
    }

    fn describe(&self) -> &'static str {
        "SSH handshakes with russh up to an authenticated session: in memory, over loopback, over emulated networks"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let is_chosen = |key_type: &KeyType| {
            let chosen = &options.signatures;
            chosen.is_empty() || chosen.iter().any(|signature| signature.0.name() == key_type.name())
        };
        if !providers.iter().any(|provider| provider.library == PRIMITIVES) {
            return Vec::new();
        }
        let mut cases = Vec::new();
        for key_exchange in KeyExchange::ALL {
            for key_type in KeyType::ALL.into_iter().filter(is_chosen) {
                let auth = Parameter::Word(AUTH.into(), key_type.name().into());
                let case = |operation: &str, block: &str, more: Vec<Parameter>| Case {
                    workload: self.id().into(),
                    algorithm: key_exchange.name().into(),
                    operation: operation.into(),
                    provider: RUSSH.into(),
                    form: None,
                    parameters: [vec![auth.clone()], more].concat(),
                    block: format!("ssh/{block}"),
                    // No category: a quantum computer breaks the keys of all handshakes.
                    facts: Facts::default(),
                };
                cases.extend(Part::ALL.map(|part| case(part.name(), "handshake", Vec::new())));
                cases.extend(over::all(options).into_iter().map(|over| {
                    let case = case(CONNECT, "loopback", over);
                    let block = if case.waits_for_network() { "ssh/network" } else { "ssh/loopback" };
                    Case { block: block.into(), ..case }
                }));
            }
        }
        cases
    }

    /// Returns the primitives that the provider [`PRIMITIVES`] also offers. It does not offer RSA.
    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let kem = KeyExchange::named(&case.algorithm).and_then(KeyExchange::kem);
        let signature = case.word(AUTH).filter(|name| *name != KeyType::Rsa3072.name());
        let all = [Some("X25519"), kem, signature].into_iter().flatten();
        all.map(|algorithm| (PRIMITIVES.to_owned(), algorithm.to_owned())).collect()
    }

    fn prepare(&self, case: &Case, _providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let key_exchange = KeyExchange::named(&case.algorithm).ok_or_else(|| missing(case))?;
        let key_type = case.word(AUTH).and_then(KeyType::named).ok_or_else(|| missing(case))?;
        let setup = Setup::new(Config { key_exchange, key_type }, keys(key_type)?).map_err(fault)?;
        if case.operation == CONNECT {
            return Ok(Box::new(Connections::new(Ssh::new(setup)?, case, seed)?));
        }
        let part = Part::named(&case.operation).ok_or_else(|| missing(case))?;
        Ok(Box::new(Handshakes::new(setup, part)?))
    }
}

/// Cache of this process's keys. Generating RSA keys for every case would take longer than measuring it.
static KEYS: Mutex<Vec<(KeyType, Arc<Keys>)>> = Mutex::new(Vec::new());

/// Returns keys of a type. Reuses keys that this process has already generated.
fn keys(key_type: KeyType) -> Result<Arc<Keys>, Fault> {
    let mut all = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, keys)) = all.iter().find(|(known, _)| *known == key_type) {
        return Ok(Arc::clone(keys));
    }
    let keys = Arc::new(Keys::generate(key_type).map_err(fault)?);
    all.push((key_type, Arc::clone(&keys)));
    Ok(keys)
}

/// Converts a handshake error to a fault.
fn fault(error: Error) -> Fault {
    match error {
        Error::Wrong(what) => Fault::WrongAnswer(what),
        other => Fault::Library(other.to_string()),
    }
}

/// Returns the name and the version of the SSH implementation.
pub(crate) fn implementation() -> (String, String) {
    (RUSSH.to_owned(), pqlab_ssh::version().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, right, sample};
    use pqlab_providers::providers;

    fn case(id: &str) -> Case {
        let all = SshWorkload.cases(&providers(), &CaseOptions::default());
        all.into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("{id}"))
    }

    #[test]
    fn every_part_of_every_handshake_is_right_in_samples_of_any_length() {
        let all = SshWorkload.cases(&providers(), &CaseOptions::default());
        assert_eq!(all.len(), KeyExchange::ALL.len() * KeyType::ALL.len() * (Part::ALL.len() + 1));
        for case in &all {
            right(&SshWorkload, case, &providers(), &[1, 3, 2]);
        }
    }

    #[test]
    fn work_that_was_not_done_is_void() {
        for operation in Part::ALL.map(Part::name).into_iter().chain([CONNECT]) {
            let over = if operation == CONNECT { ",over=tcp" } else { "" };
            let case = case(&format!("ssh/curve25519-sha256/{operation}[auth=Ed25519{over}]@russh"));
            let mut trial = prepared(&SshWorkload, &case, &providers());
            assert!(is_void(trial.as_mut(), 2), "{operation}");
            sample(trial.as_mut(), 2).unwrap();
        }
    }

    #[test]
    fn options_select_the_type_of_key() {
        let options = CaseOptions { signatures: vec!["Ed25519".parse().unwrap()], ..CaseOptions::default() };
        let cases = SshWorkload.cases(&providers(), &options);
        assert!(!cases.is_empty() && cases.iter().all(|case| case.authentication() == Some("Ed25519")), "{cases:?}");
    }

    #[test]
    fn a_handshake_records_its_bytes_packets_and_round_trips() {
        let noted = |exchange: &str| {
            let case = case(&format!("ssh/{exchange}/handshake[auth=Ed25519]@russh"));
            let mut trial = prepared(&SshWorkload, &case, &providers());
            let noted = sample(trial.as_mut(), 1).unwrap();
            move |name: &str| noted.iter().find(|(key, _)| key == name).unwrap().1[0]
        };
        let (classical, hybrid) = (noted("curve25519-sha256"), noted("mlkem768x25519-sha256"));
        // ML-KEM-768 adds a key of 1,184 bytes and a ciphertext of 1,088 bytes, and the method's name is longer. Packets
        // are padded to multiples of 8 bytes.
        let added = |name: &str| hybrid(name) - classical(name);
        assert!((1184.0..1184.0 + 24.0).contains(&added("client_bytes")), "{}", added("client_bytes"));
        assert!((1088.0..1088.0 + 24.0).contains(&added("server_bytes")), "{}", added("server_bytes"));
        assert_eq!(added("round_trips"), 0.0);
        assert!(classical("client_packets") >= classical("round_trips"));
    }
}
