//! The tables of the ledger, below its cases.

use super::columns::{Cell, lines};
use super::palette::{Palette, Role};
use crate::ledger::{comparison, scaling};
use crate::number::{duration, grouped, percent, rate};
use pqlab_record::Run;

/// Schemes side by side and blocks from small to large; nothing where the run has no verification of transactions.
pub(super) fn tables(run: &Run, width: usize, palette: Palette) -> String {
    let mut out = String::new();
    let compared = comparison(run);
    if !compared.is_empty() {
        let heading = ["  scheme", "provider", "verify", "", "tx/s", "bytes/tx", "quantum-safe", "measured as"];
        let mut rows = vec![heading.iter().map(|text| Cell::left(text).role(Role::Faint)).collect::<Vec<_>>()];
        for scheme in &compared {
            let safe = if scheme.quantum_safe { "yes" } else { "no" };
            rows.push(vec![
                Cell::left(&format!("  {}", scheme.algorithm)),
                Cell::left(&scheme.provider),
                Cell::right(&time(scheme.verify_ns.estimate)),
                Cell::left(&format!("±{}", percent(scheme.verify_ns.half_width_pct()))),
                Cell::right(&rate(scheme.per_second)),
                Cell::right(&scheme.bytes.map(grouped).unwrap_or_default()),
                Cell::left(safe).role(if scheme.quantum_safe { Role::Good } else { Role::Faint }),
                Cell::left(&scheme.what).cuttable(),
            ]);
        }
        section(&mut out, "ledger: schemes", &rows, width, palette);
    }
    let series = scaling(run);
    if !series.is_empty() {
        let heading = ["  transactions", "time", "a transaction", "tx/s"];
        let mut rows = vec![heading.iter().map(|text| Cell::right(text).role(Role::Faint)).collect::<Vec<_>>()];
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

fn section(out: &mut String, title: &str, rows: &[Vec<Cell>], width: usize, palette: Palette) {
    out.push_str(&format!("\n{}\n", palette.paint(Role::Strong, title)));
    for line in lines(rows, width, palette) {
        out.push_str(&line);
        out.push('\n');
    }
}

fn time(nanoseconds: f64) -> String {
    let (number, unit) = duration(nanoseconds);
    format!("{number} {unit}")
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
        let text = tables(&run, 120, Palette::PLAIN);
        assert!(text.contains("quantum-safe") && text.contains("5,327") && text.contains("yes"), "{text}");
        assert!(text.contains("1,000") && text.contains("50.0 ms"), "{text}");
        assert_eq!(tables(&fixtures::run(), 120, Palette::PLAIN), "");
    }
}
