//! Workload `quic`: QUIC handshakes with quinn-proto, between two sides in one process, on a simulated clock.
//!
//! The algorithm of a case is its key exchange. `handshake` covers both sides of a new connection, until both have
//! confirmed the handshake. `client` and `server` cover the computation of one side. `connect` is a connection over a
//! simulated link with a round-trip time, a bandwidth and packet loss; the link takes no real time. The certificates
//! are a parameter.

#[cfg(feature = "aws-lc")]
mod trial;

use crate::tls::over::links;
use crate::tls::{AUTH, CHAIN, CONNECT, INTERMEDIATES, TlsMode, TlsSignature, category, chosen, config};
use crate::{CaseOptions, Workload};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::{Case, Facts, Parameter};
use pqlab_tls::{Group, Implementation};
use std::sync::Arc;

/// Name of the implementation in case ids.
const IMPLEMENTATION: &str = "quinn";
/// TLS implementation that quinn-proto uses.
const TLS: Implementation = Implementation::Rustls;
/// Name and value of the case parameter for the transport.
const OVER: (&str, &str) = ("over", "simulation");
/// Operations on a handshake in memory: both sides, the client's computation, the server's computation.
const OPERATIONS: [&str; 3] = ["handshake", "client", "server"];
/// Default links: round-trip time in ms, and loss in percent.
const LINKS: [(f64, Option<f64>); 4] = [(20.0, None), (20.0, Some(1.0)), (100.0, None), (100.0, Some(1.0))];

pub(crate) struct QuicWorkload;

/// Returns whether this build contains QUIC and the library for its primitives.
fn is_here(providers: &[Arc<Provider>]) -> bool {
    cfg!(feature = "aws-lc") && providers.iter().any(|provider| provider.library == TLS.primitives())
}

/// Returns the parameters of the requested links, or of the default links.
fn links_of(options: &CaseOptions) -> Vec<Vec<Parameter>> {
    match links(options) {
        requested if !requested.is_empty() => requested,
        _ => {
            let link = |(round_trip, loss)| {
                links(&CaseOptions { rtt_ms: Some(round_trip), loss_pct: loss, ..CaseOptions::default() })
            };
            LINKS.into_iter().flat_map(link).collect()
        }
    }
}

impl Workload for QuicWorkload {
    fn id(&self) -> &'static str {
        "quic"
    }

    fn describe(&self) -> &'static str {
        "QUIC handshakes with quinn-proto: in memory, over simulated links"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        if !is_here(providers) {
            return Vec::new();
        }
        let chains = options.chains.clone().unwrap_or_else(|| vec![CHAIN]);
        let signatures = chosen(&options.signatures, &TlsSignature::all());
        let mut cases = Vec::new();
        for group in Group::ALL {
            for TlsSignature(signature) in &signatures {
                for &chain in &chains {
                    if TLS.check(&config(group, *signature, chain, TlsMode::Full)).is_err() {
                        continue;
                    }
                    let case = |operation: &str, block: &str, more: Vec<Parameter>| {
                        let auth = Parameter::Word(AUTH.into(), signature.name().into());
                        let parameters = vec![auth, Parameter::Number(INTERMEDIATES.into(), chain)];
                        Case {
                            workload: self.id().into(),
                            algorithm: group.name().into(),
                            operation: operation.into(),
                            provider: IMPLEMENTATION.into(),
                            form: None,
                            parameters: [parameters, more].concat(),
                            block: format!("quic/{block}"),
                            facts: Facts { category: category(group, *signature), ..Facts::default() },
                        }
                    };
                    cases.extend(OPERATIONS.map(|operation| case(operation, "handshake", Vec::new())));
                    cases.extend(links_of(options).into_iter().map(|link| {
                        let over = Parameter::Word(OVER.0.into(), OVER.1.into());
                        case(CONNECT, "connect", [vec![over], link].concat())
                    }));
                }
            }
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let Some(group) = Group::named(&case.algorithm) else { return Vec::new() };
        let classical = matches!(group, Group::X25519 | Group::X25519MlKem768).then_some("X25519");
        let algorithms = group.kem().into_iter().chain(classical).chain(case.word(AUTH));
        algorithms.map(|algorithm| (TLS.primitives().to_owned(), algorithm.to_owned())).collect()
    }

    #[cfg(feature = "aws-lc")]
    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        trial::prepare(case, providers, seed).map(|trial| Box::new(trial) as Box<dyn Trial>)
    }

    #[cfg(not(feature = "aws-lc"))]
    fn prepare(&self, case: &Case, _providers: &[Arc<Provider>], _seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        Err(crate::missing(case))
    }
}

