//! Findings for runs that no use case covers: the fastest library for each measured operation.

use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time};

/// Maximum number of operations listed for an area.
const NAMED: usize = 6;

/// Names the fastest library for each operation of an area. Considers usual cases, or all cases if none is usual.
pub(super) fn statements(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Statement> {
    let groups = analysis.groups(area);
    let usual = groups.iter().any(|group| group.cases.iter().any(|case| case.usual()));
    let statement = |cases: &[&CaseAnalysis<'_>], job: &str| {
        let rows: Vec<&CaseAnalysis<'_>> = cases.iter().map(|case| &analysis.cases()[case.place]).collect();
        let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().filter(|case| case.usual() || !usual).collect();
        let found = fastest_case(analysis, &rows)?;
        let mut text = format!("{} by {}", time(analysis, &found.best)?, found.by);
        let disturbed = disturbed_and_faster(&rows, &found.best);
        let ranked = if disturbed.is_empty() { "the fastest" } else { "the fastest ranked library" };
        if let Some(next) = &found.next {
            text = format!("{text}, {ranked}; {next}");
        } else if !disturbed.is_empty() {
            text = format!("{text}, {ranked}");
        }
        if !disturbed.is_empty() {
            text = format!("{text}; faster, but disturbed: {}", disturbed.join(", "));
        }
        Some(Statement::new(area, job, text))
    };
    let mut all: Vec<Statement> = groups.iter().filter_map(|group| statement(&group.cases, &group.job)).collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(Statement::new(area, "Other operations", format!("{more} more in the tables")));
    }
    all
}

/// Returns the providers of disturbed cases that took less time than the best case.
fn disturbed_and_faster<'a>(rows: &[&CaseAnalysis<'a>], best: &[&CaseAnalysis<'a>]) -> Vec<&'a str> {
    let time = |case: &CaseAnalysis<'_>| case.estimates.as_ref().map(|estimates| estimates.headline_ns().estimate);
    let Some(limit) = best.first().and_then(|best| time(best)) else { return Vec::new() };
    let disturbed = rows.iter().filter(|case| case.not_ranked() == Some(NotRanked::Disturbed));
    disturbed
        .filter(|case| time(case).is_some_and(|time| time < limit))
        .map(|case| case.case().provider.as_str())
        .collect()
}
