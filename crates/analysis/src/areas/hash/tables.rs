//! Table of core cycles per message byte by function, provider and message length, as in SHA-3 benchmarks.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::group::grouped;
use crate::number::{grouped as thousands, is_approximate};
use crate::run::RunAnalysis;
use crate::table::{Cell, Holds, Table};
use pqlab_record::{CyclesSource, Parameter};
use pqlab_stats::Interval;
use std::collections::BTreeSet;

const OPERATION: &str = "digest";
/// Minimum number of message lengths for the table to be shown.
const LEAST: usize = 2;
/// Half-width of an interval, in cycles per byte, below which the table shows a second decimal.
const SECOND_DECIMAL: f64 = 0.05;

pub(crate) fn per_byte(analysis: &RunAnalysis<'_>) -> Table {
    let digests: Vec<&CaseAnalysis<'_>> =
        analysis.area(AREA).filter(|of| is_digest(of) && cycles(of).is_some()).collect();
    let lengths: BTreeSet<u64> = digests.iter().filter_map(|of| of.case().message_length()).collect();
    let title = "Hash functions: core cycles per message byte, by message length";
    let mut table = Table::new("cycles-per-byte", AREA, title)
        .names("function", "function")
        .figures("output", "output", "B", 0)
        .names("provider", "provider");
    if lengths.len() < LEAST {
        return table;
    }
    for length in &lengths {
        table = table.figures(&format!("len_{length}"), &format!("{} B", thousands(*length)), "cycles/B", 0);
    }
    table = table.column("source", "cycles", "", Holds::Text, 1);
    let function = |of: &&CaseAnalysis<'_>| (of.case().algorithm.clone(), of.case().output_length());
    for ((algorithm, output), digests) in grouped(digests.iter(), function) {
        for (provider, digests) in grouped(digests.into_iter(), |of| of.case().provider.clone()) {
            let at = |length: &u64| digests.iter().find(|of| of.case().message_length() == Some(*length));
            let figures = lengths
                .iter()
                .map(|length| Cell::optional(at(length).and_then(|of| cycles(of)), |(per_byte, _)| cell(&per_byte)));
            let counted =
                digests.iter().all(|of| cycles(of).is_some_and(|(_, source)| source == CyclesSource::Counter));
            let cells = [Cell::text(algorithm.as_str()), Cell::optional(output, Cell::whole), Cell::text(provider)]
                .into_iter()
                .chain(figures)
                .chain([Cell::text(if counted { "counted" } else { "estimated" })]);
            table.row(digests.iter().map(|of| &of.caveats).collect::<Vec<&Caveats>>(), cells);
        }
    }
    table
        .note("medians; `pqlab export RUN --format sha3-csv --provider PROVIDER` writes them to a file with one column per length")
        .note("estimated: each sample's time multiplied by the core clock, which is measured before, during and after each visit")
}

/// Returns whether a case is a plain digest: its only parameters are the lengths of the message and the output.
fn is_digest(case: &CaseAnalysis<'_>) -> bool {
    let case = case.case();
    case.operation == OPERATION && case.has_only(&[Parameter::LENGTH, Parameter::OUTPUT])
}

/// Returns the core cycles per byte with their interval, and whether the cycles were counted or estimated. Returns
/// `None` if they are unknown.
pub(crate) fn cycles(case: &CaseAnalysis<'_>) -> Option<(Interval, CyclesSource)> {
    let cycles = case.estimates.as_ref()?.cycles.as_ref()?;
    let bytes = case.case().facts.bytes.filter(|bytes| *bytes > 0)?;
    let each = |value: f64| value / bytes as f64;
    let median = cycles.median;
    let per_byte =
        Interval { estimate: each(median.estimate), low: each(median.low), high: each(median.high), ..median };
    Some((per_byte, cycles.source))
}

/// Formats cycles per byte with one decimal, or with two if the interval is narrow enough.
fn cell(per_byte: &Interval) -> Cell {
    let half_width = (per_byte.high - per_byte.estimate).max(per_byte.estimate - per_byte.low);
    let decimals = if half_width < SECOND_DECIMAL { 2 } else { 1 };
    let sign = if is_approximate(per_byte) { "≈" } else { "" };
    let text = format!("{sign}{:.decimals$}", per_byte.estimate);
    Cell::number(text.clone(), per_byte.estimate).within(text, per_byte, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_stats::IntervalMethod;

    #[test]
    fn functions_and_providers_are_rows_and_lengths_are_columns() {
        let run = fixtures::references_run();
        let table = per_byte(&RunAnalysis::new(&run));
        let headings: Vec<&str> = table.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["function", "output", "provider", "64 B", "16,384 B", "cycles"]);
        let rows: Vec<[&str; 3]> =
            table.rows.iter().map(|row| [0, 1, 2].map(|place| row.cells[place].text.as_str())).collect();
        assert_eq!(
            rows,
            [
                ["SHA3-256", "-", "cryptogams:scalar"],
                ["SHA3-256", "-", "cryptogams:avx512vl"],
                ["SHAKE128", "32", "cryptogams:scalar"],
                ["SHAKE128", "64", "cryptogams:scalar"],
            ]
        );
        // A digest of 64 bytes takes 0.5 µs at 2.7 GHz.
        let number = table.rows[0].cells[3].number.unwrap();
        assert!((number.estimate / (0.5 * 2700.0 / 64.0) - 1.0).abs() < 0.02, "{number:?}");
        assert!(number.interval.is_some());
        assert_eq!(table.rows[0].cells[5].text, "estimated");
        assert_eq!(table.rows[2].cells[4].number, None, "a length that was not measured must have no number");
    }

    #[test]
    fn shows_only_decimals_that_the_interval_supports() {
        let cell = |estimate: f64, half: f64| {
            let (low, high) = (estimate - half, estimate + half);
            cell(&Interval { estimate, low, high, confidence: 0.95, method: IntervalMethod::CrossedT }).text
        };
        assert_eq!(cell(7.412, 0.02), "7.41");
        assert_eq!(cell(7.412, 0.2), "7.4");
        assert_eq!(cell(7.412, 2.0), "≈7.4");
    }
}
