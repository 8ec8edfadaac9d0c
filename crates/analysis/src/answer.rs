//! A run in two or three sentences: which library for what, and how far that can be believed.

use crate::findings::{Findings, Recommendation};
use crate::run::RunAnalysis;
use crate::trust::publishable;

/// Recommendations that an answer names; the others stand in the report.
const NAMED: usize = 3;

/// Each sentence in a line.
pub fn answer(analysis: &RunAnalysis<'_>, found: &Findings) -> Vec<String> {
    let mut lines: Vec<String> = found.recommendations.iter().take(NAMED).map(sentence).collect();
    let more = found.recommendations.len().saturating_sub(NAMED);
    if more > 0 {
        lines.push(format!("And {more} more, with why, on the page of the report."));
    }
    if lines.is_empty() && analysis.cases().iter().any(|case| !case.is_floor() && case.estimates.is_some()) {
        lines.push("Nothing is recommended: no case of a job that this tool knows may be.".to_owned());
    }
    let believed = publishable(analysis).text;
    let mut letters = believed.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    lines.push(format!("{first}{}.", letters.as_str()));
    lines
}

/// `Key exchange: ML-KEM-768 by aws-lc, 41.0 µs (40.8 to 41.2 µs), not told apart from ...`.
fn sentence(of: &Recommendation) -> String {
    let Recommendation { use_case, algorithm, provider, figure, interval, tied, .. } = of;
    let tied = if tied.is_empty() { String::new() } else { format!(", not told apart from {}", tied.join(" and ")) };
    let interval = if interval == "exact" { String::new() } else { format!(" ({interval})") };
    format!("{use_case}: {algorithm} by {provider}, {figure}{interval}{tied}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::findings;
    use crate::fixtures;

    #[test]
    fn an_answer_names_what_is_recommended_and_how_far_it_can_be_believed() {
        let run = fixtures::references_run();
        let analysis = RunAnalysis::of(&run);
        let found = findings(&analysis);
        let lines = answer(&analysis, &found);
        assert!(lines[0].starts_with("Key exchange: ML-KEM-512 by liboqs, 24.0 µs ("), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("Publishable"), "{lines:?}");
        assert!(lines.len() <= NAMED + 2);
        let mut nothing = fixtures::run();
        nothing.records.retain(|record| record.case.workload == "hash" && record.case.provider != "null");
        let analysis = RunAnalysis::of(&nothing);
        assert!(
            answer(&analysis, &Findings { recommendations: Vec::new(), ..findings(&analysis) })[0]
                .starts_with("Nothing")
        );
    }
}
