//! Summarizes a run in a few sentences: the recommended library for each use case, and the quality of the measurement.

use crate::areas::hybrid;
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::findings::{Findings, Recommendation, Statement};
use crate::group::gathered;
use crate::number::grouped;
use crate::run::RunAnalysis;
use crate::trust::quality_sentence;
use pqlab_record::RunHeader;
use std::collections::BTreeMap;

/// Maximum number of recommendations in an answer. The report lists the others.
const NAMED: usize = 3;

/// Returns the sentences of [`answer`], one per line, without the recommendations and the quality sentence. Web pages
/// show these separately.
pub fn remarks(analysis: &RunAnalysis<'_>, found: &Findings) -> Vec<String> {
    let (mut lines, last) = statements(analysis, found);
    lines.extend(hybrid::in_parts(analysis));
    lines.extend(last);
    if lines.is_empty() && found.recommendations.is_empty() {
        lines.extend(nothing_recommended(analysis));
    }
    lines.extend(merged_runs(analysis));
    lines
}

/// Summarizes a run, one sentence per line: statements, the first few recommendations, and the quality of the
/// measurement.
pub fn answer(analysis: &RunAnalysis<'_>, found: &Findings) -> Vec<String> {
    let (first, last) = statements(analysis, found);
    let mut lines = first;
    lines.extend(found.recommendations.iter().take(NAMED).map(sentence));
    lines.extend(hybrid::in_parts(analysis));
    lines.extend(last);
    let more = found.recommendations.len().saturating_sub(NAMED);
    if more > 0 {
        let noun = if more == 1 { "recommendation" } else { "recommendations" };
        lines.push(format!("`pqlab report` gives reasons and {more} more {noun}."));
    }
    if lines.is_empty() {
        lines.extend(nothing_recommended(analysis));
    }
    lines.extend(quality_sentence(analysis));
    lines.extend(merged_runs(analysis));
    lines
}

/// Explains why there is no recommendation, with the number of cases for each reason. Returns `None` if nothing was
/// measured.
fn nothing_recommended(analysis: &RunAnalysis<'_>) -> Option<String> {
    let measured = || analysis.cases().iter().filter(|case| !case.is_floor() && case.estimates.is_some());
    measured().next()?;
    if measured().any(CaseAnalysis::ranked) {
        return Some(
            "Nothing is recommended, because the run lacks at least one operation of every use case.".to_owned(),
        );
    }
    let mut reasons: BTreeMap<NotRanked, usize> = BTreeMap::new();
    measured().filter_map(CaseAnalysis::not_ranked).for_each(|reason| *reasons.entry(reason).or_default() += 1);
    let reasons = reasons.iter().map(|(reason, count)| format!("{}: {}", reason.text(), grouped(*count as u64)));
    Some(format!("Nothing is recommended, because no case is ranked ({}).", reasons.collect::<Vec<_>>().join(", ")))
}

/// Returns two lists of statements: one to show before the recommendations, and one to show after them. For merged
/// runs, keeps only the first statement for each area, and shows it after the recommendations.
fn statements(analysis: &RunAnalysis<'_>, found: &Findings) -> (Vec<String>, Vec<String>) {
    let line = |statement: &Statement| format!("{}: {}.", statement.about, statement.text);
    if analysis.parts.len() > 1 {
        let of_areas = gathered(found.statements.iter().map(|statement| (statement.area.as_str(), statement)));
        return (Vec::new(), of_areas.iter().map(|(_, all)| line(all[0])).collect());
    }
    let (first, last): (Vec<&Statement>, Vec<&Statement>) =
        found.statements.iter().partition(|statement| statement.first);
    (first.into_iter().map(line).collect(), last.into_iter().map(line).collect())
}

/// Lists the merged runs, newest first, with the number of cases taken from each run. Returns `None` for a single run.
fn merged_runs(analysis: &RunAnalysis<'_>) -> Option<String> {
    let describe = |part: &&RunHeader| {
        let cases = analysis.cases().iter().filter(|case| !case.is_floor() && case.header().id == part.id).count();
        let cases = if cases == 1 { "1 case".to_owned() } else { format!("{} cases", grouped(cases as u64)) };
        format!("{} {} ({}, {cases})", part.suite, part.id, part.started_at)
    };
    let parts: Vec<String> = analysis.parts.iter().map(describe).collect();
    (parts.len() > 1).then(|| {
        format!(
            "Merged from {} runs of the same build on the same machine: {}. Only cases from the same run are ranked \
             together.",
            parts.len(),
            parts.join(", ")
        )
    })
}

/// Formats a recommendation: `Key exchange: ML-KEM-768 by aws-lc, 41.0 µs (40.8 to 41.2 µs), 24,400 a second on one
/// core, tied with ...`. Names the first caution, and counts the others.
fn sentence(recommendation: &Recommendation) -> String {
    let Recommendation { use_case, algorithm, provider, figure, interval, rate, cautions, tied, .. } = recommendation;
    let tied = if tied.is_empty() { String::new() } else { format!(", tied with {}", tied.join(" and ")) };
    let interval = if interval == "exact" { String::new() } else { format!(" ({interval})") };
    let rate = rate.as_ref().map_or(String::new(), |rate| format!(", {rate}"));
    let caution = match &cautions[..] {
        [] => String::new(),
        [only] => format!("; {only}"),
        [first, others @ ..] => format!("; {first}, and {} more", others.len()),
    };
    format!("{use_case}: {algorithm} by {provider}, {figure}{interval}{rate}{tied}{caution}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::findings;
    use crate::fixtures;

    #[test]
    fn answers_name_recommendations_and_quality() {
        let run = fixtures::references_run();
        let analysis = RunAnalysis::new(&run);
        let found = findings(&analysis);
        let lines = answer(&analysis, &found);
        assert!(lines[0].starts_with("Key exchange: ML-KEM-512 by liboqs, mean 24.0 µs ("), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("Quality: "), "{lines:?}");
        assert!(lines.len() <= NAMED + 2 + found.statements.len());
        let mut nothing = fixtures::run();
        nothing.records.retain(|record| record.case.workload == "hash" && record.case.provider != "null");
        let analysis = RunAnalysis::new(&nothing);
        assert!(
            answer(&analysis, &Findings { statements: Vec::new(), recommendations: Vec::new(), ..findings(&analysis) })
                [0]
            .starts_with("Nothing")
        );
    }

    #[test]
    fn merged_runs_are_listed() {
        let mut later = fixtures::references_run();
        later.header.id = "later".into();
        later.header.started_at = "2027-01-01T00:00:00Z".into();
        later.records.truncate(1);
        later.header.plan.truncate(1);
        let merged = crate::Merged::new(vec![later, fixtures::run()]).unwrap();
        let analysis = merged.analysis();
        let lines = answer(&analysis, &findings(&analysis));
        let last = lines.last().unwrap();
        assert!(
            last.starts_with("Merged from 2 runs") && last.contains(" later (2027-01-01T00:00:00Z, 1 case), "),
            "{last}"
        );
    }
}
