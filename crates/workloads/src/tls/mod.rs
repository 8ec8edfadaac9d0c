//! Workload `tls`: TLS 1.3 handshakes with rustls and OpenSSL, between two sides in one process.
//!
//! The algorithm of a case is its key exchange. `handshake` covers both sides of a new connection. `client` and
//! `server` cover the computation of one side. The steps `client-hello`, `server-flight`, `client-finish` and
//! `server-finish` cover the computation between two messages. `server` is also measured on several threads, with
//! client messages computed in advance. `connect` is a connection over TCP, either over loopback or over an emulated
//! link with a round-trip time, a bandwidth and packet loss. The certificates and the kind of handshake are parameters.
//! Session tickets are issued only before the measured handshakes.

pub(crate) mod connect;
mod connection;
mod mode;
mod network;
pub(crate) mod over;
mod trial;

pub use mode::{TlsMode, TlsSignature};
pub use network::networks_are_available;
pub use over::{TlsNetwork, link_seconds, waits_for_kernel};

use crate::{CaseOptions, Workload, find, missing, scaling};
use connect::{Connections, Tls};
pub(crate) use mode::config;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{KemParameters, Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, Facts, Parameter};
use pqlab_tls::{Authentication, Config, Credentials, Error, Group, Implementation, Setup};
use std::sync::{Arc, Mutex, PoisonError};
use trial::{Handshakes, Part};

/// Default number of intermediate certificates.
pub(crate) const CHAIN: u64 = 1;
/// Case parameter for the signature algorithm of the certificates.
pub(crate) const AUTH: &str = "auth";
/// Case parameter for the number of intermediate certificates.
pub(crate) const INTERMEDIATES: &str = "chain";
/// Case parameter for the kind of handshake.
const MODE: &str = "mode";
/// Operation that connects over TCP.
pub(crate) const CONNECT: &str = "connect";

pub(crate) struct TlsWorkload;

/// TLS implementations on both sides of a connection.
#[derive(Clone, Copy)]
struct Sides {
    client: Implementation,
    server: Implementation,
}

impl Sides {
    fn all() -> impl Iterator<Item = Sides> {
        let all = Implementation::ALL;
        all.into_iter().flat_map(move |client| all.into_iter().map(move |server| Sides { client, server }))
    }

    /// Returns the name used in case ids. If the sides differ, the client's name comes first.
    fn id(self) -> String {
        match self.client == self.server {
            true => self.client.name().to_owned(),
            false => format!("{}+{}", self.client.name(), self.server.name()),
        }
    }

    fn from_case(case: &Case) -> Option<Sides> {
        Sides::all().find(|sides| sides.id() == case.provider)
    }

    fn each(self) -> impl Iterator<Item = Implementation> {
        [Some(self.client), (self.client != self.server).then_some(self.server)].into_iter().flatten()
    }

    /// Returns whether this build contains both implementations and the libraries for their primitives.
    fn are_here(self, providers: &[Arc<Provider>]) -> bool {
        self.each()
            .all(|side| side.is_built_in() && providers.iter().any(|provider| provider.library == side.primitives()))
    }
}

