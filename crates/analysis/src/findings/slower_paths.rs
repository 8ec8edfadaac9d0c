//! Finding on libraries whose source code does not use a CPU feature that other implementations use.

use crate::facts::{SlowerPath, facts};
use crate::group::distinct;
use crate::run::RunAnalysis;

/// Describes the finding. Does not claim a speed-up, because it rests on source code and not on the run.
pub(super) const WHAT: &str =
    "with unused CPU features: other implementations of these algorithms use them (from the source code, not measured)";

/// Lists, for each library in the run, the algorithms for which the library ignores a feature of the run's CPU. Other
/// implementations of these algorithms use the feature.
pub(super) fn details(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let features = &analysis.run.header.environment.cpu.features;
    let has = |feature: &String| features.contains(feature);
    let applies = |path: &SlowerPath| path.cpu_has.iter().all(has) && !path.cpu_lacks.iter().any(has);
    let mut details = Vec::new();
    for library in facts() {
        let version = analysis.run.header.environment.providers.iter().find(|build| build.id == library.library);
        if !version.is_some_and(|build| library.are_of(&build.version)) {
            continue;
        }
        for path in library.slower_paths.iter().filter(|path| applies(path)) {
            let rows = analysis.cases().iter().map(|row| row.case()).filter(|case| case.provider == library.library);
            let names = distinct(rows.map(|case| case.algorithm.clone()));
            let named: Vec<String> =
                names.into_iter().filter(|name| path.algorithms.iter().any(|start| name.starts_with(start))).collect();
            if !named.is_empty() {
                let features: Vec<String> = path.cpu_has.iter().map(|feature| shown(feature)).collect();
                details.push(format!(
                    "{}, {}: {}; this CPU has {}",
                    library.library,
                    named.join(", "),
                    path.runs,
                    features.join(" and ")
                ));
            }
        }
    }
    details
}

/// Formats a feature as CPU manuals do: `AVX-512VL`.
fn shown(feature: &str) -> String {
    feature.to_uppercase().replace("AVX512", "AVX-512")
}
