//! Inspects one algorithm: shows the lengths and bytes of every provider's keys and outputs, and checks whether the
//! providers accept valid inputs and reject invalid ones.

mod certificate;
mod file;
mod kem;
mod signature;

pub(crate) use file::InspectFilesTask;
pub use file::{Fact, FileBlock, FileInspection};

use crate::planning::names;
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory, Thing, matches};
use pqlab_constructions::parts::{Part, Parts, parts};
use pqlab_harness::ending;
use pqlab_harness::errand::{Manner, Next};
use pqlab_primitives::{Error, Provider};
use pqlab_workloads::{NULL, Registry, certificate_forms, constructed, hybrids};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Request for an inspection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct InspectRequest {
    /// Name of an algorithm, a hybrid or a certificate form.
    pub algorithm: String,
    /// Patterns for provider ids. For a hybrid, a pattern can also match pairs (`aws-lc+*`). An empty list selects all.
    pub providers: Vec<String>,
    /// Seed for keys, randomness and messages. Providers that accept caller-supplied randomness generate the same keys
    /// from the same seed.
    pub seed: u64,
}

/// Results for one algorithm from one provider.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inspection {
    /// The provider's id.
    pub provider: String,
    /// Kind of algorithm: `kem`, `signature` or `certificate`.
    pub kind: String,
    /// Name of the algorithm in its standard.
    pub algorithm: String,
    /// Standard that defines the algorithm.
    pub standard: String,
    /// NIST security category.
    pub category: Option<u8>,
    /// Whether the seed determines the key, because the provider accepts caller-supplied randomness.
    pub seeded: bool,
    /// Keys, messages, ciphertexts, signatures and certificates.
    pub items: Vec<Item>,
    /// Checks and their results.
    pub checks: Vec<Check>,
}

/// Named bytes, such as a key or a signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    /// Name of the item, such as `ciphertext`.
    pub name: String,
    /// Number of bytes.
    pub length: usize,
    /// Length in bytes according to the standard. If the length varies, the maximum.
    pub longest: usize,
    /// The bytes, as hexadecimal text in JSON.
    #[serde(serialize_with = "as_hex", deserialize_with = "of_hex")]
    pub bytes: Vec<u8>,
    /// Positions of the parts; empty if the item has no parts.
    pub parts: Vec<ItemPart>,
}

/// Part of an item, and its position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemPart {
    /// Name of the part, such as a half of a hybrid.
    pub name: String,
    /// Offset of the part's first byte within the item.
    pub begin: usize,
    /// Offset after the part's last byte.
    pub end: usize,
}

/// A check and its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Rule that the check tests, such as `a truncated signature is rejected`.
    pub name: String,
    /// Whether the rule holds; `None` if the provider does not support the operation.
    pub passed: Option<bool>,
    /// Reason why the check failed or was skipped.
    pub detail: Option<String>,
}

impl Inspection {
    /// Returns whether no check failed.
    pub fn sound(&self) -> bool {
        self.checks.iter().all(|check| check.passed != Some(false))
    }
}

impl Laboratory {
    /// Inspects an algorithm with every requested provider that offers it. Also checks that each requested provider
    /// works together with every other provider of the algorithm, requested or not. If libraries are loaded, the
    /// inspection runs in a separate process.
    ///
    /// # Errors
    /// - [`LabError::Unknown`] for an unknown algorithm.
    /// - [`LabError::Unoffered`] if no requested provider offers the algorithm.
    /// - [`LabError::Invalid`] for an algorithm without keys. If libraries are loaded, the two errors above are also
    ///   [`LabError::Invalid`].
    /// - [`LabError::Library`] if a library ended the separate process.
    /// - [`LabError::Worker`] if the separate process could not be started.
    pub fn inspect(&self, request: &InspectRequest) -> Result<Vec<Inspection>, LabError> {
        let loaded: Vec<&str> = self.libraries().map(|library| library.label.as_str()).collect();
        if loaded.is_empty() {
            return inspect(self.registry(), request);
        }
        let mut errand = self.start(&InspectTask { request: request.clone() }, &Manner::default())?;
        let never = AtomicBool::new(false);
        while let Next::Said(message) = errand.next(&never).map_err(lost)? {
            match read_answer::<InspectTask>(&message) {
                Some(InspectAnswer::Inspections(inspections)) => return Ok(inspections),
                Some(InspectAnswer::Refused(reason)) => return Err(LabError::invalid("algorithm", reason)),
                _ => {}
            }
        }
        let status = ending(errand.end().map_err(lost)?.status);
        Err(LabError::library(&loaded.join(", "), format!("the process that loaded the libraries ended: {status}")))
    }
}

