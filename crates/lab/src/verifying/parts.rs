//! Divides a verification into parts.

use crate::{LabError, Thing, matches};
use pqlab_primitives::Provider;
use pqlab_verification::Answers;
use pqlab_workloads::{NULL, Registry};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Request for a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyRequest {
    /// Patterns for providers. A pattern can match the whole id (`libcrux:avx2`) or the library alone (`libcrux`). An
    /// empty list selects all.
    pub providers: Vec<String>,
    /// Patterns for algorithms. An empty list selects all.
    pub algorithms: Vec<String>,
    /// Whether to also test every provider against every other.
    pub interoperability: bool,
    /// Number of answers to compute for accumulated vectors, which check many answers with one published digest.
    pub answers: Answers,
    /// Folder in which to save the progress of accumulated vectors. Without a folder, every verification starts from
    /// the beginning.
    pub kept_in: Option<PathBuf>,
}

/// Part of a verification, which runs in one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerifyPart {
    /// Tests one provider's implementation of an algorithm with known answers and published vectors.
    Provider {
        /// The provider's id.
        id: String,
        /// The algorithm's name.
        algorithm: String,
    },
    /// Tests every provider of an algorithm against every other.
    Interoperability {
        /// The algorithm's name.
        algorithm: String,
    },
}

impl VerifyPart {
    /// Returns the provider's id, or `interoperability`.
    pub fn provider(&self) -> &str {
        match self {
            VerifyPart::Provider { id, .. } => id,
            VerifyPart::Interoperability { .. } => "interoperability",
        }
    }

    /// Returns the algorithm's name.
    pub fn algorithm(&self) -> &str {
        match self {
            VerifyPart::Provider { algorithm, .. } | VerifyPart::Interoperability { algorithm } => algorithm,
        }
    }

    /// Returns whether the part takes much longer than others: the `s` parameter sets of SLH-DSA need seconds for a
    /// signature, not milliseconds.
    pub(super) fn is_slow(&self) -> bool {
        self.algorithm().starts_with("SLH-DSA-") && self.algorithm().ends_with('s')
    }

    /// Returns whether accumulated vectors may exist for this part.
    pub(super) fn accumulates(&self) -> bool {
        let algorithm = self.algorithm();
        let lattice = algorithm.starts_with("ML-KEM-") || algorithm.starts_with("ML-DSA-");
        lattice && matches!(self, VerifyPart::Provider { .. })
    }
}

impl VerifyRequest {
    /// Returns whether the request includes this provider.
    pub(super) fn asks_for(&self, provider: &str) -> bool {
        selected(&self.providers, provider)
    }
}

/// Returns one part for each algorithm of each requested provider. If interoperability is requested, adds one part for
/// each of these algorithms.
pub(super) fn parts(registry: &Registry, request: &VerifyRequest) -> Vec<VerifyPart> {
    let asked_for = |provider: &&std::sync::Arc<Provider>| provider.id() != NULL && request.asks_for(&provider.id());
    let wanted = |algorithm: &String| selected(&request.algorithms, algorithm);
    let (mut parts, mut paired) = (Vec::new(), Vec::new());
    for provider in registry.providers().iter().filter(asked_for) {
        for algorithm in provider.algorithms().into_iter().filter(wanted) {
            let matrix = VerifyPart::Interoperability { algorithm: algorithm.clone() };
            if request.interoperability && !paired.contains(&matrix) {
                paired.push(matrix);
            }
            parts.push(VerifyPart::Provider { id: provider.id(), algorithm });
        }
    }
    parts.append(&mut paired);
    parts
}

fn selected(patterns: &[String], name: &str) -> bool {
    let library = name.split(':').next().unwrap_or(name);
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name) || matches(pattern, library))
}

pub(super) fn check_names(registry: &Registry, request: &VerifyRequest) -> Result<(), LabError> {
    let check = |what, patterns: &[String], known: &[String]| {
        let unknown = |pattern: &&String| !known.iter().any(|name| selected(std::slice::from_ref(*pattern), name));
        match patterns.iter().find(unknown) {
            Some(pattern) => Err(LabError::unknown(what, pattern, known.iter().map(String::as_str))),
            None => Ok(()),
        }
    };
    let providers = registry.providers();
    check(Thing::Provider, &request.providers, &providers.iter().map(|provider| provider.id()).collect::<Vec<_>>())?;
    let algorithms: Vec<String> = providers.iter().flat_map(|provider| provider.algorithms()).collect();
    check(Thing::Algorithm, &request.algorithms, &algorithms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(providers: &[&str], algorithms: &[&str]) -> Vec<String> {
        let registry = Registry::new(pqlab_providers::providers());
        let patterns = |texts: &[&str]| texts.iter().map(|pattern| (*pattern).to_owned()).collect();
        let request = VerifyRequest {
            providers: patterns(providers),
            algorithms: patterns(algorithms),
            interoperability: true,
            ..VerifyRequest::default()
        };
        check_names(&registry, &request).unwrap();
        parts(&registry, &request).iter().map(|part| format!("{} {}", part.provider(), part.algorithm())).collect()
    }

    #[test]
    fn requested_providers_have_parts_for_their_algorithms_and_interoperability() {
        let parts = parts_of(&["rustcrypto"], &["ML-KEM-768", "Ed25519"]);
        assert_eq!(parts.len(), 4, "{parts:?}");
        for part in ["rustcrypto ML-KEM-768", "rustcrypto Ed25519", "interoperability Ed25519"] {
            assert!(parts.contains(&part.to_owned()), "{parts:?}");
        }
        assert!(parts_of(&[], &["ML-KEM-*"]).iter().all(|part| !part.starts_with("null ")));
    }
}
