//! What a hybrid costs beyond its halves.

use super::{Cell, Table};
use crate::decomposition::decompositions;
use crate::number::time;
use crate::run::RunAnalysis;
use pqlab_record::Unit;

pub(super) fn decomposition(analysis: &RunAnalysis<'_>) -> Table {
    let found = decompositions(analysis);
    let mut table = Table::new("decomposition", "hybrid", "Decomposition: what a hybrid takes beyond its halves")
        .names("operation", "hybrid")
        .names("provider", "provider")
        .figures("classical", "classical", "µs", 1)
        .figures("post_quantum", "post-quantum", "µs", 2)
        .figures("hybrid", "whole", "µs", 0)
        .figures("combiner", "combiner", "µs", 0)
        .figures("combiner_pct", "of the halves", "%", 0);
    let in_cycles = found.iter().filter(|of| of.unit == Unit::CoreCycles).count();
    let judged = match (in_cycles, found.len()) {
        (0, _) => "",
        (some, all) if some == all => ", in core cycles",
        _ => ", in core cycles where all three have them",
    };
    for of in &found {
        let case = &of.hybrid.case;
        let combiner = of.combiner_ns();
        let sign = if combiner < 0.0 { "-" } else { "" };
        let cells = [
            Cell::text(case.name()),
            Cell::text(&case.provider),
            Cell::time(of.classical_ns),
            Cell::time(of.post_quantum_ns),
            Cell::time(of.hybrid_ns),
            Cell::number(format!("{sign}{}", time(combiner.abs())), combiner / super::NS_PER_US),
            Cell::difference_within(&of.combiner_pct),
        ];
        table.row([&of.caveats], cells);
    }
    if let Some(area) = found.first().map(|of| of.hybrid.case.workload.clone()) {
        table.area = area;
    }
    table.note(format!("means of the same rounds; combiner: the hybrid less both halves{judged}"))
}