/// Task: inspects an algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InspectTask {
    request: InspectRequest,
}

/// The inspections, or the reason why there are none.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum InspectAnswer {
    Inspections(Vec<Inspection>),
    Refused(String),
}

impl Task for InspectTask {
    const NAME: &'static str = "inspect";
    type Answer = InspectAnswer;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(InspectAnswer) + Sync)) -> io::Result<()> {
        say(match inspect(registry, &self.request) {
            Ok(inspections) => InspectAnswer::Inspections(inspections),
            Err(error) => InspectAnswer::Refused(error.to_string()),
        });
        Ok(())
    }
}

/// Inspects an algorithm in this process.
fn inspect(registry: &Registry, request: &InspectRequest) -> Result<Vec<Inspection>, LabError> {
    let providers = registry.providers();
    let known = names::algorithm(&request.algorithm, &registry.cases(&Default::default()));
    let algorithm = known.as_deref().unwrap_or(&request.algorithm);
    // A pattern with `+` requests pairs of providers. Each pair is inspected like one library.
    let pairs = request.providers.iter().any(|pattern| pattern.contains('+'));
    if certificate_forms().any(|form| form == algorithm) {
        return certificate::inspect(providers, algorithm, request, pairs);
    }
    let (usual, constructions) = (constructed(providers, algorithm, false), constructed(providers, algorithm, pairs));
    let all = if constructions.is_empty() { providers } else { constructions.as_slice() };
    let offers =
        |provider: &&Arc<Provider>| provider.kem(algorithm).is_some() || provider.signature(algorithm).is_some();
    let offering: Vec<&Arc<Provider>> = all.iter().filter(offers).collect();
    if offering.is_empty() {
        return Err(unknown(providers, algorithm));
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
    let others = if usual.is_empty() { offering.clone() } else { usual.iter().collect() };
    let mut inspections = Vec::new();
    for provider in selected {
        if let Some(kem) = provider.kem(algorithm) {
            inspections.push(kem::inspect(provider, kem.as_ref(), &others, request.seed));
        }
        if let Some(scheme) = provider.signature(algorithm) {
            inspections.push(signature::inspect(provider, scheme.as_ref(), &others, request.seed));
        }
    }
    Ok(inspections)
}

fn unknown(all: &[Arc<Provider>], algorithm: &str) -> LabError {
    let mut names: Vec<String> = all.iter().flat_map(|provider| provider.algorithms()).collect();
    names.extend(hybrids().chain(certificate_forms()).map(str::to_owned));
    names.sort();
    names.dedup();
    if algorithm.contains("mock") {
        let reason = format!(
            "{algorithm} has random bytes instead of a post-quantum half, so there is nothing to \
                              inspect"
        );
        return LabError::invalid("algorithm", reason);
    }
    if names.iter().any(|name| name == algorithm) {
        return LabError::invalid("algorithm", format!("{algorithm} has neither keys nor signatures to inspect"));
    }
    LabError::unknown(Thing::Algorithm, algorithm, names.iter().map(String::as_str))
}

/// Collects the results for one algorithm from one provider.
struct Notebook {
    random: ChaCha8Rng,
    /// Positions of a hybrid's halves in keys and outputs; empty if the algorithm is not a hybrid.
    parts: Parts,
    items: Vec<Item>,
    checks: Vec<Check>,
}

/// Reason why a check failed or was skipped.
enum Objection {
    /// The provider does not support the operation.
    Unsupported(String),
    /// The result is wrong.
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
    fn new(seed: u64, algorithm: &str) -> Notebook {
        let parts = parts(algorithm).unwrap_or_default();
        Notebook { random: ChaCha8Rng::seed_from_u64(seed), parts, items: Vec::new(), checks: Vec::new() }
    }

    fn draw(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.random.fill_bytes(&mut bytes);
        bytes
    }

    fn item(&mut self, name: &str, longest: usize, bytes: &[u8]) {
        let layout = match name {
            "encapsulation key" | "verifying key" => self.parts.public_key.as_slice(),
            "ciphertext" | "signature" => &self.parts.output,
            "shared secret" => &self.parts.secret,
            private if private.starts_with("decapsulation key") || private.starts_with("signing key") => {
                &self.parts.private_key
            }
            _ => &[],
        };
        let part = |part: &Part| ItemPart { name: part.name.into(), begin: part.range.start, end: part.range.end };
        let parts = layout.iter().map(part).collect();
        self.items.push(Item { name: name.to_owned(), length: bytes.len(), longest, bytes: bytes.to_vec(), parts });
    }

    /// Returns the byte positions at which the checks flip a bit of a ciphertext or signature, with descriptions. For a
    /// hybrid, these are the middle of every part and the last byte.
    fn places(&self, length: usize) -> Vec<(usize, String)> {
        if self.parts.output.is_empty() {
            return places(length).into_iter().map(|place| (place, format!("byte {place}"))).collect();
        }
        let middle = |part: &Part| {
            let place = part.range.start.midpoint(part.range.end);
            (place, format!("byte {place}, in {}", part.name))
        };
        self.parts.output.iter().map(middle).chain([(length - 1, format!("byte {}", length - 1))]).collect()
    }

    /// Runs a check and records the result. If `attempt` succeeds, the check passes, and the method returns the value
    /// of `attempt`. A panic in a library counts as a failure.
    fn check<T>(&mut self, name: &str, attempt: impl FnOnce() -> Result<T, Objection>) -> Option<T> {
        let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Objection::Wrong(format!("panicked: {}", text.unwrap_or_else(|| "no message".into()))))
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

/// Returns the positions of the first, the middle and the last of `length` bytes, without duplicates.
fn places(length: usize) -> Vec<usize> {
    let mut places = vec![0, length / 2, length.saturating_sub(1)];
    places.dedup();
    places.retain(|place| *place < length);
    places
}

/// Returns a copy of `bytes` with the lowest bit of the byte at `place` flipped.
fn flipped(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[place] ^= 1;
    bytes
}

fn as_hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn of_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    hex::decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
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
    fn every_provider_rejects_tampered_inputs() {
        let laboratory = laboratory();
        let mut algorithms: Vec<String> = Vec::new();
        for provider in laboratory.registry().providers().iter().filter(|provider| provider.library != NULL) {
            algorithms.extend(provider.kems.iter().map(|kem| kem.info().parameters.algorithm.to_string()));
            algorithms.extend(provider.signatures.iter().map(|it| it.info().parameters.algorithm.to_string()));
        }
        algorithms.extend(hybrids().chain(certificate_forms()).map(str::to_owned));
        algorithms.sort();
        algorithms.dedup();
        assert!(algorithms.len() > 10, "{algorithms:?}");
        let mut wrong = Vec::new();
        for algorithm in &algorithms {
            for inspection in laboratory.inspect(&request(algorithm, &[])).unwrap() {
                let items = match (inspection.kind.as_str(), hybrids().any(|hybrid| hybrid == algorithm)) {
                    ("certificate", _) => 1,
                    // A hybrid's private key cannot be encoded if one half cannot generate keys from a seed.
                    (_, true) => 3,
                    (_, false) => 4,
                };
                assert!(inspection.items.len() >= items, "{algorithm} {}", inspection.provider);
                let tampering = inspection.checks.iter().filter(|check| check.name.contains("tampered"));
                assert!(tampering.clone().count() >= 2, "{algorithm} {}", inspection.provider);
                assert!(tampering.clone().all(|check| check.passed.is_some()), "{algorithm} {}", inspection.provider);
                let failed = inspection.checks.iter().filter(|check| check.passed == Some(false));
                wrong.extend(failed.map(|check| format!("{algorithm} {}: {check:?}", inspection.provider)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn halves_of_a_hybrid_are_at_their_stated_positions() {
        let laboratory = laboratory();
        let one = |algorithm: &str, pair: &str| {
            let mut found = laboratory.inspect(&request(algorithm, &[pair])).unwrap();
            assert_eq!((found.len(), found[0].provider.as_str()), (1, pair), "{algorithm}");
            found.remove(0)
        };
        let part = |inspection: &Inspection, item: &str, name: &str| {
            let item = inspection.items.iter().find(|found| found.name == item).unwrap();
            let part = item.parts.iter().find(|part| part.name == name).unwrap();
            item.bytes[part.begin..part.end].to_vec()
        };
        let providers = laboratory.registry().providers();
        let rustcrypto = providers.iter().find(|provider| provider.id() == "rustcrypto").unwrap();
        for algorithm in ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768"] {
            let inspection = one(algorithm, "rustcrypto+aws-lc");
            for half in ["ML-KEM-768", "X25519"] {
                let key = part(&inspection, "encapsulation key", half);
                let kem = rustcrypto.kem(half).unwrap();
                assert!(kem.load_encapsulation_key(&key).is_ok(), "{algorithm} {half}");
                assert_eq!(part(&inspection, "ciphertext", half).len(), kem.info().parameters.ciphertext);
                let suffix = format!("in {half})");
                let tampered = |check: &&Check| check.name.contains("tampered") && check.name.ends_with(&suffix);
                assert_eq!(inspection.checks.iter().filter(tampered).count(), 1, "{algorithm} {half}");
            }
        }
        for algorithm in ["MLDSA65-Ed25519-SHA512", "Ed25519+ML-DSA-65"] {
            let inspection = one(algorithm, "rustcrypto+aws-lc");
            for half in ["ML-DSA-65", "Ed25519"] {
                let key = part(&inspection, "verifying key", half);
                let scheme = rustcrypto.signature(half).unwrap();
                assert!(scheme.load_verifying_key(&key).is_ok(), "{algorithm} {half}");
                assert_eq!(part(&inspection, "signature", half).len(), scheme.info().parameters.signature);
            }
        }
        let certificate = one("X.509-alternative", "rustcrypto+aws-lc");
        for (name, length) in [
            ("public key, Ed25519", 32),
            ("alternative public key, ML-DSA-65", 1952),
            ("alternative signature, ML-DSA-65", 3309),
            ("signature, Ed25519", 64),
        ] {
            assert_eq!(part(&certificate, "certificate", name).len(), length, "{name}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_key() {
        let laboratory = laboratory();
        let key = |seed| {
            let request = InspectRequest { seed, ..request("ML-KEM-768", &["rustcrypto"]) };
            laboratory.inspect(&request).unwrap()[0].items[0].bytes.clone()
        };
        assert_eq!(key(1), key(1));
        assert_ne!(key(1), key(2));
    }

    #[test]
    fn names_unknown_algorithms_and_providers() {
        let laboratory = laboratory();
        let message =
            |algorithm, providers: &[&str]| laboratory.inspect(&request(algorithm, providers)).unwrap_err().to_string();
        assert!(message("ML-KEM-786", &[]).contains("did you mean \"ML-KEM-768\""));
        assert!(message("X-Wingg", &[]).contains("did you mean \"X-Wing\""));
        assert!(message("X.509-composites", &[]).contains("did you mean \"X.509-composite\""));
        assert!(
            message("X-Wing", &["rustcrypto+nobody"])
                .contains("rustcrypto+nobody does not offer X-Wing; providers that offer it: ")
        );
        assert!(message("X25519+mock", &[]).contains("random bytes"));
        assert!(message("SHA3-256", &[]).contains("neither keys nor signatures"));
        let unoffered = message("ML-KEM-768", &["nobody"]);
        assert!(unoffered.contains("nobody does not offer ML-KEM-768; providers that offer it: "), "{unoffered}");
    }

    #[test]
    fn flips_bits_at_both_ends_and_in_the_middle() {
        assert_eq!(places(10), [0, 5, 9]);
        assert_eq!((places(1), places(0)), (vec![0], vec![]));
        assert_eq!(flipped(&[2, 2], 1), [2, 3]);
    }
}
