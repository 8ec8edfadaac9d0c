//! Google Benchmark's JSON and CSV. Repetitions are entries with the same `run_name`.

use crate::samples::reading::{Reading, listed, series};
use crate::samples::unit;
use pqlab_analysis::gathered;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Suffixes of aggregate names. Versions before 1.5 identify aggregates only by these suffixes.
const AGGREGATES: [&str; 6] = ["mean", "median", "stddev", "cv", "BigO", "RMS"];

/// An entry of a file, from JSON or CSV.
pub(in crate::samples) struct Entry<'a> {
    pub(in crate::samples) name: &'a str,
    pub(in crate::samples) run_name: Option<&'a str>,
    /// `iteration` or `aggregate`. Only files from version 1.5 or later contain this field.
    pub(in crate::samples) run_type: Option<&'a str>,
    /// Whether other fields mark the entry as an aggregate or as a complexity estimate (`big_o`).
    pub(in crate::samples) computed: bool,
    /// Reason why the entry was skipped.
    pub(in crate::samples) skipped: Option<String>,
    /// Reason why the entry failed.
    pub(in crate::samples) failed: Option<String>,
    /// Family index, instance index and number of threads, which distinguish benchmarks with the same name.
    pub(in crate::samples) variant: [Option<u64>; 3],
    /// The `real_time`, in `unit` or, if the entry states none, in ns. If it is not a finite number, the error is the text in the file, or `missing`.
    pub(in crate::samples) time: Result<f64, String>,
    pub(in crate::samples) unit: Option<&'a str>,
}

pub(in crate::samples) fn read(benchmarks: &[Value]) -> Result<Reading, String> {
    let entries: Result<Vec<Entry<'_>>, String> = benchmarks.iter().map(entry).collect();
    collect(&entries?)
}

fn entry(entry: &Value) -> Result<Entry<'_>, String> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str);
    // Some versions write a word instead of `true`.
    let flag = |field: &str| !matches!(entry.get(field), None | Some(Value::Null | Value::Bool(false)));
    let count = |field: &str| entry.get(field).and_then(Value::as_u64);
    let name = text("name").or_else(|| text("run_name")).ok_or("an entry in \"benchmarks\" has no name")?;
    let message = |field: &str, flag: &str| text(field).or(text(flag)).unwrap_or("no reason given").to_owned();
    let skipped = if flag("skipped") {
        Some(message("skip_message", "skipped"))
    } else if count("iterations") == Some(0) {
        Some("0 iterations".to_owned())
    } else {
        None
    };
    let time = match entry.get("real_time") {
        Some(value) => value.as_f64().filter(|time| time.is_finite()).ok_or_else(|| value.to_string()),
        None => Err("missing".to_owned()),
    };
    Ok(Entry {
        name,
        run_name: text("run_name"),
        run_type: text("run_type"),
        computed: ["big_o", "rms", "aggregate_name"].iter().any(|field| entry.get(*field).is_some()),
        failed: flag("error_occurred").then(|| message("error_message", "error_occurred")),
        skipped,
        variant: ["family_index", "per_family_instance_index", "threads"].map(count),
        time,
        unit: text("time_unit"),
    })
}

