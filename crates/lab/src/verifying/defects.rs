//! Finds cases that a known defect of a library affects. Reports mark the figures of these cases, because the library
//! skips work that the standard requires.

use pqlab_primitives::Provider;
use pqlab_record::Case;
use pqlab_verification::{KNOWN_DEFECTS, KnownDefect};
use std::sync::Arc;

/// Describes the known defects that affect a case, in any of the case's libraries; `None` if there are none.
pub(crate) fn known(case: &Case, providers: &[Arc<Provider>]) -> Option<String> {
    let concerned = |defect: &&KnownDefect| {
        case.provider.split('+').any(|id| {
            let provider = providers.iter().find(|provider| provider.id() == id);
            provider.is_some_and(|provider| has(provider, defect)) && concerns(case, defect)
        })
    };
    let found = distinct(KNOWN_DEFECTS.iter().filter(concerned).map(|defect| defect.what));
    (!found.is_empty()).then(|| found.join("; "))
}

/// Returns the known defects of a library, each with the affected algorithms and operations: `ML-DSA verify: ...`.
pub(crate) fn of_library(provider: &Provider) -> Vec<String> {
    let found = KNOWN_DEFECTS.iter().filter(|defect| has(provider, defect));
    distinct(
        found.map(|defect| format!("{} {}: {}", defect.algorithm.trim_end_matches('-'), defect.operation, defect.what)),
    )
}

/// Returns the items without duplicates. A defect has several entries if several suites reveal it.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// Returns whether this build of the library has the defect. A loaded library does not report the CPU extensions that
/// it uses, so it counts as affected if any code path of its version is affected.
fn has(provider: &Provider, defect: &KnownDefect) -> bool {
    let loaded = provider.code != provider.library;
    defect.is_in(provider) || loaded && defect.may_be_in(provider)
}

/// Returns whether the case uses the algorithm, alone or in a construction, in the operation that the defect affects.
fn concerns(case: &Case, defect: &KnownDefect) -> bool {
    // The names of composites contain the names of their halves without hyphens: MLDSA65-Ed25519-SHA512.
    let joined = |name: &str| name.replace('-', "");
    // A cycle includes signing and verifying.
    let in_cycle =
        case.operation == "cycle" && ["sign", "verify"].iter().any(|part| part.starts_with(defect.operation));
    // `one-by-one` cases verify each signature on its own, so defects of `verify` affect them.
    let operation = if case.flag("one-by-one") { "verify" } else { &case.operation };
    let works = operation.starts_with(defect.operation) || in_cycle;
    works && joined(&case.algorithm).contains(&joined(defect.algorithm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::BuildInfo;
    use pqlab_record::Parameter;

    fn provider(version: &str, build: &str) -> Arc<Provider> {
        let build = BuildInfo { version: version.into(), build: build.into() };
        Arc::new(Provider::new("liboqs", build))
    }

    fn case(algorithm: &str, operation: &str, provider: &str) -> Case {
        Case {
            workload: "signature".into(),
            algorithm: algorithm.into(),
            operation: operation.into(),
            provider: provider.into(),
            form: None,
            parameters: Vec::new(),
            block: String::new(),
            facts: pqlab_record::Facts::default(),
        }
    }

    #[test]
    fn loaded_libraries_have_the_defects_of_their_version() {
        let mut loaded = Provider::new("branch", BuildInfo { version: "0.13.0".into(), build: "liboqs.so".into() });
        let verify = case("ML-DSA-65", "verify", "branch");
        assert_eq!(known(&verify, &[Arc::new(Provider::new("branch", loaded.build_info.clone()))]), None);
        loaded.code = "liboqs".into();
        assert!(known(&verify, &[Arc::new(loaded)]).is_some());
    }

    #[test]
    fn a_defect_in_batch_verification_affects_only_batches() {
        let version = "ml-dsa 0.1.2, ed25519-dalek 3.0.0, sha2 0.11.0";
        let crates = BuildInfo { version: version.into(), build: String::new() };
        let crates = [Arc::new(Provider::new("rustcrypto", crates))];
        let defect_of = |algorithm: &str, operation: &str| known(&case(algorithm, operation, "rustcrypto"), &crates);
        assert!(defect_of("Ed25519", "verify-x100").is_some_and(|what| what.contains("batch verification decodes R")));
        assert_eq!([defect_of("Ed25519", "verify"), defect_of("MLDSA65-Ed25519-SHA512", "cycle")], [None, None]);
        let mut one_by_one = case("Ed25519", "verify-x100", "rustcrypto");
        one_by_one.parameters.push(Parameter::Flag("one-by-one".into()));
        assert_eq!(known(&one_by_one, &crates), None);
    }

    #[test]
    fn defects_name_the_affected_algorithms_and_operations() {
        let found = of_library(&provider("0.13.0", "CPU extensions found: avx avx2; no more"));
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("ML-DSA verify: ") && found[0].contains("norm of z"), "{found:?}");
        assert!(of_library(&provider("0.16.0", "CPU extensions found: avx avx2; no more")).is_empty());
    }

    #[test]
    fn marks_only_the_cases_that_a_defect_affects() {
        let vector = [provider("0.13.0", "CPU extensions found: avx avx2; no more")];
        for (algorithm, operation, id) in [
            ("ML-DSA-65", "verify", "liboqs"),
            ("ML-DSA-44", "verify-block", "liboqs"),
            ("TXv1-ML-DSA-65", "verify", "liboqs"),
            ("MLDSA65-Ed25519-SHA512", "verify", "aws-lc+liboqs"),
            ("MLDSA65-Ed25519-SHA512", "cycle", "aws-lc+liboqs"),
        ] {
            let found = known(&case(algorithm, operation, id), &vector);
            assert!(found.is_some_and(|found| found.contains("norm of z") && found.contains("UseHint")), "{algorithm}");
        }
        for (algorithm, operation, id) in [
            ("ML-DSA-65", "sign", "liboqs"),
            ("Falcon-512", "verify", "liboqs"),
            ("ML-DSA-65", "verify", "aws-lc"),
            ("ML-KEM-768", "decapsulate", "liboqs"),
        ] {
            assert_eq!(known(&case(algorithm, operation, id), &vector), None, "{algorithm} {operation} {id}");
        }
        let verify = case("ML-DSA-65", "verify", "liboqs");
        assert_eq!(known(&verify, &[provider("0.14.0", "avx2")]), None);
        assert_eq!(known(&verify, &[provider("0.13.0", "CPU extensions found: none")]), None);
    }
}
