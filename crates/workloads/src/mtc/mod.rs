//! Workload `mtc`: Merkle Tree Certificates, next to chains of X.509 certificates with the same algorithms.
//!
//! `verify` is the work of a client that receives a certificate or a chain. The verifier of Merkle Tree Certificates is
//! the crate mtcs, which uses RustCrypto. Chains are verified by pqlab with RustCrypto's signature schemes. `issue` is
//! the work of a CA with the primitives of one library: a batch of Merkle Tree Certificates, or a single X.509
//! certificate.

mod authority;
mod issue;
mod trust;
mod verify;

use crate::inputs::generator;
use crate::{CaseOptions, Workload, fault, find, missing};
use authority::Authority;
use issue::{IssueBatch, IssueOne};
use pqlab_constructions::mtc::TrustAnchorId;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Hash, Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, Facts, Parameter};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use verify::{certificates, chains};

/// Provider name of the verifier.
const VERIFIER: &str = "mtcs";
/// Version of the verifier.
const VERIFIER_VERSION: &str = "0.3.1";
/// Provider of the crates that the verifier uses.
const PRIMITIVES: &str = "rustcrypto";
/// Algorithms of cosigners, and of the subjects' keys.
const ALGORITHMS: [&str; 2] = ["Ed25519", "ML-DSA-44"];
/// Algorithms of X.509 chains. Today's chains use the first one.
const CHAINS: [&str; 3] = ["ECDSA-P-256", "Ed25519", "ML-DSA-44"];
/// Prefixes of the algorithm names of Merkle Tree Certificates and X.509 certificates.
const PREFIXES: [&str; 2] = ["MTC-", "X.509-"];
const OPERATIONS: [&str; 2] = ["verify", "issue"];
/// Sizes of the logs whose certificates are verified.
const LOGS: [u64; 3] = [1_000, 100_000, 10_000_000];
/// Number of certificates in an issued batch.
const BATCH: u64 = 1_000;
/// Case parameter for the number of certificates in the log.
const CERTIFICATES: &str = "certificates";
/// Case parameter for the number of cosigners of a standalone certificate, including the CA.
const COSIGNERS: &str = "cosigners";
const MOST_COSIGNERS: u64 = 3;
/// Flag of landmark-relative certificates.
const LANDMARK: &str = "landmark";
/// Case parameter for the number of intermediate certificates in a chain.
const INTERMEDIATES: &str = "chain";
const HASH: &str = "SHA-256";

/// Time at which all certificates are valid, since 1970.
const NOW: Duration = Duration::from_secs(1_800_000_000);
const DAY: Duration = Duration::from_secs(86_400);

pub(crate) struct MtcWorkload;

