//! Which kind of randomness a finding is about.

use super::use_cases::{AGAINST, UseCase};
use super::{Cost, Recommendation, rows};
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::kinds::randomness;
use crate::run::RunAnalysis;

/// The recommendation with the kind of randomness that it is about, and the libraries that do other work.
pub(super) fn recommended(analysis: &RunAnalysis<'_>, use_case: &UseCase, found: Recommendation) -> Recommendation {
    let of = rows(analysis, use_case.area, use_case.operations, use_case.parameter);
    let same = |row: &&&CaseAnalysis<'_>| row.case().algorithm == found.algorithm;
    let words = randomness(of.cases.iter().filter(same).map(|row| row.case()));
    let others = of.left_out.iter().filter(|row| (use_case.algorithms)(&row.case().algorithm));
    let others = distinct(others.map(|row| (row.case().provider.clone(), randomness([row.case()]))));
    let others: Vec<String> = others
        .into_iter()
        .map(|(provider, words)| {
            let words = if words.is_empty() { "draws its randomness" } else { &words };
            format!("{} ({words})", analysis.by(&provider))
        })
        .collect();
    let mut found = found;
    if !words.is_empty() {
        found.what = format!("{}, {words}", found.what);
    }
    if !others.is_empty() {
        let why = found.why.trim_end_matches('.');
        found.why = format!("{why}; left out for another kind of randomness: {}.", others.join(", "));
    }
    found
}

/// The cost with the kind of randomness that it is about.
pub(super) fn cost(analysis: &RunAnalysis<'_>, found: Cost) -> Cost {
    let sides = (found.what.as_str(), found.post_quantum.0.as_str(), found.classical.0.as_str());
    let of = AGAINST.iter().find(|(what, _, _, new, old)| (*what, *new, *old) == sides);
    let words = of.map(|(_, area, operations, new, _)| {
        let rows = rows(analysis, area, operations, None).cases;
        randomness(rows.iter().map(|row| row.case()).filter(|case| case.algorithm == *new))
    });
    match words.filter(|words| !words.is_empty()) {
        Some(words) => Cost { what: format!("{}, {words}", found.what), ..found },
        None => found,
    }
}
