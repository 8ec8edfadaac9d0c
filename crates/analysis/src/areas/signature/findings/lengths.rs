//! Findings about the message length above which hashing dominates signing or verification.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::number::memory;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, times};

const OPERATIONS: [(&str, &str); 2] = [("sign", "signing"), ("verify", "verifying")];
/// Minimum number of message lengths for a statement.
const FEWEST: usize = 3;
/// Maximum message length, in bytes, for which the finding shows the cost. If no message except the shortest is within
/// this limit, the finding shows the cost of the longest.
const SHOWN: u64 = 16 * 1024;
/// Minimum slowdown, compared with the shortest message, for hashing to count as dominant.
const MOSTLY: f64 = 2.0;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let rows: Vec<&CaseAnalysis<'_>> = analysis
        .area(AREA)
        .filter(|of| of.usual() && of.median().is_some() && of.case().message_length().is_some())
        .collect();
    let statement = |(algorithm, rows): (String, Vec<&&CaseAnalysis<'_>>)| {
        let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().copied().collect();
        let describe = |(operation, verb): (&str, &str)| {
            let rows_of: Vec<&CaseAnalysis<'_>> =
                rows.iter().copied().filter(|case| case.case().operation == operation).collect();
            curve(analysis, &rows_of, verb)
        };
        let parts: Vec<String> = OPERATIONS.into_iter().filter_map(describe).collect();
        (!parts.is_empty())
            .then(|| Statement::new(AREA, format!("Long messages with {algorithm}"), parts.join("; ")).first())
    };
    grouped(rows.iter(), |case| case.case().algorithm.clone()).into_iter().filter_map(statement).collect()
}

/// Describes how the time of one operation grows with the message length, for the library that is fastest at the
/// shortest length.
fn curve<'a>(analysis: &RunAnalysis<'a>, rows: &[&CaseAnalysis<'a>], verb: &str) -> Option<String> {
    let length = |case: &CaseAnalysis<'_>| case.case().message_length().unwrap_or(0);
    let mut lengths = distinct(rows.iter().map(|case| length(case)));
    lengths.sort_unstable();
    let (shortest, longest) = (*lengths.first()?, *lengths.last()?);
    if lengths.len() < FEWEST {
        return None;
    }
    let short: Vec<&CaseAnalysis<'a>> = rows.iter().copied().filter(|case| length(case) == shortest).collect();
    let found = fastest_case(analysis, &short)?;
    let first = found.best[0];
    let at = |wanted: u64| {
        rows.iter().copied().find(|case| length(case) == wanted && case.case().provider == first.case().provider)
    };
    let is_mostly_hash = |wanted: &&u64| {
        let ratio = at(**wanted).and_then(|case| analysis.ratio(&[first], &[case])?.ratio);
        ratio.is_some_and(|found| found.ratio.low >= MOSTLY)
    };
    let shown =
        lengths.iter().copied().rfind(|length| *length <= SHOWN).filter(|length| *length > shortest).unwrap_or(longest);
    let ratio = times(analysis, &[first], &[at(shown)?])?;
    let hash = match lengths.iter().find(is_mostly_hash) {
        Some(from) => format!("hashing dominates from {}", memory(*from)),
        None => format!("hashing does not dominate up to {}", memory(longest)),
    };
    Some(format!("{ratio} for {verb} {} compared with {} by {}, and {hash}", memory(shown), memory(shortest), found.by))
}