impl Workload for MtcWorkload {
    fn id(&self) -> &'static str {
        "mtc"
    }

    fn describe(&self) -> &'static str {
        "Merkle Tree Certificates: verifying and issuing, compared with X.509 certificates"
    }

    fn cases(&self, providers: &[Arc<Provider>], _options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        if let Some(primitives) = providers.iter().find(|provider| provider.id() == PRIMITIVES) {
            for algorithm in ALGORITHMS {
                let logs = LOGS.iter().flat_map(|log| forms(*log));
                cases.extend(logs.map(|form| case(PREFIXES[0], algorithm, OPERATIONS[0], VERIFIER, form)));
            }
            let chain = || vec![Parameter::Number(INTERMEDIATES.into(), 1)];
            let offered = CHAINS.into_iter().filter(|algorithm| primitives.signature(algorithm).is_some());
            cases.extend(offered.map(|algorithm| case(PREFIXES[1], algorithm, OPERATIONS[0], PRIMITIVES, chain())));
        }
        for provider in providers.iter().filter(|provider| provider.hash(HASH).is_some()) {
            let draws = |case: Case, algorithm: &str| {
                let draws = provider.signature(algorithm).is_some_and(|scheme| scheme.draws_to_sign());
                let generator = provider.generator.clone().filter(|_| draws && !case.flag(LANDMARK));
                Case { facts: Facts { generator, ..case.facts.clone() }, ..case }
            };
            let offers = |algorithm: &&str| provider.signature(algorithm).is_some();
            for algorithm in ALGORITHMS.into_iter().filter(offers) {
                let batch = |form| case(PREFIXES[0], algorithm, OPERATIONS[1], &provider.id(), form);
                cases.extend(forms(BATCH).map(|form| draws(batch(form), algorithm)));
            }
            for algorithm in CHAINS.into_iter().filter(offers) {
                let one = case(PREFIXES[1], algorithm, OPERATIONS[1], &provider.id(), Vec::new());
                cases.push(Case { block: "mtc/issue-one".into(), ..draws(one, algorithm) });
            }
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let provider = primitives_of(case);
        let signature = split(&case.algorithm).map(|(_, algorithm)| algorithm);
        [signature, Some(HASH)].into_iter().flatten().map(|name| (provider.to_owned(), name.to_owned())).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, primitives_of(case))?;
        let (prefix, algorithm) = split(&case.algorithm).ok_or_else(|| missing(case))?;
        let scheme = provider.signature(algorithm).ok_or_else(|| missing(case))?;
        let sha256 = provider.hash(HASH).ok_or_else(|| missing(case))?;
        let is_chain = prefix == PREFIXES[1];
        Ok(match (case.operation.as_str(), is_chain) {
            ("verify", true) => Box::new(chains(Authority::new(scheme, sha256)?)?),
            ("issue", true) => Box::new(IssueOne::new(Authority::new(scheme, sha256)?)),
            ("verify", false) => {
                let log = case.number(CERTIFICATES).filter(|log| *log > 3).ok_or_else(|| missing(case))?;
                let source = Source { scheme, sha256, cosigners: cosigners(case)? };
                Box::new(certificates(&source, log, &mut generator(case, seed))?)
            }
            ("issue", false) => {
                let batch = case.number(CERTIFICATES).ok_or_else(|| missing(case))?;
                let source = Source { scheme, sha256, cosigners: cosigners(case)? };
                Box::new(IssueBatch::new(&source, usize::try_from(batch).map_err(|_| missing(case))?)?)
            }
            _ => return Err(missing(case)),
        })
    }
}

/// Primitives of a library, and the number of cosigners: 0 for landmark-relative certificates.
struct Source<'a> {
    scheme: &'a Arc<dyn SignatureScheme>,
    sha256: &'a Arc<dyn Hash>,
    cosigners: usize,
}

/// Returns the provider of the primitives that a case uses.
fn primitives_of(case: &Case) -> &str {
    if case.provider == VERIFIER { PRIMITIVES } else { &case.provider }
}

/// Returns the parameters of each kind of certificate from a log of this size: landmark-relative, and standalone with
/// different numbers of cosigners.
fn forms(log: u64) -> impl Iterator<Item = Vec<Parameter>> {
    let cosigners = (1..=MOST_COSIGNERS).map(|count| Parameter::Number(COSIGNERS.into(), count));
    let kinds = std::iter::once(Parameter::Flag(LANDMARK.into())).chain(cosigners);
    kinds.map(move |kind| vec![kind, Parameter::Number(CERTIFICATES.into(), log)])
}

/// Returns the number of cosigners in a case.
fn cosigners(case: &Case) -> Result<usize, Fault> {
    let count = if case.flag(LANDMARK) { Some(0) } else { case.number(COSIGNERS).filter(|count| *count > 0) };
    count.and_then(|count| usize::try_from(count).ok()).ok_or_else(|| missing(case))
}

/// Splits the name of an algorithm in case ids into its prefix and the signature algorithm.
fn split(name: &str) -> Option<(&'static str, &str)> {
    PREFIXES.into_iter().find_map(|prefix| Some((prefix, name.strip_prefix(prefix)?)))
}

