//! The output of Google Benchmark, as JSON and as CSV, for the tools that read it (`compare.py` and dashboards).
//!
//! A repetition is a process: its time is the mean over its samples, its iterations are the operations in them. With more
//! than one repetition the aggregates follow, as Google Benchmark writes them. CPU time is not recorded beside wall time;
//! as visits in which the thread had less than 98% of a processor are measured again or marked, `cpu_time` repeats
//! `real_time`. The label names the provider's version and then the caveats. Cases of the ledger carry the user counters `avg_verify_time_us` and `txs_per_second`.

use super::{ExportError, Exporter, Format};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, ledger};
use pqlab_record::{Cache, Samples, Status, Worker};
use pqlab_stats::{mean, median, standard_deviation};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// The JSON of `--benchmark_format=json`.
pub(super) struct GoogleBenchmark;

/// The CSV of `--benchmark_format=csv`.
pub(super) struct GoogleBenchmarkCsv;

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

/// One row: a repetition, an aggregate over them, or an error.
struct Row {
    name: String,
    run_name: String,
    aggregate: Option<&'static str>,
    repetition: usize,
    repetitions: usize,
    iterations: u64,
    /// In `unit`; the coefficient of variation as a ratio.
    time: Option<f64>,
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
            describe: "Google Benchmark's JSON, a repetition for each process",
            extension: "json",
        }
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
        for (family, case) in analysis.cases().iter().enumerate() {
            benchmarks.extend(rows(case).iter().map(|row| row.json(family)));
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
                "pqlab_cpu_time": "not recorded: cpu_time repeats real_time",
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
            describe: "Google Benchmark's CSV, with the columns of the reference's ledger benchmark",
            extension: "csv",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(HEADINGS)?;
        for row in analysis.cases().iter().flat_map(rows) {
            writer.write_record(row.cells())?;
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
        set("cpu_time", json!(self.time.unwrap_or(0.0)));
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
            self.name.clone(),
            if self.error.is_some() { String::new() } else { self.iterations.to_string() },
            number(self.time),
            number(self.time),
            if self.error.is_some() { String::new() } else { self.unit.to_owned() },
            number(self.bytes_per_second),
            number(self.items_per_second),
            self.label.clone(),
            self.error.as_ref().map(|_| "true".to_owned()).unwrap_or_default(),
            self.error.clone().unwrap_or_default(),
            number(self.avg_verify_time_us),
            number(self.txs_per_second),
        ]
    }
}

