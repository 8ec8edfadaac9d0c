//! Message length from which a signature is mostly hashing.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::number::memory;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, times};

const OPERATIONS: [(&str, &str); 2] = [("sign", "signing"), ("verify", "verifying")];
/// Fewest lengths that make a curve.
const FEWEST: usize = 3;
/// A length whose price is shown, in bytes.
const SHOWN: u64 = 16 * 1024;
/// So many times as long as for the shortest message takes what is mostly a hash.
const MOSTLY: f64 = 2.0;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let rows: Vec<&CaseAnalysis<'_>> = analysis
        .area(AREA)
        .filter(|of| of.usual() && of.median().is_some() && of.case().message_length().is_some())
        .collect();
    let statement = |(algorithm, rows): (String, Vec<&&CaseAnalysis<'_>>)| {
        let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().copied().collect();
        let done = |(operation, verb): (&str, &str)| {
            let of: Vec<&CaseAnalysis<'_>> =
                rows.iter().copied().filter(|of| of.case().operation == operation).collect();
            curve(analysis, &of, verb)
        };
        let parts: Vec<String> = OPERATIONS.into_iter().filter_map(done).collect();
        (!parts.is_empty())
            .then(|| Statement::new(AREA, format!("Long messages with {algorithm}"), parts.join("; ")).first())
    };
    grouped(rows.iter(), |of| of.case().algorithm.clone()).into_iter().filter_map(statement).collect()
}

/// What one operation takes from the shortest message to the longest, by the library that is the fastest at the shortest.
fn curve<'a>(analysis: &RunAnalysis<'a>, rows: &[&CaseAnalysis<'a>], verb: &str) -> Option<String> {
    let length = |of: &CaseAnalysis<'_>| of.case().message_length().unwrap_or(0);
    let mut lengths = distinct(rows.iter().map(|of| length(of)));
    lengths.sort_unstable();
    let (shortest, longest) = (*lengths.first()?, *lengths.last()?);
    if lengths.len() < FEWEST {
        return None;
    }
    let short: Vec<&CaseAnalysis<'a>> = rows.iter().copied().filter(|of| length(of) == shortest).collect();
    let found = fastest_case(analysis, &short)?;
    let first = found.best[0];
    let at = |wanted: u64| {
        rows.iter().copied().find(|of| length(of) == wanted && of.case().provider == first.case().provider)
    };
    let is_mostly_hash = |wanted: &&u64| {
        let ratio = at(**wanted).and_then(|of| analysis.ratio(&[first], &[of])?.ratio);
        ratio.is_some_and(|of| of.ratio.low >= MOSTLY)
    };
    let shown =
        lengths.iter().copied().rfind(|length| *length <= SHOWN).filter(|length| *length > shortest).unwrap_or(longest);
    let ratio = times(analysis, &[first], &[at(shown)?])?;
    let hash = match lengths.iter().find(is_mostly_hash) {
        Some(from) => format!("mostly hashing from {} on", memory(*from)),
        None => format!("not mostly hashing up to {}", memory(longest)),
    };
    Some(format!("{ratio} the time of {} for {verb} {} by {}, {hash}", memory(shortest), memory(shown), found.by))
}