pub(in crate::samples) fn collect(entries: &[Entry<'_>]) -> Result<Reading, String> {
    let unmarked = unmarked_aggregates(entries);
    let mut reading = Reading::default();
    let (mut skipped, mut failed, mut aggregates) = (Vec::new(), Vec::new(), Vec::new());
    let (mut times, mut without_unit) = (Vec::new(), 0);
    for entry in entries {
        let name = entry.run_name.unwrap_or(entry.name);
        if let Some(reason) = &entry.failed {
            failed.push((name, reason));
        } else if let Some(reason) = &entry.skipped {
            skipped.push((name, reason));
        } else if entry.run_type == Some("aggregate") || entry.computed || unmarked.contains(entry.name) {
            aggregates.push(entry.run_name.unwrap_or_else(|| base(entry.name).map_or(entry.name, |(base, _)| base)));
        } else {
            let stated = entry.unit.unwrap_or("ns");
            let unit = unit::canonical(stated).ok_or_else(|| format!("{name} has the unknown time unit {stated:?}"))?;
            without_unit += usize::from(entry.unit.is_none());
            match &entry.time {
                Ok(time) => times.push(((name, entry.variant), (unit, *time))),
                Err(found) if found == "missing" => return Err(format!("{name} has no \"real_time\"")),
                Err(found) => return Err(format!("{name}: \"real_time\" must be a number, not {found}")),
            }
        }
    }
    let groups = gathered(times);
    let mut threads: HashMap<&str, HashSet<Option<u64>>> = HashMap::new();
    for ((name, [_, _, count]), _) in &groups {
        threads.entry(name).or_default().insert(*count);
    }
    for ((name, [_, _, count]), repetitions) in groups {
        let unit = repetitions[0].0;
        let sample = |(other, time): (&str, f64)| {
            unit::convert(time, other, unit).ok_or_else(|| format!("{name}: {time} {other} is out of range"))
        };
        let samples = repetitions.into_iter().map(sample).collect::<Result<Vec<f64>, String>>()?;
        match count.filter(|_| threads[name].len() > 1) {
            Some(count) => reading.series.push(series(&format!("{name}/threads:{count}"), unit, samples)),
            None => reading.series.push(series(name, unit, samples)),
        }
    }
    let total = entries.len();
    if without_unit > 0 {
        reading
            .notes
            .push(format!("entries without \"time_unit\" ({without_unit} of {total}) are read as ns, the default"));
    }
    for (what, found) in [("skipped", skipped), ("failed", failed)] {
        if !found.is_empty() {
            let count = found.len();
            let each = gathered(found.into_iter().map(|(name, reason)| (format!("{name} ({reason})"), ())));
            let each = each.into_iter().map(|(text, times)| match times.len() {
                1 => text,
                times => format!("{text}, {times} times"),
            });
            reading
                .notes
                .push(format!("left out {what} entries ({count} of {total}): {}", each.collect::<Vec<_>>().join(", ")));
        }
    }
    if !aggregates.is_empty() {
        let count = aggregates.len();
        let measured: HashSet<&str> = reading.series.iter().map(|one| one.name.as_str()).collect();
        let family =
            |name: &str| measured.iter().any(|one| one.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
        let mut alone: Vec<&str> =
            gathered(aggregates.iter().map(|name| (*name, ()))).into_iter().map(|(name, _)| name).collect();
        alone.retain(|name| !measured.contains(name) && !family(name));
        reading.notes.push(format!("left out aggregates ({count} of {total} entries), such as mean, stddev and BigO"));
        if !alone.is_empty() {
            reading.notes.push(format!(
                "the file contains only aggregates of {}; run the benchmark without --benchmark_report_aggregates_only \
                 and ReportAggregatesOnly",
                listed(alone)
            ));
        }
    }
    Ok(reading)
}

/// Splits the name of an aggregate at its suffix: `BM_x_mean` into `BM_x` and `mean`. Returns `None` for other names.
fn base(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('_').filter(|(_, end)| AGGREGATES.contains(end))
}

/// Returns the names of aggregates among the entries without `run_type`. A name such as `BM_x_mean` counts as an
/// aggregate if it meets two conditions: other aggregates of `BM_x` exist, and the number of entries called `BM_x` is
/// not one.
fn unmarked_aggregates<'a>(entries: &[Entry<'a>]) -> HashSet<&'a str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut ends: HashMap<&str, HashSet<&str>> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.run_type.is_none()) {
        *counts.entry(entry.name).or_default() += 1;
        if let Some((base, end)) = base(entry.name) {
            ends.entry(base).or_default().insert(end);
        }
    }
    let several = |base: &str| ends.get(base).is_some_and(|ends| ends.len() > 1) && counts.get(base) != Some(&1);
    counts.keys().copied().filter(|name| base(name).is_some_and(|(base, _)| several(base))).collect()
}
