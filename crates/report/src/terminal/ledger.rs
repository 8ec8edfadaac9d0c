//! The tables of the ledger, below its cases.

use super::columns::{Cell, lines};
use super::palette::{Palette, TextStyle};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::ledger::{comparison, scaling};
use pqlab_analysis::number::{grouped, percent, rate, time};

/// Schemes side by side and blocks from small to large; nothing where the run has no verification of transactions.
pub(super) fn tables(analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> String {
    let mut out = String::new();
    let compared = comparison(analysis);
    if !compared.is_empty() {
        let heading = ["  scheme", "provider", "verify", "", "tx/s", "bytes/tx", "quantum-safe", "measured as"];
        // What all rows have in common stands above them.
        let common = compared.iter().all(|scheme| scheme.what == compared[0].what);
        let heading = if common { &heading[..7] } else { &heading[..] };
        let mut rows = vec![heading.iter().map(|text| Cell::left(text).role(TextStyle::Faint)).collect::<Vec<_>>()];
        for scheme in &compared {
            let safe = if scheme.quantum_safe { "yes" } else { "no" };
            let mut cells = vec![
                Cell::left(&format!("  {}", scheme.algorithm)),
                Cell::left(&scheme.provider),
                Cell::right(&time(scheme.verify_ns.estimate)),
                Cell::left(&format!("±{}", percent(scheme.verify_ns.half_width_pct()))),
                Cell::right(&rate(scheme.per_second)).spare(2),
                Cell::right(&scheme.bytes.map(grouped).unwrap_or_default()).spare(1),
                Cell::left(safe).role(if scheme.quantum_safe { TextStyle::Good } else { TextStyle::Faint }),
            ];
            if !common {
                cells.push(Cell::left(&brackets(&scheme.what)).spare(3));
            }
            rows.push(cells);
        }
        let title =
            if common { format!("ledger: schemes, by {}", compared[0].what) } else { "ledger: schemes".to_owned() };
        section(&mut out, &title, &rows, width, palette);
    }
    let series = scaling(analysis);
    if !series.is_empty() {
        let heading = ["  transactions", "time", "a transaction", "tx/s"];
        let mut rows = vec![heading.iter().map(|text| Cell::right(text).role(TextStyle::Faint)).collect::<Vec<_>>()];
        for row in &series {
            rows.push(vec![Cell::left(&format!("  {}", row.series))]);
            for (transactions, block) in &row.blocks {
                let one = block.estimate / *transactions as f64;
                rows.push(vec![
                    Cell::right(&grouped(*transactions)),
                    Cell::right(&format!("{} ±{}", time(block.estimate), percent(block.half_width_pct()))),
                    Cell::right(&time(one)),
                    Cell::right(&rate(if one > 0.0 { 1e9 / one } else { 0.0 })),
                ]);
            }
        }
        section(&mut out, "ledger: blocks", &rows, width, palette);
    }
    out
}

/// Of `verify-block[encoded,tx=100]` the brackets, which tell one from another; all of what has none.
fn brackets(what: &str) -> String {
    what.split_once('[').map_or_else(|| what.to_owned(), |(_, rest)| rest.trim_end_matches(']').to_owned())
}

fn section(out: &mut String, title: &str, rows: &[Vec<Cell>], width: usize, palette: Palette) {
    out.push_str(&format!("\n{}\n", palette.paint(TextStyle::Strong, title)));
    for line in lines(rows, width, palette) {
        out.push_str(&line);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn both_tables_follow_the_cases() {
        let mut run = fixtures::run();
        run.records = vec![
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 5_000.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 1_000, 50_000.0),
        ];
        let text = tables(&RunAnalysis::of(&run), 120, Palette::PLAIN);
        assert!(text.contains("quantum-safe") && text.contains("5,327") && text.contains("yes"), "{text}");
        assert!(text.contains("1,000") && text.contains("50.0 ms"), "{text}");
        assert!(text.contains("schemes, by verify-block[encoded,tx=100,") && !text.contains("measured as"), "{text}");
        run.records.push(fixtures::ledger_block("Falcon-512", "liboqs", 1_000, 50_000.0));
        let text = tables(&RunAnalysis::of(&run), 120, Palette::PLAIN);
        assert!(
            text.contains("measured as\n") && text.contains("encoded,tx=1000,senders=1000,regime=compute\n"),
            "{text}"
        );
        assert_eq!(tables(&RunAnalysis::of(&fixtures::run()), 120, Palette::PLAIN), "");
    }
}
