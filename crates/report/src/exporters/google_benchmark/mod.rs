//! Results in the JSON and CSV formats of Google Benchmark, for tools that read them (`compare.py` and dashboards).
//!
//! - Each process is a repetition. Its time is the mean of its samples, and its number of iterations is the number of
//!   operations in these samples. If there are several repetitions, aggregates follow, as in Google Benchmark.
//! - `cpu_time` is the real time multiplied by the fraction of the visits' wall time during which the thread was on a
//!   processor. (Reading the CPU clock around each sample would take longer than many operations.) For work on several
//!   threads, this fraction is not recorded. `cpu_time` then repeats `real_time`, which the context and the label
//!   mention.
//! - The label contains the provider's version, followed by the caveats.
//! - Ledger cases have the user counters `avg_verify_time_us` and `txs_per_second`.
//! - The measurement overhead is the last row.

mod names;

use super::csv::cell;
use super::{ExportError, Exporter, Format, Names};
use names::reference_names;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, ledger};
use pqlab_record::{Cache, Case, CpuTime, Protocol, Samples, Status, Worker};
use pqlab_stats::{mean, median, standard_deviation};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// JSON as written by `--benchmark_format=json`.
pub(super) struct GoogleBenchmark {
    /// Naming scheme for rows.
    pub(super) names: Names,
}

/// CSV as written by `--benchmark_format=csv`.
pub(super) struct GoogleBenchmarkCsv {
    /// Naming scheme for rows.
    pub(super) names: Names,
}

const HEADINGS: [&str; 12] = [
    "name",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "bytes_per_second",
    "items_per_second",
    "label",
    "error_occurred",
    "error_message",
    "avg_verify_time_us",
    "txs_per_second",
];

/// A row of the output: a repetition, an aggregate over repetitions, or an error.
struct Row {
    name: String,
    run_name: String,
    aggregate: Option<&'static str>,
    repetition: usize,
    repetitions: usize,
    iterations: u64,
    /// Real time in `unit`. A ratio in the row with the coefficient of variation.
    time: Option<f64>,
    /// CPU time, in the same unit as `time`.
    cpu_time: Option<f64>,
    unit: &'static str,
    bytes_per_second: Option<f64>,
    items_per_second: Option<f64>,
    avg_verify_time_us: Option<f64>,
    txs_per_second: Option<f64>,
    label: String,
    error: Option<String>,
    threads: u64,
}

impl Exporter for GoogleBenchmark {
    fn format(&self) -> Format {
        Format {
            name: "google-benchmark",
            describe: "Google Benchmark's JSON, one repetition per process",
            extension: "json",
        }
    }

