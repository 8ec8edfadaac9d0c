//! One algorithm looked at closely: the lengths and bytes of what every provider makes of it, and what must be accepted and
//! what refused.

mod kem;
mod signature;

use crate::{LabError, Laboratory, Thing, matches};
use pqlab_primitives::{Error, Provider};
use pqlab_workloads::NULL;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Serialize, Serializer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What is to be looked at.
#[derive(Clone, Debug, Default)]
pub struct InspectRequest {
    /// The algorithm's name.
    pub algorithm: String,
    /// Patterns of providers; none for all.
    pub providers: Vec<String>,
    /// From which keys, coins and messages are drawn: providers that take coins make the same keys from the same seed.
    pub seed: u64,
}

/// One algorithm of one provider.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The provider's id.
    pub provider: String,
    /// `kem` or `signature`.
    pub kind: &'static str,
    /// The standard's name.
    pub algorithm: String,
    /// Where it is defined.
    pub standard: String,
    /// NIST security category.
    pub category: Option<u8>,
    /// Whether the key follows from the seed: the provider takes coins.
    pub seeded: bool,
    /// Keys, messages, ciphertexts, signatures.
    pub items: Vec<Item>,
    /// What was tried.
    pub checks: Vec<Check>,
}

/// Bytes with a name.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// What they are.
    pub name: String,
    /// Their number.
    pub length: usize,
    /// The standard's length: the longest where it varies.
    pub longest: usize,
    /// The bytes, in hexadecimal where they are written to a file.
    #[serde(serialize_with = "as_hex")]
    pub bytes: Vec<u8>,
}

/// Something that was tried, and whether it went as it must.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What was tried and must be so.
    pub name: String,
    /// Whether it was; `None` where the provider does not offer it.
    pub passed: Option<bool>,
    /// What is known beyond that: why it failed, or was not tried.
    pub detail: Option<String>,
}

impl Inspection {
    /// Whether nothing failed.
    pub fn sound(&self) -> bool {
        self.checks.iter().all(|check| check.passed != Some(false))
    }
}

/// Looks at an algorithm of every provider that offers it and that was asked for. What one makes is handed to all others
/// that offer the algorithm, asked for or not.
///
/// # Errors
/// [`LabError::Unknown`] for an algorithm that is not there, [`LabError::Unoffered`] where none of the providers has it, and
/// [`LabError::Invalid`] for an algorithm without keys.
pub fn inspect(laboratory: &Laboratory, request: &InspectRequest) -> Result<Vec<Inspection>, LabError> {
    let all = laboratory.registry().providers();
    let algorithm = request.algorithm.as_str();
    let offers =
        |provider: &&Arc<Provider>| provider.kem(algorithm).is_some() || provider.signature(algorithm).is_some();
    let offering: Vec<&Arc<Provider>> = all.iter().filter(offers).collect();
    if offering.is_empty() {
        return Err(unknown(all, algorithm));
    }
    let chosen = |provider: &&&Arc<Provider>| match request.providers.as_slice() {
        [] => provider.library != NULL || algorithm == NULL,
        patterns => {
            let id = provider.id();
            patterns.iter().any(|pattern| matches(pattern, &id) || matches(pattern, &provider.library))
        }
    };
    let selected: Vec<&&Arc<Provider>> = offering.iter().filter(chosen).collect();
    if selected.is_empty() {
        return Err(LabError::Unoffered {
            algorithm: algorithm.to_owned(),
            provider: Some(request.providers.join(", ")),
            offering: offering.iter().map(|provider| provider.id()).collect(),
        });
    }
    let mut inspections = Vec::new();
    for provider in selected {
        if let Some(kem) = provider.kem(algorithm) {
            inspections.push(kem::inspect(provider, kem.as_ref(), &offering, request.seed));
        }
        if let Some(scheme) = provider.signature(algorithm) {
            inspections.push(signature::inspect(provider, scheme.as_ref(), &offering, request.seed));
        }
    }
    Ok(inspections)
}

fn unknown(all: &[Arc<Provider>], algorithm: &str) -> LabError {
    let mut names: Vec<String> = all.iter().flat_map(|provider| provider.algorithms()).collect();
    names.sort();
    names.dedup();
    if names.iter().any(|name| name == algorithm) {
        return LabError::invalid("algorithm", format!("{algorithm} has neither keys nor signatures to look at"));
    }
    LabError::unknown(Thing::Algorithm, algorithm, names.iter().map(String::as_str))
}

/// Collects what is found out about one algorithm of one provider.
struct Notebook {
    random: ChaCha8Rng,
    items: Vec<Item>,
    checks: Vec<Check>,
}

/// Why a check did not pass.
enum Objection {
    /// The provider does not offer it.
    Unsupported(String),
    /// It is not as it must be.
    Wrong(String),
}