impl Workload for TlsWorkload {
    fn id(&self) -> &'static str {
        "tls"
    }

    fn describe(&self) -> &'static str {
        "TLS 1.3 handshakes with rustls and OpenSSL: in memory, over loopback, over emulated networks"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let chains = options.chains.clone().unwrap_or_else(|| vec![CHAIN]);
        let signatures = chosen(&options.signatures, &TlsSignature::all());
        let modes = chosen(&options.modes, &[TlsMode::Full]);
        let sides: Vec<Sides> = Sides::all().filter(|sides| sides.are_here(providers)).collect();
        let mut cases = Vec::new();
        for group in Group::ALL {
            for TlsSignature(signature) in &signatures {
                for &chain in &chains {
                    for &mode in &modes {
                        let config = config(group, *signature, chain, mode);
                        let have = |sides: &&Sides| sides.each().all(|side| side.check(&config).is_ok());
                        for sides in sides.iter().filter(have) {
                            let parameters = parameters(*signature, chain, mode);
                            let case = |operation: &str, block: &str, more: Vec<Parameter>| Case {
                                workload: self.id().into(),
                                algorithm: group.name().into(),
                                operation: operation.into(),
                                provider: sides.id(),
                                form: None,
                                parameters: [parameters.clone(), more].concat(),
                                block: format!("tls/{block}"),
                                facts: Facts { category: category(group, *signature), ..Facts::default() },
                            };
                            cases.extend(Part::ALL.map(|part| case(part.name(), part.block(), Vec::new())));
                            let threads = scaling::thread_cases(&case(Part::Server.name(), "", Vec::new()), options);
                            cases.extend(threads.into_iter().map(|case| Case { block: "tls/threads".into(), ..case }));
                            cases.extend(over::all(options).into_iter().map(|over| {
                                let case = case(CONNECT, "loopback", over);
                                let block = if case.waits_for_network() { "tls/network" } else { "tls/loopback" };
                                Case { block: block.into(), ..case }
                            }));
                        }
                    }
                }
            }
        }
        cases
    }

    /// Returns the primitives that both sides use, as pairs of provider and algorithm. The provider of a side wraps the
    /// library that the side's TLS implementation uses.
    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let (Some(sides), Some(group)) = (Sides::from_case(case), Group::named(&case.algorithm)) else {
            return Vec::new();
        };
        let classical = matches!(group, Group::X25519 | Group::X25519MlKem768).then_some("X25519");
        let algorithms: Vec<&str> = group.kem().into_iter().chain(classical).chain(case.word(AUTH)).collect();
        let primitives_of = |side: Implementation| {
            algorithms.iter().map(move |algorithm| (side.primitives().to_owned(), (*algorithm).to_owned()))
        };
        sides.each().flat_map(primitives_of).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let sides = Sides::from_case(case).ok_or_else(|| missing(case))?;
        let group = Group::named(&case.algorithm).ok_or_else(|| missing(case))?;
        let signature = case.word(AUTH).and_then(Authentication::named).ok_or_else(|| missing(case))?;
        let mode = TlsMode::parse(case.word(MODE)).ok_or_else(|| missing(case))?;
        let config = config(group, signature, case.number(INTERMEDIATES).unwrap_or(CHAIN), mode);
        for side in sides.each() {
            side.check(&config).map_err(fault)?;
        }
        let maker = find(providers, sides.server.primitives())?;
        let scheme = maker.signature(signature.name()).ok_or_else(|| missing(case))?;
        let credentials = credentials(&config, maker.library.as_str(), scheme.as_ref())?;
        let setup = || Setup::new(&config, sides.client, sides.server, &credentials).map_err(fault);
        if case.operation == CONNECT {
            return Ok(Box::new(Connections::new(Tls::new(setup()?)?, case, seed)?));
        }
        let part = Part::named(&case.operation).ok_or_else(|| missing(case))?;
        let trial = || Ok(Box::new(Handshakes::new(setup()?, part)) as Box<dyn Trial>);
        if scaling::concerns(case) { scaling::prepare(case, seed, trial) } else { trial() }
    }
}

/// Cache of this process's keys and certificates. Generating RSA keys for every case would take longer than measuring
/// it.
static CREDENTIALS: Mutex<Vec<(String, Arc<Credentials>)>> = Mutex::new(Vec::new());

/// Returns the credentials for a configuration, with keys from one library. Reuses credentials that this process has
/// already created.
pub(crate) fn credentials(
    config: &Config,
    library: &str,
    scheme: &dyn SignatureScheme,
) -> Result<Arc<Credentials>, Fault> {
    let Config { authentication, intermediates, client_authentication, .. } = config;
    let key = format!("{library} {} {intermediates} {client_authentication}", authentication.name());
    let mut all = CREDENTIALS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, credentials)) = all.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(credentials));
    }
    let credentials = Arc::new(Credentials::make(config, scheme).map_err(fault)?);
    all.push((key, Arc::clone(&credentials)));
    Ok(credentials)
}

pub(crate) fn chosen<T: Copy>(chosen: &[T], usual: &[T]) -> Vec<T> {
    if chosen.is_empty() { usual.to_vec() } else { chosen.to_vec() }
}

fn parameters(signature: Authentication, chain: u64, mode: TlsMode) -> Vec<Parameter> {
    let mut parameters =
        vec![Parameter::Word(AUTH.into(), signature.name().into()), Parameter::Number(INTERMEDIATES.into(), chain)];
    if mode != TlsMode::Full {
        parameters.push(Parameter::Word(MODE.into(), mode.name().into()));
    }
    parameters
}

/// Returns the lower of the NIST categories of key exchange and signature. `None` if a quantum computer breaks either
/// algorithm.
pub(crate) fn category(group: Group, signature: Authentication) -> Option<u8> {
    let exchange = KemParameters::find(group.kem()?)?.category?;
    Some(exchange.min(SignatureParameters::find(signature.name())?.category?))
}

