use super::columns::{Cell, lines};
use super::palette::{Palette, TextStyle};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::number::{percent, rate, significant, time};
use pqlab_analysis::scaling::{LoadEntry, RatioInterval, ScalingEntry, loads, scaling};

/// What more threads are worth and what a load loses, where the run has such cases; each table under a heading.
pub(super) fn scaling_tables(analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> String {
    let (scaling, loads) = (scaling(analysis), loads(analysis));
    let mut out = String::new();
    let mut table = |heading: &str, heads: &[&str], rows: Vec<Vec<Cell>>| {
        if rows.is_empty() {
            return;
        }
        out.push_str(&format!("\n{}\n", palette.paint(TextStyle::Strong, heading)));
        let head = heads.iter().enumerate().map(|(column, text)| {
            let cell = if column < 2 { Cell::left(text) } else { Cell::right(text) };
            cell.role(TextStyle::Faint)
        });
        let rows: Vec<Vec<Cell>> = std::iter::once(head.collect()).chain(rows).collect();
        lines(&rows, width, palette).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    };
    let heads = ["  threads at once", "", "threads", "op/s", "speed-up", "efficiency"];
    table(
        "scaling: against one thread of the same provider",
        &heads,
        rows(&scaling, |entry| (entry.name.as_str(), entry.provider.as_str(), threads(entry))),
    );
    let heads = [
        "  tasks at once",
        "",
        "tasks",
        "workers",
        "wall",
        "op/s",
        "wait p50",
        "p95",
        "p99",
        "max",
        "to peak",
        "to smallest",
    ];
    table(
        "load: tasks through a thread pool, how long they wait, throughput against the best and the smallest load",
        &heads,
        rows(&loads, |entry| (entry.name.as_str(), entry.provider.as_str(), load(entry))),
    );
    out
}

/// Rows whose name and provider stand only where they change.
fn rows<'a, T>(entries: &'a [T], of: impl Fn(&'a T) -> (&'a str, &'a str, Vec<Cell>)) -> Vec<Vec<Cell>> {
    let mut before = ("", "");
    let row = |entry| {
        let (name, provider, figures) = of(entry);
        let new = before != (name, provider);
        before = (name, provider);
        let (name, provider) = if new { (format!("  {name}"), provider) } else { (String::new(), "") };
        [vec![Cell::left(&name), Cell::left(provider)], figures].concat()
    };
    entries.iter().map(row).collect()
}

fn threads(entry: &ScalingEntry) -> Vec<Cell> {
    let ratio = |ratio: Option<RatioInterval>, text: fn(f64) -> String| Cell::right(&interval(ratio, text));
    vec![
        Cell::right(&entry.threads.to_string()),
        Cell::right(&rate(entry.ops_per_s)).spare(1),
        ratio(entry.speed_up, significant),
        ratio(entry.efficiency, |value| percent(100.0 * value)),
        oversubscribed(entry.oversubscribed),
    ]
}

fn load(entry: &LoadEntry) -> Vec<Cell> {
    let time = |microseconds: Option<f64>| Cell::right(&microseconds.map(|us| time(1e3 * us)).unwrap_or_default());
    let loss = |ratio: Option<RatioInterval>| Cell::right(&interval(ratio, |value| format!("{value:+.1}%")));
    vec![
        Cell::right(&entry.tasks.to_string()),
        Cell::right(&entry.workers.to_string()),
        time(Some(1e3 * entry.wall_ms)),
        Cell::right(&rate(entry.ops_per_s)),
        time(entry.queueing_p50_us),
        time(entry.queueing_p95_us).spare(3),
        time(entry.queueing_p99_us),
        time(entry.queueing_max_us).spare(2),
        loss(entry.against_peak_pct),
        loss(entry.against_smallest_pct).spare(1),
        oversubscribed(entry.oversubscribed),
    ]
}

/// `1.90 [1.88, 1.92]`; without an interval where it is a point, as for a case against itself.
fn interval(ratio: Option<RatioInterval>, text: impl Fn(f64) -> String) -> String {
    match ratio {
        None => String::new(),
        Some(ratio) if ratio.low == ratio.high => text(ratio.estimate),
        Some(RatioInterval { estimate, low, high }) => format!("{} [{}, {}]", text(estimate), text(low), text(high)),
    }
}

fn oversubscribed(so: bool) -> Cell {
    Cell::left(if so { "oversubscribed" } else { "" }).role(TextStyle::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::terminal::run_table;

    #[test]
    fn both_tables_follow_the_main_one() {
        let text = run_table(&RunAnalysis::of(&fixtures::scaling_run()), 200, Palette::PLAIN);
        let after = text.split_once("scaling: against one thread").unwrap().1;
        let line = |start: &str| after.lines().find(|line| line.trim_start().starts_with(start)).unwrap().to_owned();
        let one: Vec<String> = line("ML-DSA-65 verify ").split_whitespace().map(str::to_owned).collect();
        assert_eq!(one[2..], ["aws-lc", "1", "11,096", "1.00", "100.0%"]);
        assert!(line("2  ").contains("1.90 [1."), "{after}");
        assert!(line("4  ").ends_with("oversubscribed"), "{after}");
        let load = after.split_once("load: tasks through a thread pool").unwrap().1;
        let row = load.lines().find(|line| line.contains("ML-DSA-65 verify-load")).unwrap();
        for part in ["  100  ", "  2.00 µs  5.00 µs  8.00 µs  9.00 µs  ", "-10.0% [-", "+0.0%"] {
            assert!(row.contains(part), "{part} in {row}");
        }
    }

    #[test]
    fn a_run_without_threads_has_neither() {
        assert_eq!(scaling_tables(&RunAnalysis::of(&fixtures::run()), 80, Palette::PLAIN), "");
    }
}
