//! A run in two or three sentences: which library for what, and how far that can be believed.

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

/// Recommendations that an answer names; the others stand in the report.
const NAMED: usize = 3;

/// Each sentence in a line.
pub fn answer(analysis: &RunAnalysis<'_>, found: &Findings) -> Vec<String> {
    let (first, then) = statements(analysis, found);
    let mut lines = first;
    lines.extend(found.recommendations.iter().take(NAMED).map(sentence));
    lines.extend(hybrid::in_parts(analysis));
    lines.extend(then);
    let more = found.recommendations.len().saturating_sub(NAMED);
    if more > 0 {
        lines.push(format!("And {more} more, each with its reason, on the cards of the report."));
    }
    if lines.is_empty() {
        lines.extend(nothing_recommended(analysis));
    }
    lines.extend(quality_sentence(analysis));
    lines.extend(of_which_runs(analysis));
    lines
}

/// Why nothing is recommended, with the number of cases for each reason; `None` for a run without figures.
fn nothing_recommended(analysis: &RunAnalysis<'_>) -> Option<String> {
    let measured = || analysis.cases().iter().filter(|case| !case.is_floor() && case.estimates.is_some());
    measured().next()?;
    if measured().any(CaseAnalysis::ranked) {
        return Some("Nothing is recommended: no job was measured with all of its operations.".to_owned());
    }
    let mut reasons: BTreeMap<NotRanked, usize> = BTreeMap::new();
    measured().filter_map(CaseAnalysis::not_ranked).for_each(|reason| *reasons.entry(reason).or_default() += 1);
    let reasons = reasons.iter().map(|(reason, count)| format!("{} {}", grouped(*count as u64), reason.text()));
    Some(format!("Nothing is recommended: no case is ranked ({}).", reasons.collect::<Vec<_>>().join(", ")))
}

/// What answers the question of the run's suite: what is said before anything is recommended, and what after it. Of several runs one
/// sentence for each area, after their recommendations.
fn statements(analysis: &RunAnalysis<'_>, found: &Findings) -> (Vec<String>, Vec<String>) {
    let line = |of: &Statement| format!("{}: {}.", of.about, of.text);
    if analysis.parts.len() > 1 {
        let of_areas = gathered(found.statements.iter().map(|of| (of.area.as_str(), of)));
        return (Vec::new(), of_areas.iter().map(|(_, all)| line(all[0])).collect());
    }
    let (first, then): (Vec<&Statement>, Vec<&Statement>) = found.statements.iter().partition(|of| of.first);
    (first.into_iter().map(line).collect(), then.into_iter().map(line).collect())
}

/// Which runs were put together, the newest first, and how many cases are of each; `None` for a run that is one.
fn of_which_runs(analysis: &RunAnalysis<'_>) -> Option<String> {
    let of = |part: &&RunHeader| {
        let cases = analysis.cases().iter().filter(|case| !case.is_floor() && case.header().id == part.id).count();
        let cases = if cases == 1 { "1 case".to_owned() } else { format!("{} cases", grouped(cases as u64)) };
        format!("{} {} ({}, {cases})", part.suite, part.id, part.started_at)
    };
    let parts: Vec<String> = analysis.parts.iter().map(of).collect();
    (parts.len() > 1).then(|| {
        format!(
            "Put together of {} runs of one machine and build, each job from one of them: {}.",
            parts.len(),
            parts.join(", ")
        )
    })
}

/// `Key exchange: ML-KEM-768 by aws-lc, 41.0 µs (40.8 to 41.2 µs), 24,400 a second on one core, not told apart from ...`.
fn sentence(of: &Recommendation) -> String {
    let Recommendation { use_case, algorithm, provider, figure, interval, rate, tied, .. } = of;
    let tied = if tied.is_empty() { String::new() } else { format!(", not told apart from {}", tied.join(" and ")) };
    let interval = if interval == "exact" { String::new() } else { format!(" ({interval})") };
    let rate = rate.as_ref().map_or(String::new(), |rate| format!(", {rate}"));
    format!("{use_case}: {algorithm} by {provider}, {figure}{interval}{rate}{tied}.")
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
        assert!(lines[0].starts_with("Key exchange: ML-KEM-512 by liboqs, mean 24.0 µs ("), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("Quality: "), "{lines:?}");
        assert!(lines.len() <= NAMED + 2 + found.statements.len());
        let mut nothing = fixtures::run();
        nothing.records.retain(|record| record.case.workload == "hash" && record.case.provider != "null");
        let analysis = RunAnalysis::of(&nothing);
        assert!(
            answer(&analysis, &Findings { statements: Vec::new(), recommendations: Vec::new(), ..findings(&analysis) })
                [0]
            .starts_with("Nothing")
        );
    }

    #[test]
    fn runs_that_were_put_together_are_named() {
        let mut later = fixtures::references_run();
        later.header.id = "later".into();
        later.header.started_at = "2027-01-01T00:00:00Z".into();
        later.records.truncate(1);
        later.header.plan.truncate(1);
        let merged = crate::Merged::of(vec![later, fixtures::run()]).unwrap();
        let analysis = merged.analysis();
        let lines = answer(&analysis, &findings(&analysis));
        let last = lines.last().unwrap();
        assert!(
            last.starts_with("Put together of 2 runs") && last.contains(" later (2027-01-01T00:00:00Z, 1 case), "),
            "{last}"
        );
    }
}