/// Converts a handshake error to a fault.
pub(crate) fn fault(error: Error) -> Fault {
    match error {
        Error::Unsupported(reason) => Fault::Unsupported(reason.to_owned()),
        Error::Wrong(what) => Fault::WrongAnswer(what),
        other => Fault::Library(other.to_string()),
    }
}

/// Returns the TLS implementations in this build that are not providers, with their versions.
pub fn tls_implementations() -> Vec<(String, String)> {
    let own = [Implementation::Rustls].into_iter().filter(|implementation| implementation.is_built_in());
    own.map(|implementation| (implementation.name().to_owned(), implementation.version())).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, right, sample};
    use pqlab_providers::providers;
    use std::collections::HashSet;

    fn cases(options: &CaseOptions) -> Vec<Case> {
        TlsWorkload.cases(&providers(), options)
    }

    fn case(id: &str) -> Case {
        let options =
            CaseOptions { chains: Some(vec![0, 1, 2]), modes: TlsMode::ALL.to_vec(), ..CaseOptions::default() };
        cases(&options).into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("{id}"))
    }

    #[test]
    fn everything_that_both_sides_support_has_a_case_with_a_unique_id() {
        let all = cases(&CaseOptions::default());
        let ids: HashSet<String> = all.iter().map(Case::id).collect();
        assert_eq!(ids.len(), all.len());
        for id in [
            "tls/X25519MLKEM768/handshake[auth=ML-DSA-65,chain=1]@rustls",
            "tls/X25519/client[auth=RSA-2048,chain=1]@openssl+rustls",
            "tls/SecP384r1MLKEM1024/server-flight[auth=Ed25519,chain=1]@openssl",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        assert!(!ids.iter().any(|id| id.contains("SLH-DSA")), "SLH-DSA must be absent: neither side supports it");
        assert!(!ids.iter().any(|id| id.contains("P384") && id.contains("rustls")), "rustls must not have this group");
        let category = |id: &str| case(id).facts.category;
        assert_eq!(category("tls/X25519MLKEM768/handshake[auth=ML-DSA-44,chain=1]@rustls"), Some(2));
        assert_eq!(category("tls/X25519MLKEM768/handshake[auth=Ed25519,chain=1]@rustls"), None);
    }

    #[test]
    fn every_part_of_every_pair_is_right_in_samples_of_any_length() {
        let options = CaseOptions {
            signatures: vec![TlsSignature(Authentication::EcdsaP256)],
            modes: TlsMode::ALL.to_vec(),
            threads: Some(vec![1, 2]),
            ..CaseOptions::default()
        };
        let all: Vec<Case> =
            cases(&options).into_iter().filter(|case| case.algorithm == Group::X25519MlKem768.name()).collect();
        // All four pairs support three modes, and one pair also supports the fourth. Besides the
        // parts, there are servers on 1 and 2 threads, and connections over loopback.
        assert_eq!(all.len(), (Part::ALL.len() + 2 + 1) * (4 * 3 + 1));
        for case in &all {
            right(&TlsWorkload, case, &providers(), &[1, 3, 2]);
        }
    }

    #[test]
    fn work_that_was_not_done_is_void() {
        for operation in Part::ALL.map(Part::name).into_iter().chain(["connect"]) {
            let over = if operation == "connect" { ",over=tcp" } else { "" };
            let case = case(&format!("tls/X25519/{operation}[auth=Ed25519,chain=0{over}]@rustls"));
            let mut trial = prepared(&TlsWorkload, &case, &providers());
            assert!(is_void(trial.as_mut(), 2), "{operation}");
            sample(trial.as_mut(), 2).unwrap();
        }
    }

    #[test]
    fn a_handshake_records_its_bytes_and_packets() {
        let case = case("tls/X25519MLKEM768/handshake[auth=ML-DSA-65,chain=2]@openssl");
        let mut trial = prepared(&TlsWorkload, &case, &providers());
        let noted = sample(trial.as_mut(), 1).unwrap();
        let value = |name: &str| noted.iter().find(|(key, _)| key == name).unwrap().1[0];
        // The server's flight contains three keys, four signatures and a ciphertext. A packet holds
        // 1448 bytes.
        assert!(value("server_flight_bytes") > 3.0 * 1952.0 + 4.0 * 3309.0 + 1088.0);
        assert_eq!(value("server_flight_packets"), (value("server_flight_bytes") / 1448.0).ceil());
        assert_eq!(value("server_flight_fits_window"), 0.0);
        assert!(value("client_hello_records") >= 1.0 && value("client_finish_bytes") > 0.0);
    }
}
