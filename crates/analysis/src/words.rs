//! Explains terms in the tables of a run that readers may not know.

use crate::number::time;
use crate::run::RunAnalysis;

/// Constructions from the five earlier systems that pqlab reproduces.
const REFERENCE: [&str; 4] = ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65", "X.509-detached", "TXv1-ML-DSA-65"];

/// Explanation that follows the measurement overhead wherever it is shown.
pub const FLOOR_MEANING: &str =
    "included in all figures (the time of the same calls to the null provider, which does nothing)";

/// Explanation that follows the measurement overhead of workers.
const WORKER_FLOORS_MEANING: &str = "an empty iteration of each worker's timing loop";

/// Lists the overhead of workers: `overhead of workers: go 1.30 ns, java 2.10 ns (an empty iteration ...)`. Returns
/// `None` if the run has no workers.
pub fn worker_floors(analysis: &RunAnalysis<'_>) -> Option<String> {
    let floors = analysis.worker_floors();
    let floors: Vec<String> = floors.into_iter().map(|(provider, ns)| format!("{provider} {}", time(ns))).collect();
    (!floors.is_empty()).then(|| format!("overhead of workers: {} ({WORKER_FLOORS_MEANING})", floors.join(", ")))
}

/// Explanation of the term `the reference`.
pub const THE_REFERENCE: &str = "the reference: five earlier systems whose suites pqlab reproduces";

/// Explanation of figures that are means, for runs that contain such figures.
pub const MEANS: &str = "mean: the operation retries at random (signing with ML-DSA or Falcon, generating Falcon or \
                         RSA keys), so its time and cycles are means; other figures are medians, but sums and rates \
                         use means";

/// Returns whether the main figure of any case is a mean instead of a median.
pub fn has_means(analysis: &RunAnalysis<'_>) -> bool {
    analysis.cases().iter().any(|case| case.case().repeats_by_chance())
}

/// Explains the unfamiliar terms that occur in the cases of a run, one term per line.
pub fn words(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let occurs = |algorithm: &str| analysis.cases().iter().any(|case| case.case().algorithm == algorithm);
    let mut lines: Vec<String> = has_means(analysis).then(|| MEANS.to_owned()).into_iter().collect();
    if occurs("X25519+mock") {
        lines.push(
            "mock: copies random bytes instead of running ML-KEM, and protects nothing; shows a hybrid's cost without \
             ML-KEM"
                .to_owned(),
        );
    }
    let constructions: Vec<&str> = REFERENCE.into_iter().filter(|algorithm| occurs(algorithm)).collect();
    if !constructions.is_empty() {
        lines.push(format!(
            "{}: from the reference (five earlier systems whose suites pqlab reproduces); not for use elsewhere",
            constructions.join(", ")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn workers_have_a_separate_overhead() {
        assert_eq!(worker_floors(&RunAnalysis::new(&fixtures::libraries_run())), None);
        let run = fixtures::workers_run();
        let line = worker_floors(&RunAnalysis::new(&run)).unwrap();
        assert!(line.starts_with("overhead of workers: go 1.30 ns, script 2.10 ns (an empty iteration"), "{line}");
    }

    #[test]
    fn explains_terms_that_occur() {
        let mut run = fixtures::run();
        assert!(words(&RunAnalysis::new(&run)).is_empty());
        run.records[0].case.algorithm = "X25519+mock".into();
        run.records[1].case.algorithm = "X25519+ML-KEM-768".into();
        let lines = words(&RunAnalysis::new(&run));
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].starts_with("mock: ") && lines[1].starts_with("X25519+ML-KEM-768: from the reference"),
            "{lines:?}"
        );
    }
}
