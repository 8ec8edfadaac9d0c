//! Hybrids beside their halves.

use crate::charts::stack::{Bar, MOST, stacked};
use crate::charts::{Chart, slug};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::hybrid::{Decomposition, decompositions};

/// Operations of the ledger that sign and verify nothing.
const UNCRYPTOGRAPHIC: [&str; 2] = ["encode", "decode"];

/// Each hybrid beside its halves alone, measured in the same rounds. Where single operations were measured, blocks of them
/// and what takes no cryptography are left to the table: they have another scale.
pub(crate) fn halves(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let bar = |of: Decomposition<'_>| {
        let case = &of.hybrid.case;
        Bar {
            name: case.name(),
            provider: case.provider.clone(),
            parts: vec![of.classical_ns, of.post_quantum_ns, of.combiner_ns().estimate.max(0.0)],
            whole: Some(of.hybrid_ns),
        }
    };
    let mut of_area = decompositions(analysis);
    of_area.retain(|of| of.hybrid.case.workload == area);
    let cryptography = |of: &Decomposition<'_>| {
        let case = &of.hybrid.case;
        case.transactions().is_none() && !UNCRYPTOGRAPHIC.contains(&case.operation.as_str())
    };
    if of_area.iter().any(cryptography) {
        of_area.retain(cryptography);
    }
    let note = "Means of the same rounds. The overhead is the hybrid less both halves, not drawn where the hybrid took no longer \
                than these; the line is the hybrid.";
    let parts = ["classical half", "post-quantum half", "overhead"];
    let title = format!("{area}: hybrids and their halves");
    stacked(&format!("halves-{}", slug(area)), &title, &parts, of_area.into_iter().map(bar).collect(), MOST, note)
}
