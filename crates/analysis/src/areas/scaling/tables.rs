//! Tables of the gain from more threads, and of the cost of a load.

use super::{LoadFigures, ScalingFigures, loads, scaling};
use crate::caveats::Caveats;
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_stats::Interval;

/// Mark for cases with more threads than processors.
const OVERSUBSCRIBED: &str = "oversubscribed";

pub(crate) fn threads(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("scaling", "scaling", "Threads: throughput relative to one thread, same provider")
        .names("operation", "operation")
        .names("provider", "provider")
        .figures("threads", "threads", "", 0)
        .figures("cores", "processors", "", 3)
        .figures("rate", "op/s", "1/s", 2)
        .figures("speed_up", "speed-up", "", 0)
        .figures("efficiency", "efficiency", "%", 0)
        .names("state", "")
        .stacked(2);
    let entries = scaling(analysis);
    for entry in &entries {
        let ScalingFigures { name, provider, threads, cores, oversubscribed, .. } = entry;
        let cells = [
            Cell::text(name),
            Cell::text(provider),
            Cell::whole(*threads),
            Cell::optional(*cores, Cell::whole),
            Cell::rate_within(&entry.rate),
            Cell::optional(entry.speed_up, |ratio| Cell::factor_within(&ratio)),
            Cell::optional(entry.efficiency.map(|efficiency| scaled(&efficiency, 100.0)), |share| {
                Cell::share_within(&share)
            }),
            Cell::text(if *oversubscribed { OVERSUBSCRIBED } else { "" }),
        ];
        table.row(caveats(analysis, &entry.id), cells);
    }
    area_of(analysis, &mut table, entries.first().map(|entry| entry.id.as_str()));
    if entries.iter().any(|entry| entry.oversubscribed) {
        table = table.note("oversubscribed: more threads than processors; efficiency is per processor");
    }
    table
}

pub(crate) fn load(analysis: &RunAnalysis<'_>) -> Table {
    let title = "Load: tasks in a thread pool, with throughput relative to the best and the smallest load";
    let mut table = Table::new("load", "scaling", title)
        .names("operation", "operation")
        .names("provider", "provider")
        .figures("tasks", "tasks", "", 0)
        .figures("workers", "workers", "", 3)
        .figures("wall", "wall", "ms", 0)
        .figures("rate", "op/s", "1/s", 0)
        .figures("wait_p50", "wait p50", "µs", 4)
        .figures("wait_p95", "p95", "µs", 6)
        .figures("wait_p99", "p99", "µs", 2)
        .figures("wait_max", "max", "µs", 5)
        .figures("against_peak", "vs peak", "%", 0)
        .figures("against_smallest", "vs smallest", "%", 0)
        .names("state", "")
        .stacked(2);
    let entries = loads(analysis);
    for entry in &entries {
        let LoadFigures { name, provider, tasks, workers, wall_ms, oversubscribed, .. } = entry;
        let wait = |us: Option<f64>| Cell::optional(us, |us| Cell::time(1e3 * us));
        let against = |change: Option<Interval>| Cell::optional(change, |change| Cell::difference_within(&change));
        let cells = [
            Cell::text(name),
            Cell::text(provider),
            Cell::whole(*tasks),
            Cell::whole(*workers),
            Cell::time(1e6 * wall_ms).scaled(1e-3),
            Cell::rate_within(&entry.rate),
            wait(entry.queueing_p50_us),
            wait(entry.queueing_p95_us),
            wait(entry.queueing_p99_us),
            wait(entry.queueing_max_us),
            against(entry.against_peak_pct),
            against(entry.against_smallest_pct),
            Cell::text(if *oversubscribed { OVERSUBSCRIBED } else { "" }),
        ];
        table.row(caveats(analysis, &entry.id), cells);
    }
    area_of(analysis, &mut table, entries.first().map(|entry| entry.id.as_str()));
    table
}

fn caveats<'r>(analysis: &'r RunAnalysis<'_>, id: &str) -> impl Iterator<Item = &'r Caveats> {
    analysis.cases().iter().filter(move |case| case.case().id() == id).map(|case| &case.caveats)
}

/// Assigns the table to the area of its cases.
fn area_of(analysis: &RunAnalysis<'_>, table: &mut Table, id: Option<&str>) {
    let first = analysis.cases().iter().find(|case| Some(case.case().id().as_str()) == id);
    if let Some(first) = first {
        table.area = first.case().workload.clone();
    }
}