impl From<Error> for Objection {
    fn from(error: Error) -> Objection {
        match error {
            Error::Unsupported(what) => Objection::Unsupported(what.to_owned()),
            other => Objection::Wrong(other.to_string()),
        }
    }
}

impl Notebook {
    fn new(seed: u64) -> Notebook {
        Notebook { random: ChaCha8Rng::seed_from_u64(seed), items: Vec::new(), checks: Vec::new() }
    }

    fn draw(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.random.fill_bytes(&mut bytes);
        bytes
    }

    fn item(&mut self, name: &str, longest: usize, bytes: &[u8]) {
        let item = Item { name: name.to_owned(), length: bytes.len(), longest, bytes: bytes.to_vec() };
        self.items.push(item);
    }

    /// Tries something; a panic in a library is a check that failed. Returns what came of it.
    fn check<T>(&mut self, name: &str, attempt: impl FnOnce() -> Result<T, Objection>) -> Option<T> {
        let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Objection::Wrong(format!("panicked: {}", text.unwrap_or_else(|| "without a message".into()))))
        });
        let (passed, detail, value) = match outcome {
            Ok(value) => (Some(true), None, Some(value)),
            Err(Objection::Unsupported(reason)) => (None, Some(reason), None),
            Err(Objection::Wrong(reason)) => (Some(false), Some(reason), None),
        };
        self.checks.push(Check { name: name.to_owned(), passed, detail });
        value
    }
}

/// Places at which a bit is flipped: the first, the middle and the last byte.
fn places(length: usize) -> Vec<usize> {
    let mut places = vec![0, length / 2, length.saturating_sub(1)];
    places.dedup();
    places.retain(|place| *place < length);
    places
}

/// The bytes with the lowest bit of one of them flipped.
fn flipped(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[place] ^= 1;
    bytes
}

fn as_hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerProgram;

    fn laboratory() -> Laboratory {
        Laboratory::new(WorkerProgram::pqlab("unused"))
    }

    fn request(algorithm: &str, providers: &[&str]) -> InspectRequest {
        let providers = providers.iter().map(|provider| (*provider).to_owned()).collect();
        InspectRequest { algorithm: algorithm.to_owned(), providers, seed: 1 }
    }

    #[test]
    fn tampering_is_refused_by_every_provider_and_algorithm() {
        let laboratory = laboratory();
        let mut algorithms: Vec<String> = Vec::new();
        for provider in laboratory.registry().providers().iter().filter(|provider| provider.library != NULL) {
            algorithms.extend(provider.kems.iter().map(|kem| kem.info().parameters.algorithm.to_string()));
            algorithms.extend(provider.signatures.iter().map(|it| it.info().parameters.algorithm.to_string()));
        }
        algorithms.sort();
        algorithms.dedup();
        assert!(algorithms.len() > 10, "{algorithms:?}");
        let mut wrong = Vec::new();
        for algorithm in &algorithms {
            for inspection in inspect(&laboratory, &request(algorithm, &[])).unwrap() {
                assert!(inspection.items.len() >= 4, "{algorithm} {}", inspection.provider);
                let tampering = inspection.checks.iter().filter(|check| check.name.contains("tampered"));
                assert!(tampering.clone().count() >= 3, "{algorithm} {}", inspection.provider);
                assert!(tampering.clone().all(|check| check.passed.is_some()), "{algorithm} {}", inspection.provider);
                let failed = inspection.checks.iter().filter(|check| check.passed == Some(false));
                wrong.extend(failed.map(|check| format!("{algorithm} {}: {check:?}", inspection.provider)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_same_seed_gives_the_same_key() {
        let laboratory = laboratory();
        let key = |seed| {
            let request = InspectRequest { seed, ..request("ML-KEM-768", &["rustcrypto"]) };
            inspect(&laboratory, &request).unwrap()[0].items[0].bytes.clone()
        };
        assert_eq!(key(1), key(1));
        assert_ne!(key(1), key(2));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let laboratory = laboratory();
        let message = |algorithm, providers: &[&str]| {
            inspect(&laboratory, &request(algorithm, providers)).unwrap_err().to_string()
        };
        assert!(message("ML-KEM-786", &[]).contains("did you mean \"ML-KEM-768\""));
        assert!(message("SHA3-256", &[]).contains("neither keys nor signatures"));
        assert!(message("ML-KEM-768", &["nobody"]).contains("nobody does not offer ML-KEM-768: "));
    }

    #[test]
    fn bits_are_flipped_at_both_ends_and_between() {
        assert_eq!(places(10), [0, 5, 9]);
        assert_eq!((places(1), places(0)), (vec![0], vec![]));
        assert_eq!(flipped(&[2, 2], 1), [2, 3]);
    }
}
