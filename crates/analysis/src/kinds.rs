//! Selects cases that do the same kind of work, so that they can be compared. A case with caller-supplied randomness
//! does different work from a case that uses the library's own randomness.

use crate::case::CaseAnalysis;
use crate::group::{distinct, gathered};
use pqlab_record::Case;

/// Cases of one kind of randomness, and all other cases.
pub(crate) struct OneKind<'r, 'a> {
    /// Cases of the kind that most libraries support, and cases that use no randomness.
    pub(crate) cases: Vec<&'r CaseAnalysis<'a>>,
    /// All other cases.
    pub(crate) left_out: Vec<&'r CaseAnalysis<'a>>,
}

/// Splits cases by the kind of randomness that most libraries support. If several kinds have equally many libraries,
/// prefers the library's own randomness.
pub(crate) fn one_kind<'r, 'a>(cases: Vec<&'r CaseAnalysis<'a>>) -> OneKind<'r, 'a> {
    let draws = |case: &Case| case.coins().is_some() || case.is_deterministic();
    let kinds = gathered(cases.iter().map(|one| one.case()).filter(|case| draws(case)).map(|case| {
        let kind = case.kind();
        ((kind.exact_coins, kind.deterministic), case)
    }));
    let libraries = |cases: &[&Case]| distinct(cases.iter().map(|case| case.provider.as_str())).len();
    let most = kinds.iter().max_by_key(|((exact, deterministic), cases)| (libraries(cases), !exact, !deterministic));
    let Some((_, of_kind)) = most else { return OneKind { cases, left_out: Vec::new() } };
    let kept = |one: &&CaseAnalysis<'a>| of_kind.iter().any(|case| case.comparable(one.case()));
    let (cases, left_out) = cases.into_iter().partition(kept);
    OneKind { cases, left_out }
}

/// Describes the kind of randomness that the cases use: `deterministic signing, caller-supplied randomness`. Empty for the
/// library's own randomness.
pub(crate) fn randomness<'c>(cases: impl IntoIterator<Item = &'c Case>) -> String {
    let kinds: Vec<_> = cases.into_iter().map(Case::kind).collect();
    let deterministic = kinds.iter().any(|kind| kind.deterministic).then_some("deterministic signing");
    let given = kinds.iter().any(|kind| kind.exact_coins).then_some("caller-supplied randomness");
    deterministic.into_iter().chain(given).collect::<Vec<_>>().join(", ")
}
