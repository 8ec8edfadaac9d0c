//! Tables of transactions: schemes side by side, blocks from small to large, and the codec.

use super::{AREA, comparison, scaling};
use crate::facts::shown;
use crate::rate::rate;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::Form;

/// Operations that encode or decode transactions.
const CODEC: [&str; 2] = ["encode", "decode"];

pub(crate) fn schemes(analysis: &RunAnalysis<'_>) -> Table {
    let compared = comparison(analysis);
    // If all rows measured the same operation, name it in the title.
    let common = compared.first().filter(|first| compared.iter().all(|scheme| scheme.what == first.what));
    let title = common.map_or_else(
        || "Ledger: cost per transaction, by scheme".to_owned(),
        |first| format!("Ledger: cost per transaction, by scheme, measured with {}", first.what),
    );
    let mut table = Table::new("ledger-schemes", AREA, title)
        .names("scheme", "scheme")
        .names("provider", "provider")
        .names("form", "keys")
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
            Cell::text(form(scheme.form)),
            Cell::time_within(&scheme.verify_ns),
            Cell::optional(scheme.per_second, |rate| Cell::rate_within(&rate)),
            Cell::optional(scheme.bytes, Cell::whole),
            Cell::text(if scheme.quantum_safe { "yes" } else { "no" }),
        ];
        if common.is_none() {
            cells.push(Cell::text(brackets(&scheme.what)));
        }
        table.row([&scheme.caveats], cells);
    }
    table
}

pub(crate) fn blocks(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("ledger-blocks", AREA, "Ledger: blocks from small to large")
        .names("scheme", "scheme")
        .names("provider", "provider")
        .names("form", "keys")
        .names("parameters", "measured as")
        .figures("transactions", "transactions", "", 0)
        .figures("time", "block", "ms", 0)
        .figures("each", "per transaction", "µs", 0)
        .figures("rate", "tx/s", "1/s", 0)
        .stacked(4);
    for row in scaling(analysis) {
        for block in &row.blocks {
            let whole = Cell::time_within(&block.time_ns);
            let cells = [
                Cell::text(&row.algorithm),
                Cell::text(shown(&row.provider)),
                Cell::text(form(row.form)),
                Cell::text(&row.parameters),
                Cell::whole(block.transactions),
                whole.scaled(1e-3),
                Cell::time(block.time_ns.estimate / block.transactions as f64),
                Cell::optional(block.per_second, |rate| Cell::rate_within(&rate)),
            ];
            table.row([&block.caveats], cells);
        }
    }
    table
}

/// Returns the name of a key form: prepared before the timed call, or parsed within it.
fn form(form: Option<Form>) -> &'static str {
    match form {
        Some(Form::Prepared) => "prepared",
        Some(Form::Encoded) => "encoded",
        None => "",
    }
}

pub(crate) fn codec(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("ledger-codec", AREA, "Ledger: encoding and decoding transactions")
        .names("scheme", "scheme")
        .names("provider", "provider")
        .names("operation", "operation")
        .figures("time", "per transaction", "µs", 0)
        .figures("rate", "tx/s", "1/s", 0)
        .figures("bytes", "bytes/tx", "B", 1);
    for one in analysis.area(AREA).filter(|one| CODEC.contains(&one.case().operation.as_str())) {
        let (case, Some(estimates)) = (one.case(), &one.estimates) else { continue };
        let cells = [
            Cell::text(&case.algorithm),
            Cell::text(&case.provider),
            Cell::text(case.name().split_once(' ').map_or("", |(_, what)| what)),
            Cell::time_within(&estimates.median_ns),
            Cell::optional(rate(one, 1.0), |rate| Cell::rate_within(&rate)),
            Cell::optional(case.facts.bytes, Cell::whole),
        ];
        table.row([&one.caveats], cells);
    }
    table.note(
        "decoding checks the format and the lengths, but not the signature; it copies almost nothing, so the table \
         shows no byte rate",
    )
}

/// Returns `tx=100,senders=1` for `verify-block[tx=100,senders=1]`. Returns `what` unchanged if it has no parameters.
fn brackets(what: &str) -> String {
    what.split_once('[').map_or_else(|| what.to_owned(), |(_, rest)| rest.trim_end_matches(']').to_owned())
}
