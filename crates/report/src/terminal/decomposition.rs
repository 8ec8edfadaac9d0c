//! The decomposition table: what a hybrid costs beyond its halves; and the spread of operations beside that of AES-GCM.

use super::columns::{Cell, lines, total_width};
use super::palette::{Palette, TextStyle};
use pqlab_analysis::decomposition::{Decomposition, decompositions};
use pqlab_analysis::estimates::Estimates;
use pqlab_analysis::number::{percent, time};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::Unit;

/// What steadiness is set against: 1 KB sealed with a cipher that takes no branch on a secret.
const STEADY: (&str, &str) = ("AES-256-GCM", "seal");

/// A table of every hybrid with its halves; empty where the run has none.
pub(super) fn table(analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> String {
    let found = decompositions(analysis);
    if found.is_empty() {
        return String::new();
    }
    let titles = ["classical", "post-quantum", "hybrid", "combiner", "95% interval"];
    let mut rows = vec![vec![Cell::left(""), Cell::left("")]];
    rows[0].extend(titles.map(|title| Cell::right(title).role(TextStyle::Faint)));
    rows.extend(found.iter().map(row));
    if total_width(&rows) > width {
        rows = below_names(rows);
    }
    let title = palette.paint(TextStyle::Strong, "decomposition");
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
        Cell::right(&format!("{} {}", signed_time(found.combiner_ns()), signed(combiner.estimate))),
        Cell::right(&interval),
    ]
}

fn signed_time(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "-" } else { "" }, time(ns.abs()))
}

fn signed(pct: f64) -> String {
    format!("{pct:+.1}%")
}

/// The coefficient of variation of each operation beside that of AES-256-GCM, where single operations were timed. Spread
/// is not leakage: see METHODOLOGY.
pub(super) fn stability(analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> String {
    let variation = |of: &CaseAnalysis<'_>| of.estimates.as_ref().and_then(Estimates::operations)?.cov_pct;
    let steady = |of: &&CaseAnalysis<'_>| (of.case().algorithm.as_str(), of.case().operation.as_str()) == STEADY;
    let steady = analysis.area("hybrid").filter(steady).filter_map(|of| Some((of.case(), variation(of)?)));
    let Some((steadiest, floor)) = steady.min_by(|one, other| one.1.total_cmp(&other.1)) else {
        return String::new();
    };
    let mut rows = Vec::new();
    for of in analysis.area("hybrid").chain(analysis.area("certificate")) {
        let Some(cov) = variation(of) else { continue };
        let words =
            if cov <= floor { "no more than the yardstick".to_owned() } else { format!("{:.1} times", cov / floor) };
        rows.push(vec![
            Cell::left(&format!("  {}", neutral(&of.case().name()))),
            Cell::left(&neutral(&of.case().provider)),
            Cell::right(&percent(cov)),
            Cell::left(&words),
        ]);
    }
    let title = palette.paint(TextStyle::Strong, "spread");
    let at = neutral(&steadiest.provider);
    let mut out =
        format!("\n{title}  CoV beside that of AES-256-GCM, 1 KB, at {at}: {} (spread, not leakage)\n", percent(floor));
    for line in lines(&rows, width, palette) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}