/// Returns the QUIC implementations in this build, with their versions.
#[cfg(feature = "aws-lc")]
pub fn quic_implementations() -> Vec<(String, String)> {
    vec![(IMPLEMENTATION.to_owned(), format!("{} (rustls {})", pqlab_quic::VERSION, TLS.version()))]
}

/// Returns the QUIC implementations in this build, with their versions.
#[cfg(not(feature = "aws-lc"))]
pub fn quic_implementations() -> Vec<(String, String)> {
    Vec::new()
}

#[cfg(all(test, feature = "aws-lc"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, right, sample};
    use pqlab_providers::providers;
    use std::collections::HashSet;

    fn case(id: &str) -> Case {
        let options = CaseOptions { chains: Some(vec![0, 1, 2]), ..CaseOptions::default() };
        let cases = QuicWorkload.cases(&providers(), &options);
        cases.into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("{id}"))
    }

    /// Returns the values that one handshake records.
    fn noted(id: &str) -> impl Fn(&str) -> f64 {
        let mut trial = prepared(&QuicWorkload, &case(id), &providers());
        let noted = sample(trial.as_mut(), 1).unwrap();
        move |name| noted.iter().find(|(key, _)| key == name).unwrap_or_else(|| panic!("{name}")).1[0]
    }

    #[test]
    fn every_configuration_of_rustls_has_cases_with_unique_ids() {
        let all = QuicWorkload.cases(&providers(), &CaseOptions::default());
        let ids: HashSet<String> = all.iter().map(Case::id).collect();
        assert_eq!(ids.len(), all.len());
        for id in [
            "quic/X25519MLKEM768/handshake[auth=ML-DSA-65,chain=1]@quinn",
            "quic/X25519/connect[auth=ECDSA-P-256,chain=1,over=simulation,rtt=100ms,loss=1%]@quinn",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        assert!(!ids.iter().any(|id| id.contains("P384") || id.contains("SLH-DSA")), "rustls does not support these");
    }

    #[test]
    fn every_case_is_right_in_samples_of_any_length() {
        let options = CaseOptions { signatures: vec!["ML-DSA-44".parse().unwrap()], ..CaseOptions::default() };
        for case in QuicWorkload.cases(&providers(), &options) {
            right(&QuicWorkload, &case, &providers(), &[1, 3]);
        }
    }

    #[test]
    fn work_that_was_not_done_is_void() {
        for operation in ["handshake", "client", "server", "connect"] {
            let over = if operation == "connect" { ",over=simulation,rtt=20ms" } else { "" };
            let case = case(&format!("quic/X25519/{operation}[auth=ECDSA-P-256,chain=0{over}]@quinn"));
            let mut trial = prepared(&QuicWorkload, &case, &providers());
            assert!(is_void(trial.as_mut(), 2), "{operation}");
            sample(trial.as_mut(), 2).unwrap();
        }
    }

    #[test]
    fn post_quantum_key_exchange_needs_a_second_datagram() {
        let value = noted("quic/X25519/handshake[auth=ECDSA-P-256,chain=0]@quinn");
        assert_eq!((value("client_flight_datagrams"), value("amplification_limited")), (1.0, 0.0));
        assert_eq!((value("client_round_trips"), value("server_round_trips")), (1.0, 1.5));
        let value = noted("quic/X25519MLKEM768/handshake[auth=ECDSA-P-256,chain=0]@quinn");
        assert_eq!((value("client_flight_datagrams"), value("client_round_trips")), (2.0, 1.0));
        assert!(value("client_hello_bytes") > 1184.0 + 32.0);
    }

    #[test]
    fn amplification_limit_adds_a_round_trip_to_large_certificates() {
        let value = noted("quic/X25519/handshake[auth=ML-DSA-65,chain=1]@quinn");
        assert_eq!(value("amplification_limited"), 1.0);
        // Two round trips, or more if the congestion window or pacing delays the rest.
        assert!(value("client_round_trips") >= 2.0, "{}", value("client_round_trips"));
        assert_eq!(value("server_flight_datagrams"), 3.0 * value("client_flight_datagrams"));
    }

    #[test]
    fn connections_take_their_round_trips_and_the_computation() {
        let case = case("quic/X25519/connect[auth=ECDSA-P-256,chain=0,over=simulation,rtt=100ms]@quinn");
        let mut trial = prepared(&QuicWorkload, &case, &providers());
        sample(trial.as_mut(), 3).unwrap();
        let times = trial.own_samples();
        assert_eq!(times.len(), 3);
        assert!(times.iter().all(|&ns| ns > 100_000_000), "{times:?}");
    }
}
