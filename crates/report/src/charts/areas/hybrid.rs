//! Chart of hybrids and their halves.

use crate::charts::stack::{Bar, MOST, stacked};
use crate::charts::{Chart, slug};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::hybrid::{Decomposition, decompositions};

/// Ledger operations without cryptography: they neither sign nor verify.
const UNCRYPTOGRAPHIC: [&str; 2] = ["encode", "decode"];

/// Draws each hybrid with its halves, which were measured in the same rounds. If the run contains single operations,
/// leaves out blocks and operations without cryptography, because they need a different scale.
pub(crate) fn halves(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let bar = |one: Decomposition<'_>| {
        let case = &one.hybrid.case;
        Bar {
            name: case.name(),
            provider: case.provider.clone(),
            parts: vec![one.classical_ns, one.post_quantum_ns, one.combiner_ns().estimate.max(0.0)],
            whole: Some(one.hybrid_ns),
        }
    };
    let mut of_area = decompositions(analysis);
    of_area.retain(|one| one.hybrid.case.workload == area);
    let cryptography = |one: &Decomposition<'_>| {
        let case = &one.hybrid.case;
        case.transactions().is_none() && !UNCRYPTOGRAPHIC.contains(&case.operation.as_str())
    };
    if of_area.iter().any(cryptography) {
        of_area.retain(cryptography);
    }
    let note = "Means over the same rounds. The overhead is the hybrid minus both halves, drawn only if it is \
                positive. The line is the hybrid.";
    let parts = ["classical half", "post-quantum half", "overhead"];
    let title = format!("{area}: hybrids and their halves");
    stacked(&format!("halves-{}", slug(area)), &title, &parts, of_area.into_iter().map(bar).collect(), MOST, note)
}
