//! Adds the kind of randomness to the findings that depend on it.

use super::{Cost, against, rows};
use crate::areas::hybrid::OF_REFERENCE;
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::kinds::{one_kind, randomness};
use crate::recommendation::{Candidate, Recommendation, UseCase};
use crate::run::RunAnalysis;
use std::collections::HashSet;

/// Keeps the candidates with the kind of randomness that most libraries support.
pub(super) fn retain_one_kind(all: &mut Vec<Candidate<'_, '_>>) {
    let parts = all.iter().flat_map(|one| one.parts.iter().copied()).collect();
    let other: HashSet<usize> = one_kind(parts).left_out.into_iter().map(|row| row.place).collect();
    all.retain(|one| one.parts.iter().all(|row| !other.contains(&row.place)));
}

/// Adds the kind of randomness to a recommendation, and names the libraries that were left out because they use a
/// different kind.
pub(super) fn note_kind(analysis: &RunAnalysis<'_>, use_case: &UseCase, found: Recommendation) -> Recommendation {
    let kinds = rows(analysis, use_case.area, use_case.operations, use_case.transactions);
    let is_best = |row: &&&CaseAnalysis<'_>| row.case().algorithm == found.algorithm;
    let best: Vec<_> = kinds.cases.iter().filter(is_best).map(|row| row.case()).collect();
    let is_reference = |name: &str| OF_REFERENCE.contains(&name);
    let suits = |name: &str| (use_case.algorithms)(name) && is_reference(name) == is_reference(&found.algorithm);
    let others = kinds.cases.iter().chain(&kinds.left_out).map(|row| row.case()).filter(|case| suits(&case.algorithm));
    let others =
        others.filter(|case| best.iter().all(|best| best.operation != case.operation || !best.comparable(case)));
    let name = |case: &pqlab_record::Case| {
        let words = randomness([case]);
        let words = if words.is_empty() { "uses its own randomness" } else { &words };
        let provider = analysis.by(&case.provider);
        match case.algorithm == found.algorithm {
            true => format!("{provider} ({words})"),
            false => format!("{} by {provider} ({words})", case.algorithm),
        }
    };
    let others = distinct(others.map(name));
    let words = randomness(best.iter().copied());
    let mut found = found;
    if !words.is_empty() {
        found.what = format!("{} ({words})", found.what);
    }
    if !others.is_empty() {
        let why = found.why.trim_end_matches('.');
        found.why = format!("{why}; left out because their randomness differs: {}.", others.join(", "));
    }
    found
}

/// Adds the kind of randomness to a cost, or both kinds if the two sides differ.
pub(super) fn note_cost_kind(analysis: &RunAnalysis<'_>, found: Cost) -> Cost {
    let sides = (found.what.as_str(), found.post_quantum.algorithm.as_str(), found.classical.algorithm.as_str());
    let Some((_, area, operations, new, old)) = against().find(|(what, _, _, new, old)| (*what, *new, *old) == sides)
    else {
        return found;
    };
    let rows = rows(analysis, area, operations, None).cases;
    let kind_of = |name: &str| randomness(rows.iter().map(|row| row.case()).filter(|case| case.algorithm == name));
    let what = match (kind_of(new), kind_of(old)) {
        (new, old) if new.is_empty() && old.is_empty() => return found,
        (new, old) if new == old => format!("{} ({new})", found.what),
        (new, old) => {
            let words = |words: String| if words.is_empty() { "the library's own".to_owned() } else { words };
            format!("{} (randomness: {} vs {})", found.what, words(new), words(old))
        }
    };
    Cost { what, ..found }
}