/// The rows of a case.
fn rows(analysed: &CaseAnalysis<'_>) -> Vec<Row> {
    let (record, case) = (analysed.record, analysed.case());
    let build = analysed.header().environment.providers.iter().find(|build| build.id == case.provider);
    let version = build.map_or_else(|| case.provider.clone(), |build| format!("{} {}", build.id, build.version));
    let label: Vec<String> = std::iter::once(version).chain(analysed.caveats.lines()).collect();
    let blank = Row {
        name: case.id(),
        run_name: case.id(),
        aggregate: None,
        repetition: 0,
        repetitions: 1,
        iterations: 0,
        time: None,
        unit: "ns",
        bytes_per_second: None,
        items_per_second: None,
        avg_verify_time_us: None,
        txs_per_second: None,
        label: label.join("; "),
        error: None,
        threads: case.number("threads").unwrap_or(1),
    };
    let processes = processes(&record.samples);
    if record.status == Status::Failed || processes.is_empty() {
        let error = record.error.clone().unwrap_or_else(|| "no samples".to_owned());
        return vec![Row { error: Some(error), ..blank }];
    }
    let times: Vec<f64> = processes.iter().map(|(_, ns)| *ns).collect();
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
    let measured = |ns: f64| {
        let (bytes_per_second, items_per_second, avg_verify_time_us, txs_per_second) = rates(ns);
        let (name, run_name, label) = (blank.name.clone(), blank.run_name.clone(), blank.label.clone());
        Row {
            name,
            run_name,
            label,
            time: Some(ns / scale),
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
        .map(|(repetition, (operations, ns))| Row { repetition, iterations: *operations, ..measured(*ns) })
        .collect();
    let (Some(mean), Some(median), Some(deviation)) = (mean(&times), median(&times), standard_deviation(&times)) else {
        return rows;
    };
    let aggregate = |name: &'static str, row: Row| Row {
        name: format!("{}_{name}", row.run_name),
        aggregate: Some(name),
        iterations: repetitions as u64,
        ..row
    };
    rows.push(aggregate("mean", measured(mean)));
    rows.push(aggregate("median", measured(median)));
    let spread = |value| Row {
        time: Some(value),
        bytes_per_second: None,
        items_per_second: None,
        avg_verify_time_us: None,
        txs_per_second: None,
        ..measured(mean)
    };
    rows.push(aggregate("stddev", spread(deviation / scale)));
    if mean > 0.0 {
        rows.push(aggregate("cv", spread(deviation / mean)));
    }
    rows
}

/// For each process with usable samples its operations and their mean time in ns.
fn processes(samples: &Samples) -> Vec<(u64, f64)> {
    let mut all: BTreeMap<Worker, Vec<f64>> = BTreeMap::new();
    for visit in samples.usable().filter(|visit| !visit.ticks.is_empty()) {
        all.entry(visit.worker()).or_default().extend(samples.ns_per_operation(visit));
    }
    all.values().filter_map(|times| Some((times.len() as u64 * samples.batch, mean(times)?))).collect()
}

/// The unit that fits a time in ns, and its length in ns.
fn unit(ns: f64) -> (&'static str, f64) {
    match ns {
        ns if ns >= 1e9 => ("s", 1e9),
        ns if ns >= 1e6 => ("ms", 1e6),
        ns if ns >= 1e3 => ("us", 1e3),
        _ => ("ns", 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn json(run: &Run) -> Value {
        serde_json::from_slice(&written(&GoogleBenchmark, run)).unwrap()
    }

    fn csv_rows(run: &Run) -> Vec<BTreeMap<String, String>> {
        let bytes = written(&GoogleBenchmarkCsv, run);
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let headings = reader.headers().unwrap().clone();
        let named = |row: csv::StringRecord| {
            headings.iter().map(str::to_owned).zip(row.iter().map(str::to_owned)).collect::<BTreeMap<_, _>>()
        };
        reader.records().map(|row| named(row.unwrap())).collect()
    }

    #[test]
    fn the_columns_are_the_references() {
        let text = String::from_utf8(written(&GoogleBenchmarkCsv, &fixtures::run())).unwrap();
        let reference = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,\
                         error_occurred,error_message,avg_verify_time_us,txs_per_second";
        assert_eq!(text.lines().next(), Some(reference));
    }

    #[test]
    fn a_block_of_the_ledger_has_its_rates() {
        let mut run = fixtures::run();
        run.records = vec![fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 1_508.0)];
        let rows = csv_rows(&run);
        // Eight processes, and mean, median, standard deviation and coefficient of variation over them.
        assert_eq!(rows.len(), 12);
        for row in &rows[..9] {
            let number = |name: &str| row[name].parse::<f64>().unwrap();
            assert_eq!(row["time_unit"], "ms");
            assert!((number("real_time") - 1.508).abs() < 0.03, "{row:?}");
            assert!((number("avg_verify_time_us") - number("real_time") * 10.0).abs() < 1e-9);
            assert!((number("txs_per_second") * number("avg_verify_time_us") / 1e6 - 1.0).abs() < 1e-9);
            assert_eq!(row["items_per_second"], row["txs_per_second"]);
            assert!((number("bytes_per_second") / number("txs_per_second") - 5327.0).abs() < 1e-6);
        }
        assert!(rows[8]["name"].ends_with("_mean") && rows[11]["name"].ends_with("_cv"));
        assert_eq!((rows[8]["iterations"].as_str(), rows[11]["txs_per_second"].as_str()), ("8", ""));
    }

    #[test]
    fn json_and_csv_have_the_same_figures() {
        let run = fixtures::run();
        let document = json(&run);
        let benchmarks = document["benchmarks"].as_array().unwrap();
        let rows = csv_rows(&run);
        assert_eq!(benchmarks.len(), rows.len());
        for (benchmark, row) in benchmarks.iter().zip(&rows) {
            assert_eq!(benchmark["name"], row["name"].as_str());
            let failed = benchmark["error_occurred"] == true;
            assert_eq!(failed, row["error_occurred"] == "true");
            if !failed {
                assert_eq!(benchmark["real_time"].as_f64(), row["real_time"].parse().ok());
                assert_eq!(benchmark["iterations"].as_u64(), row["iterations"].parse().ok());
                assert_eq!(benchmark["time_unit"], row["time_unit"].as_str());
            }
        }
        for key in ["date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches", "library_build_type"] {
            assert!(!document["context"][key].is_null(), "{key}");
        }
    }

    #[test]
    fn a_failed_case_is_an_error_and_hostile_names_come_back() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        run.records.truncate(3);
        let rows = csv_rows(&run);
        assert!(rows[0]["name"].contains(fixtures::HOSTILE));
        let failed = rows.last().unwrap();
        assert_eq!((failed["error_occurred"].as_str(), failed["real_time"].as_str()), ("true", ""));
        assert_eq!(failed["error_message"], "decapsulation gave another secret");
    }
}
