//! Findings for runs that no use case covers: the fastest library for each measured operation.

use crate::case::CaseAnalysis;
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
        if let Some(next) = &found.next {
            text = format!("{text}, the fastest; {next}");
        }
        Some(Statement::new(area, job, text))
    };
    let mut all: Vec<Statement> = groups.iter().filter_map(|group| statement(&group.cases, &group.job)).collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(Statement::new(area, "Other operations", format!("{more} more operations are in the tables")));
    }
    all
}
