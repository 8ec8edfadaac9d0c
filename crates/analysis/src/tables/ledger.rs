//! Transactions: schemes side by side, blocks from small to large, and the codec.

use super::{Cell, Table};
use crate::ledger::{AREA, comparison, scaling};
use crate::libraries::shown;
use crate::run::RunAnalysis;

/// Operations of the codec.
const CODEC: [&str; 2] = ["encode", "decode"];

pub(super) fn schemes(analysis: &RunAnalysis<'_>) -> Table {
    let compared = comparison(analysis);
    // What all rows have in common stands above them.
    let common = compared.first().filter(|first| compared.iter().all(|scheme| scheme.what == first.what));
    let title = common.map_or_else(
        || "Ledger: schemes, for one transaction".to_owned(),
        |first| format!("Ledger: schemes, for one transaction, by {}", first.what),
    );
    let mut table = Table::new("ledger-schemes", AREA, title)
        .names("scheme", "scheme")
        .names("provider", "provider")
        .figures("verify", "verify", "µs", 0)
        .figures("rate", "tx/s", "1/s", 2)
        .figures("bytes", "bytes/tx", "B", 1)
        .names("quantum_safe", "quantum-safe");
    if common.is_none() {
        table = table.prose("measured_as", "measured as", 3);
    }
    for scheme in &compared {
        let mut cells = vec![
            Cell::text(&scheme.algorithm),
            Cell::text(shown(&scheme.provider)),
            Cell::time_within(&scheme.verify_ns),
            Cell::rate(scheme.per_second),
            Cell::of(scheme.bytes, Cell::whole),
            Cell::text(if scheme.quantum_safe { "yes" } else { "no" }),
        ];
        if common.is_none() {
            cells.push(Cell::text(brackets(&scheme.what)));
        }
        table.row([&scheme.caveats], cells);
    }
    table
}

pub(super) fn blocks(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("ledger-blocks", AREA, "Ledger: blocks from small to large")
        .names("series", "scheme")
        .figures("transactions", "transactions", "", 0)
        .figures("time", "the block", "ms", 0)
        .figures("each", "a transaction", "µs", 0)
        .figures("rate", "tx/s", "1/s", 0);
    for row in scaling(analysis) {
        for block in &row.blocks {
            let each = block.time_ns.estimate / block.transactions as f64;
            let whole = Cell::time_within(&block.time_ns);
            let cells = [
                Cell::text(&row.series),
                Cell::whole(block.transactions),
                whole.scaled(1e-3),
                Cell::time(each),
                Cell::rate(if each > 0.0 { 1e9 / each } else { 0.0 }),
            ];
            table.row([&block.caveats], cells);
        }
    }
    table
}

pub(super) fn codec(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("ledger-codec", AREA, "Ledger: transactions to bytes and back")
        .names("scheme", "scheme")
        .names("provider", "provider")
        .names("operation", "operation")
        .figures("time", "a transaction", "µs", 0)
        .figures("rate", "tx/s", "1/s", 0)
        .figures("bytes", "bytes/tx", "B", 1);
    for of in analysis.area(AREA).filter(|of| CODEC.contains(&of.case().operation.as_str())) {
        let (case, Some(estimates)) = (of.case(), &of.estimates) else { continue };
        let cells = [
            Cell::text(&case.algorithm),
            Cell::text(&case.provider),
            Cell::text(case.name().split_once(' ').map_or("", |(_, what)| what)),
            Cell::time_within(&estimates.median_ns),
            Cell::of(estimates.operations_per_second(), |rate| Cell::rate_within(&rate)),
            Cell::of(case.facts.bytes, Cell::whole),
        ];
        table.row([&of.caveats], cells);
    }
    table.note("decoding checks form and lengths and verifies no signature; it hardly copies, so bytes a second would say nothing")
}

/// Of `verify-block[encoded,tx=100]` the brackets, which tell one from another; all of what has none.
fn brackets(what: &str) -> String {
    what.split_once('[').map_or_else(|| what.to_owned(), |(_, rest)| rest.trim_end_matches(']').to_owned())
}
