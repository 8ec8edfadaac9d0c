//! Signatures: single operations, batches, lengths, and the cost of long messages.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_stats::Description;

pub(crate) const AREA: &str = "signature";

/// Name under which the workload records the length of each signature in bytes.
const SIGNATURE_BYTES: &str = "signature_bytes";

/// Returns the case of `algorithm` for which the most signature lengths were recorded, and a description of the
/// lengths. Returns `None` if no case recorded any.
pub(crate) fn most_lengths<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    algorithm: &str,
) -> Option<(&'r CaseAnalysis<'a>, &'r Description)> {
    let lengths = |case: &'r CaseAnalysis<'a>| Some((case, case.estimates.as_ref()?.extra(SIGNATURE_BYTES)?));
    let all = analysis.area(AREA).filter(|case| case.case().algorithm == algorithm).filter_map(lengths);
    // If several cases recorded equally many lengths, keep the first.
    all.fold(None, |best: Option<(&CaseAnalysis<'a>, &Description)>, one| match best {
        Some(best) if best.1.n >= one.1.n => Some(best),
        _ => Some(one),
    })
}