    fn check(&self, plan: &[Case]) -> Result<(), ExportError> {
        check(self.names, plan)
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let header = &analysis.run.header;
        let environment = &header.environment;
        let megahertz = environment.counters.core_clock_estimate_hz.map_or(0, |hertz| (hertz / 1e6).round() as u64);
        let governor = environment.cpu.governor.as_deref();
        let cache =
            |cache: &Cache| json!({"type": cache.kind, "level": cache.level, "size": cache.size, "num_sharing": 1});
        let caches: Vec<Value> = environment.cpu.caches.iter().map(cache).collect();
        let mut benchmarks = Vec::new();
        for (family, (case, name)) in named(analysis, self.names)?.into_iter().enumerate() {
            benchmarks.extend(rows(case, name).iter().map(|row| row.json(family)));
        }
        let document = json!({
            "context": {
                "date": header.started_at,
                "host_name": environment.host.name.clone().unwrap_or_default(),
                "executable": "pqlab",
                "num_cpus": environment.cpu.cores,
                "mhz_per_cpu": megahertz,
                "cpu_scaling_enabled": governor.is_some_and(|governor| governor != "performance"),
                "caches": caches,
                "load_avg": environment.host.load.map(|load| load.to_vec()).unwrap_or_default(),
                "library_version": format!("pqlab {}", environment.build.version),
                "library_build_type": environment.build.profile,
                "json_schema_version": 1,
                "pqlab_run": header.id,
                "pqlab_cpu_time": cpu_time_words(analysis),
            },
            "benchmarks": benchmarks,
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

impl Exporter for GoogleBenchmarkCsv {
    fn format(&self) -> Format {
        Format {
            name: "google-benchmark-csv",
            describe: "Google Benchmark's CSV, with the columns of the reference ledger benchmark",
            extension: "csv",
        }
    }

    fn check(&self, plan: &[Case]) -> Result<(), ExportError> {
        check(self.names, plan)
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(HEADINGS)?;
        for (case, name) in named(analysis, self.names)? {
            for row in rows(case, name) {
                writer.write_record(row.cells())?;
            }
        }
        writer.flush()?;
        Ok(())
    }
}

impl Row {
    fn json(&self, family: usize) -> Value {
        let mut object = Map::new();
        let mut set = |name: &str, value: Value| object.insert(name.to_owned(), value);
        set("name", json!(self.name));
        set("family_index", json!(family));
        set("per_family_instance_index", json!(0));
        set("run_name", json!(self.run_name));
        set("run_type", json!(if self.aggregate.is_some() { "aggregate" } else { "iteration" }));
        set("repetitions", json!(self.repetitions));
        match self.aggregate {
            Some(aggregate) => {
                set("aggregate_name", json!(aggregate));
                set("aggregate_unit", json!(if aggregate == "cv" { "percentage" } else { "time" }));
            }
            None => {
                set("repetition_index", json!(self.repetition));
            }
        }
        set("threads", json!(self.threads));
        if let Some(error) = &self.error {
            set("error_occurred", json!(true));
            set("error_message", json!(error));
        }
        set("iterations", json!(self.iterations));
        set("real_time", json!(self.time.unwrap_or(0.0)));
        set("cpu_time", json!(self.cpu_time.unwrap_or(0.0)));
        set("time_unit", json!(self.unit));
        let optional = [
            ("bytes_per_second", self.bytes_per_second),
            ("items_per_second", self.items_per_second),
            ("avg_verify_time_us", self.avg_verify_time_us),
            ("txs_per_second", self.txs_per_second),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                set(name, json!(value));
            }
        }
        set("label", json!(self.label));
        Value::Object(object)
    }

    fn cells(&self) -> [String; HEADINGS.len()] {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        [
            cell(&self.name),
            if self.error.is_some() { String::new() } else { self.iterations.to_string() },
            number(self.time),
            number(self.cpu_time),
            if self.error.is_some() { String::new() } else { self.unit.to_owned() },
            number(self.bytes_per_second),
            number(self.items_per_second),
            cell(&self.label),
            self.error.as_ref().map(|_| "true".to_owned()).unwrap_or_default(),
            self.error.as_deref().map(cell).unwrap_or_default(),
            number(self.avg_verify_time_us),
            number(self.txs_per_second),
        ]
    }
}

/// Checks that the requested scheme can name the cases of a plan.
fn check(names: Names, plan: &[Case]) -> Result<(), ExportError> {
    match names {
        Names::Ids => Ok(()),
        Names::Reference => reference_names(&plan.iter().collect::<Vec<_>>(), None).map(drop),
    }
}

/// Returns the cases with their names. The overhead case comes last.
fn named<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    names: Names,
) -> Result<Vec<(&'r CaseAnalysis<'a>, String)>, ExportError> {
    let (floor, mut cases): (Vec<_>, Vec<_>) = analysis.cases().iter().partition(|row| row.case().is_overhead());
    cases.extend(floor);
    let protocol: &Protocol = &analysis.run.header.protocol;
    let given = match names {
        Names::Ids => vec![None; cases.len()],
        Names::Reference => {
            let plan: Vec<&Case> = cases.iter().map(|row| row.case()).collect();
            reference_names(&plan, Some(protocol))?
        }
    };
    Ok(cases.into_iter().zip(given).map(|(row, name)| (row, name.unwrap_or_else(|| row.case().id()))).collect())
}

/// Describes how a run's CPU times were obtained.
fn cpu_time_words(analysis: &RunAnalysis<'_>) -> String {
    let measured = analysis.cases().iter().map(|row| processes(&row.record.samples)).filter(|all| !all.is_empty());
    let recorded: Vec<bool> = measured.map(|all| all.iter().all(|process| process.cpu_share.is_some())).collect();
    let missing = recorded.iter().filter(|recorded| !**recorded).count();
    let how =
        "real_time multiplied by the fraction of the visits' wall time during which the thread was on a processor";
    match missing {
        _ if missing == recorded.len() => "not recorded: cpu_time repeats real_time".to_owned(),
        0 => how.to_owned(),
        _ => format!("{how}; if that was not recorded, the label says that cpu_time repeats real_time"),
    }
}

/// Returns the rows of a case. `called` is the name of the rows.
fn rows(analysed: &CaseAnalysis<'_>, called: String) -> Vec<Row> {
    let (record, case) = (analysed.record, analysed.case());
    let build = analysed.header().environment.providers.iter().find(|build| build.id == case.provider);
    let version = build.map_or_else(|| case.provider.clone(), |build| format!("{} {}", build.id, build.version));
    let mut label: Vec<String> = std::iter::once(version).chain(analysed.caveats.lines()).collect();
    let processes = processes(&record.samples);
    if processes.iter().any(|process| process.cpu_share.is_none()) {
        label.push("cpu_time repeats real_time".to_owned());
    }
    let blank = Row {
        name: called.clone(),
        run_name: called,
        aggregate: None,
        repetition: 0,
        repetitions: 1,
        iterations: 0,
        time: None,
        cpu_time: None,
        unit: "ns",
        bytes_per_second: None,
        items_per_second: None,
        avg_verify_time_us: None,
        txs_per_second: None,
        label: label.join("; "),
        error: None,
        threads: case.threads().unwrap_or(1),
    };
    if record.status == Status::Failed || processes.is_empty() {
        let error = record.error.clone().unwrap_or_else(|| "no samples".to_owned());
        return vec![Row { error: Some(error), ..blank }];
    }
    let times: Vec<f64> = processes.iter().map(|process| process.ns).collect();
    let cpu_times: Vec<f64> = processes.iter().map(Process::cpu_ns).collect();
    let (unit, scale) = unit(times[0]);
    let rates = |ns: f64| {
        let operations = (ns > 0.0).then(|| 1e9 / ns);
        let transactions = ledger::transactions_verified(case);
        (
            operations.zip(case.facts.bytes).map(|(rate, bytes)| rate * bytes as f64),
            operations.map(|rate| rate * transactions.unwrap_or(1) as f64),
            transactions.map(|transactions| ns / 1000.0 / transactions as f64),
            operations.zip(transactions).map(|(rate, transactions)| rate * transactions as f64),
        )
    };
    let repetitions = processes.len();
    let measured = |ns: f64, cpu_ns: f64| {
        let (bytes_per_second, items_per_second, avg_verify_time_us, txs_per_second) = rates(ns);
        let (name, run_name, label) = (blank.name.clone(), blank.run_name.clone(), blank.label.clone());
        Row {
            name,
            run_name,
            label,
            time: Some(ns / scale),
            cpu_time: Some(cpu_ns / scale),
            unit,
            repetitions,
            bytes_per_second,
            items_per_second,
            avg_verify_time_us,
            txs_per_second,
            error: None,
            ..blank
        }
    };
    let mut rows: Vec<Row> = processes
        .iter()
        .enumerate()
        .map(|(repetition, process)| Row {
            repetition,
            iterations: process.operations,
            ..measured(process.ns, process.cpu_ns())
        })
        .collect();
    let over = |times: &[f64]| Some((mean(times)?, median(times)?, standard_deviation(times)?));
    let (Some((mean, median, deviation)), Some((cpu_mean, cpu_median, cpu_deviation))) =
        (over(&times), over(&cpu_times))
    else {
        return rows;
    };
    let aggregate = |name: &'static str, row: Row| Row {
        name: format!("{}_{name}", row.run_name),
        aggregate: Some(name),
        iterations: repetitions as u64,
        ..row
    };
    rows.push(aggregate("mean", measured(mean, cpu_mean)));
    rows.push(aggregate("median", measured(median, cpu_median)));
    let spread = |value, cpu_value| Row {
        time: Some(value),
        cpu_time: Some(cpu_value),
        bytes_per_second: None,
        items_per_second: None,
        avg_verify_time_us: None,
        txs_per_second: None,
        ..measured(mean, cpu_mean)
    };
    rows.push(aggregate("stddev", spread(deviation / scale, cpu_deviation / scale)));
    if mean > 0.0 && cpu_mean > 0.0 {
        rows.push(aggregate("cv", spread(deviation / mean, cpu_deviation / cpu_mean)));
    }
    rows
}

/// Figures of one process, from its usable samples.
struct Process {
    operations: u64,
    /// Mean time of one operation in ns.
    ns: f64,
    /// Fraction of the wall time of usable visits during which the thread was on a processor; `None` if not recorded.
    cpu_share: Option<f64>,
}

impl Process {
    /// Returns the mean CPU time of an operation in ns. If `cpu_share` is unknown, returns the mean wall time.
    fn cpu_ns(&self) -> f64 {
        self.ns * self.cpu_share.unwrap_or(1.0)
    }
}

fn processes(samples: &Samples) -> Vec<Process> {
    let mut all: BTreeMap<Worker, (Vec<f64>, Option<CpuTime>)> = BTreeMap::new();
    for visit in samples.usable().filter(|visit| !visit.ticks.is_empty()) {
        let nothing = (Vec::new(), Some(CpuTime { cpu_ns: 0, wall_ns: 0 }));
        let (times, cpu) = all.entry(visit.worker()).or_insert(nothing);
        times.extend(samples.ns_per_operation(visit));
        let sum = |one: CpuTime, other: CpuTime| CpuTime {
            cpu_ns: one.cpu_ns.saturating_add(other.cpu_ns),
            wall_ns: one.wall_ns.saturating_add(other.wall_ns),
        };
        *cpu = cpu.zip(visit.conditions.cpu_time).map(|(one, other)| sum(one, other));
    }
    let process = |(times, cpu): &(Vec<f64>, Option<CpuTime>)| {
        let cpu = cpu.filter(|cpu| cpu.wall_ns > 0);
        Some(Process {
            operations: (times.len() as u64).saturating_mul(samples.batch),
            ns: mean(times)?,
            cpu_share: cpu.map(|cpu| cpu.cpu_ns as f64 / cpu.wall_ns as f64),
        })
    };
    all.values().filter_map(process).collect()
}

/// Returns the unit in which the time `ns` is easiest to read, as its name and its length in ns.
fn unit(ns: f64) -> (&'static str, f64) {
    match ns {
        ns if ns >= 1e9 => ("s", 1e9),
        ns if ns >= 1e6 => ("ms", 1e6),
        ns if ns >= 1e3 => ("us", 1e3),
        _ => ("ns", 1.0),
    }
}

#[cfg(test)]
mod tests;