fn case(prefix: &str, algorithm: &str, operation: &str, provider: &str, parameters: Vec<Parameter>) -> Case {
    let category = SignatureParameters::find(algorithm).and_then(|parameters| parameters.category);
    Case {
        workload: "mtc".into(),
        algorithm: format!("{prefix}{algorithm}"),
        operation: operation.into(),
        provider: provider.into(),
        form: None,
        parameters,
        block: format!("mtc/{operation}"),
        facts: Facts { category, ..Facts::default() },
    }
}

/// Returns the ID of a cosigner. The first one is the CA. RFC 5612 reserves the arc 32473 for examples.
fn cosigner_id(cosigner: usize) -> TrustAnchorId {
    TrustAnchorId::new(&[32473, cosigner as u32 + 1])
}

/// Converts an error about a certificate to a fault.
fn broken(error: impl Display) -> Fault {
    Fault::WrongAnswer(error.to_string())
}

/// Returns the name and the version of the verifier.
pub(crate) fn implementation() -> (String, String) {
    (VERIFIER.to_owned(), VERIFIER_VERSION.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, sample};
    use pqlab_providers::providers;

    fn all() -> Vec<Case> {
        MtcWorkload.cases(&providers(), &CaseOptions::default())
    }

    fn noted(id: &str) -> impl Fn(&str) -> f64 {
        let case = all().into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("no {id}"));
        let mut trial = prepared(&MtcWorkload, &case, &providers());
        let noted = sample(trial.as_mut(), 1).unwrap();
        move |name: &str| noted.iter().find(|(key, _)| key == name).unwrap().1[0]
    }

    #[test]
    fn every_case_runs_and_is_right() {
        let cases = all();
        // Two algorithms, three logs and four kinds of certificates; three chains.
        assert_eq!(cases.iter().filter(|case| case.operation == "verify").count(), 2 * 3 * 4 + 3);
        for case in &cases {
            let mut trial = prepared(&MtcWorkload, case, &providers());
            assert!(is_void(trial.as_mut(), 1), "{}: missing operations must be detected", case.id());
            sample(trial.as_mut(), 1).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        }
    }

    #[test]
    fn certificates_record_their_length_and_the_servers_flight() {
        let landmark = noted("mtc/MTC-ML-DSA-44/verify[landmark,certificates=10000000]@mtcs");
        let small = noted("mtc/MTC-ML-DSA-44/verify[landmark,certificates=1000]@mtcs");
        let standalone = noted("mtc/MTC-ML-DSA-44/verify[cosigners=1,certificates=1000]@mtcs");
        let chain = noted("mtc/X.509-ML-DSA-44/verify[chain=1]@rustcrypto");
        // The proof has 23 hashes instead of 9.
        assert_eq!(landmark("certificate_bytes") - small("certificate_bytes"), 32.0 * (23.0 - 9.0));
        // A signature, the ID of the CA, and their lengths.
        assert_eq!(standalone("certificate_bytes") - small("certificate_bytes"), 2420.0 + 4.0 + 3.0);
        // Each certificate also has a length and no extensions: 5 bytes.
        let difference = chain("certificate_bytes") - landmark("certificate_bytes") + 5.0;
        assert_eq!(chain("flight_bytes") - landmark("flight_bytes"), difference);
        assert_eq!(landmark("flight_packets"), (landmark("flight_bytes") / 1448.0).ceil());
    }

    #[test]
    fn names_the_version_of_the_verifier() {
        let manifest = include_str!("../../../../Cargo.toml");
        assert!(manifest.contains(&format!("mtcs = \"={VERIFIER_VERSION}\"")));
    }

    #[test]
    fn needs_the_primitives_of_the_verifier_only_to_verify() {
        let mut providers = providers();
        providers.retain(|provider| provider.library != PRIMITIVES);
        let cases = MtcWorkload.cases(&providers, &CaseOptions::default());
        assert!(!cases.is_empty() && cases.iter().all(|case| case.operation == "issue"));
    }
}
