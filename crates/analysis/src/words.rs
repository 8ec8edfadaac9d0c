//! Words that a run's tables use and that no outsider knows: each with what it means, where it occurs.

use crate::number::time;
use crate::run::RunAnalysis;

/// Constructions as the reference made them.
const REFERENCE: [&str; 4] = ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65", "X.509-detached", "TXv1-ML-DSA-65"];

/// What the null provider and the floor are: what is said wherever the floor of a run is.
pub const FLOOR_MEANING: &str = "what the provider null, which does nothing, takes through the same calls";

/// What the floors of workers are.
const WORKER_FLOORS_MEANING: &str = "an empty turn of the loop in which each times its operations";

/// `floors of workers: go 1.30 ns, java 2.10 ns: an empty turn ...`; `None` where the run has no worker.
pub fn worker_floors(analysis: &RunAnalysis<'_>) -> Option<String> {
    let floors = analysis.worker_floors();
    let floors: Vec<String> = floors.into_iter().map(|(provider, ns)| format!("{provider} {}", time(ns))).collect();
    (!floors.is_empty()).then(|| format!("floors of workers: {}: {WORKER_FLOORS_MEANING}", floors.join(", ")))
}

/// What `the reference` means wherever it is spoken of.
pub const THE_REFERENCE: &str = "the reference: five earlier systems whose suites pqlab reproduces";

/// What headlines of operations that repeat by chance are, wherever a run has some.
pub const MEANS: &str = "mean: the operation repeats by chance (signing with ML-DSA or Falcon, generating Falcon or RSA keys), so its \
                         time and cycles are means; all others are medians, sums and rates are of means";

/// Whether the headline of some case is a mean.
pub fn has_means(analysis: &RunAnalysis<'_>) -> bool {
    analysis.cases().iter().any(|of| of.case().repeats_by_chance())
}

/// A line for each word that occurs in the names of the cases.
pub fn words(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let occurs = |algorithm: &str| analysis.cases().iter().any(|of| of.case().algorithm == algorithm);
    let mut lines: Vec<String> = has_means(analysis).then(|| MEANS.to_owned()).into_iter().collect();
    if occurs("X25519+mock") {
        lines.push(
            "mock: a stand-in for ML-KEM that copies random bytes and protects nothing: what the hybrid takes without its lattice"
                .to_owned(),
        );
    }
    let of_reference: Vec<&str> = REFERENCE.into_iter().filter(|algorithm| occurs(algorithm)).collect();
    if !of_reference.is_empty() {
        lines.push(format!(
            "{}: as the reference made it, one of five earlier systems whose suites pqlab reproduces; not for use",
            of_reference.join(", ")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn workers_have_floors_of_their_own() {
        assert_eq!(worker_floors(&RunAnalysis::of(&fixtures::libraries_run())), None);
        let run = fixtures::workers_run();
        let line = worker_floors(&RunAnalysis::of(&run)).unwrap();
        assert!(line.starts_with("floors of workers: go 1.30 ns, script 2.10 ns: an empty turn"), "{line}");
    }

    #[test]
    fn a_word_is_explained_where_it_occurs() {
        let mut run = fixtures::run();
        assert!(words(&RunAnalysis::of(&run)).is_empty());
        run.records[0].case.algorithm = "X25519+mock".into();
        run.records[1].case.algorithm = "X25519+ML-KEM-768".into();
        let lines = words(&RunAnalysis::of(&run));
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].starts_with("mock: ") && lines[1].starts_with("X25519+ML-KEM-768: as the reference"),
            "{lines:?}"
        );
    }
}
