//! Signatures: one at a time and in batches, how long they are, what their messages cost.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_stats::Description;

/// The area.
pub(crate) const AREA: &str = "signature";

/// Under this name the workload keeps the length in bytes of each signature.
const SIGNATURE_BYTES: &str = "signature_bytes";

/// The case of an algorithm that has seen the most lengths.
pub(crate) fn most_lengths<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    algorithm: &str,
) -> Option<(&'r CaseAnalysis<'a>, &'r Description)> {
    let lengths = |of: &'r CaseAnalysis<'a>| Some((of, of.estimates.as_ref()?.extra(SIGNATURE_BYTES)?));
    let all = analysis.area(AREA).filter(|of| of.case().algorithm == algorithm).filter_map(lengths);
    // The first of those that have seen as many.
    all.fold(None, |best: Option<(&CaseAnalysis<'a>, &Description)>, one| match best {
        Some(best) if best.1.n >= one.1.n => Some(best),
        _ => Some(one),
    })
}
