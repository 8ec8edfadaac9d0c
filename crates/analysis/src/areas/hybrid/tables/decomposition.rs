//! Table of the time that hybrids take in addition to their halves.

use crate::areas::hybrid::{AREA, decompositions};
use crate::estimates::scaled;
use crate::number::decimals_of;
use crate::run::RunAnalysis;
use crate::table::{Cell, NS_PER_US, Table};

pub(crate) fn decomposition(analysis: &RunAnalysis<'_>) -> Table {
    let found = decompositions(analysis);
    let mut table = Table::new("decomposition", AREA, "Decomposition: what a hybrid costs in addition to its halves")
        .names("operation", "hybrid")
        .names("provider", "provider")
        .figures("classical", "classical", "µs", 1)
        .figures("post_quantum", "post-quantum", "µs", 2)
        .figures("hybrid", "whole", "µs", 0)
        .figures("combiner", "combiner", "µs", 0)
        .figures("combiner_pct", "vs halves", "%", 0);
    for parts in &found {
        let case = &parts.hybrid.case;
        let combiner = parts.combiner_ns();
        // Use one unit and one number of decimals for all figures, so that the printed figures add
        // up.
        let decimals = decimals_of(&scaled(&combiner, 1.0 / NS_PER_US)).min(3) + 1;
        let time = |ns: f64| Cell::number(format!("{:.decimals$} µs", ns / NS_PER_US), ns / NS_PER_US);
        let half = combiner.high - combiner.estimate;
        let text = format!("{:.decimals$} µs ±{:.decimals$}", combiner.estimate / NS_PER_US, half / NS_PER_US);
        let cells = [
            Cell::text(case.name()),
            Cell::text(&case.provider),
            time(parts.classical_ns),
            time(parts.post_quantum_ns),
            time(parts.hybrid_ns),
            time(combiner.estimate).within(text, &combiner, NS_PER_US),
            Cell::difference_within(&parts.combiner_pct),
        ];
        table.row([&parts.caveats], cells);
    }
    if let Some(area) = found.first().map(|parts| parts.hybrid.case.workload.clone()) {
        table.area = area;
    }
    table.note(
        "times: means over the rounds that measured the hybrid and both halves; combiner: the hybrid minus both halves",
    )
}
