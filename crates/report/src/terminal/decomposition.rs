//! The decomposition table: what a hybrid costs beyond its halves; and the spread of operations beside that of AES-GCM.

use super::columns::{Cell, lines, total_width};
use super::palette::{Palette, Role};
use super::text::neutral;
use crate::decomposition::{Decomposition, decompositions};
use crate::estimates::estimate;
use crate::number::{duration, percent};
use pqlab_record::{Record, Run, Unit};

/// The yardstick of steadiness: 1 KB sealed with a cipher that takes no branch on a secret.
const YARDSTICK: (&str, &str) = ("AES-256-GCM", "seal");

/// A table of every hybrid with its halves; empty where the run has none.
pub(super) fn table(run: &Run, width: usize, palette: Palette) -> String {
    let found = decompositions(run);
    if found.is_empty() {
        return String::new();
    }
    let titles = ["classical", "post-quantum", "hybrid", "combiner", "95% interval"];
    let mut rows = vec![vec![Cell::left(""), Cell::left("")]];
    rows[0].extend(titles.map(|title| Cell::right(title).role(Role::Faint)));
    rows.extend(found.iter().map(row));
    if total_width(&rows) > width {
        rows = below_names(rows);
    }
    let title = palette.paint(Role::Strong, "decomposition");
    let in_cycles = found.iter().filter(|of| of.unit == Unit::CoreCycles).count();
    let judged = match (in_cycles, found.len()) {
        (0, _) => "",
        (some, all) if some == all => ", in core cycles",
        _ => ", in core cycles where all three have them",
    };
    let mut out = format!("\n{title}  means of the same rounds; combiner = hybrid less both halves{judged}\n");
    for line in lines(&rows, width, palette) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The names as headings over their rows, for a narrow terminal; the times of the halves are what can be spared.
fn below_names(rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    let mut groups: Vec<(Cell, Vec<Vec<Cell>>)> = Vec::new();
    for row in rows {
        let mut cells = row.into_iter();
        let name = cells.next().unwrap_or_default();
        let figures = cells.enumerate().map(|(column, cell)| match column {
            0 => cell.indented(),
            1 | 2 => cell.spare(column as u8),
            _ => cell,
        });
        let figures: Vec<Cell> = figures.collect();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(figures),
            None => groups.push((name, vec![figures])),
        }
    }
    // The titles of the columns have no name.
    let heading = |name: Cell| (name != Cell::left("")).then(|| vec![name]);
    groups.into_iter().flat_map(|(name, rows)| heading(name).into_iter().chain(rows)).collect()
}

fn row(found: &Decomposition<'_>) -> Vec<Cell> {
    let combiner = &found.combiner_pct;
    let interval = format!("{} to {}", signed(combiner.low), signed(combiner.high));
    let case = &found.hybrid.case;
    vec![
        Cell::left(&format!("  {}", neutral(&case.name()))),
        Cell::left(&neutral(&case.provider)),
        Cell::right(&time(found.classical_ns)),
        Cell::right(&time(found.post_quantum_ns)),
        Cell::right(&time(found.hybrid_ns)),
        Cell::right(&format!("{} {}", time(found.combiner_ns()), signed(combiner.estimate))),
        Cell::right(&interval),
    ]
}

fn time(ns: f64) -> String {
    let (number, unit) = duration(ns.abs());
    format!("{}{number} {unit}", if ns < 0.0 { "-" } else { "" })
}

fn signed(pct: f64) -> String {
    format!("{pct:+.1}%")
}

/// The coefficient of variation of each operation beside that of AES-256-GCM, where single operations were timed. Spread
/// is not leakage: see METHODOLOGY.
pub(super) fn stability(run: &Run, width: usize, palette: Palette) -> String {
    let variation = |record: &Record| estimate(record, &run.header.protocol)?.operations()?.cov_pct;
    let yardsticks: Vec<(&Record, f64)> = run
        .area("hybrid")
        .filter(|record| (record.case.algorithm.as_str(), record.case.operation.as_str()) == YARDSTICK)
        .filter_map(|record| Some((record, variation(record)?)))
        .collect();
    let Some((yardstick, floor)) = yardsticks.iter().min_by(|one, other| one.1.total_cmp(&other.1)) else {
        return String::new();
    };
    let mut rows = Vec::new();
    for record in run.area("hybrid").chain(run.area("certificate")) {
        let Some(cov) = variation(record) else { continue };
        let words =
            if cov <= *floor { "no more than the yardstick".to_owned() } else { format!("{:.1} times", cov / floor) };
        rows.push(vec![
            Cell::left(&format!("  {}", neutral(&record.case.name()))),
            Cell::left(&neutral(&record.case.provider)),
            Cell::right(&percent(cov)),
            Cell::left(&words),
        ]);
    }
    let title = palette.paint(Role::Strong, "spread");
    let at = neutral(&yardstick.case.provider);
    let mut out = format!(
        "\n{title}  CoV beside that of AES-256-GCM, 1 KB, at {at}: {} (spread, not leakage)\n",
        percent(*floor)
    );
    for line in lines(&rows, width, palette) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}
