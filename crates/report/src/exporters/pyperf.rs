//! pyperf's JSON format, version 1.0, for `python -m pyperf show`, `check`, `hist` and `compare_to`.

use super::{ExportError, Exporter, Format, finish_json};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{Samples, Visit, Worker};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// Every case with a figure becomes a benchmark, and every process becomes a run of the benchmark. Every sample becomes
/// a value in seconds per operation. Caveats become metadata of the benchmark, such as `pqlab_caveat_defect`.
///
/// The file contains only samples that the estimates use, so it usually omits disturbed visits. It also omits zeros,
/// which pyperf rejects, and cases that have no other values.
pub(super) struct Pyperf;

#[derive(Serialize)]
struct Document {
    version: &'static str,
    metadata: Map<String, Value>,
    benchmarks: Vec<Benchmark>,
}

#[derive(Serialize)]
struct Benchmark {
    metadata: Map<String, Value>,
    runs: Vec<Process>,
}

#[derive(Serialize)]
struct Process {
    values: Vec<f64>,
}

impl Exporter for Pyperf {
    fn format(&self) -> Format {
        Format {
            name: "pyperf",
            describe: "pyperf's JSON: one run per process, one value per sample",
            extension: "json",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let header = &analysis.run.header;
        let environment = &header.environment;
        // pyperf rejects empty values for these keys.
        let pairs = [
            ("hostname", environment.host.name.clone().unwrap_or_default()),
            ("cpu_model_name", environment.cpu.model.clone()),
            ("platform", format!("{} {}", environment.os.name, environment.os.kernel)),
            ("pqlab_run", header.id.clone()),
            ("pqlab_command", header.command.clone()),
        ];
        let mut metadata = text(pairs);
        metadata.insert("cpu_count".to_owned(), json!(environment.cpu.cores.max(1)));
        let benchmarks = analysis.cases().iter().filter_map(benchmark).collect();
        finish_json(&Document { version: "1.0", metadata, benchmarks }, out)
    }
}

/// Converts pairs of name and value to metadata. Puts each value on one line and omits pairs with empty values.
fn text<K: Into<String>>(pairs: impl IntoIterator<Item = (K, String)>) -> Map<String, Value> {
    let line = |value: String| value.split_whitespace().collect::<Vec<_>>().join(" ");
    let pairs = pairs.into_iter().map(|(key, value)| (key.into(), line(value)));
    pairs.filter(|(_, value)| !value.is_empty()).map(|(key, value)| (key, Value::String(value))).collect()
}

fn benchmark(analysed: &CaseAnalysis<'_>) -> Option<Benchmark> {
    if analysed.failed() {
        return None;
    }
    let samples = &analysed.record.samples;
    let mut by_process: BTreeMap<Worker, Vec<f64>> = BTreeMap::new();
    for visit in samples.usable() {
        by_process.entry(visit.worker()).or_default().extend(values(samples, visit));
    }
    let runs: Vec<Process> =
        by_process.into_values().filter(|values| !values.is_empty()).map(|values| Process { values }).collect();
    let case = analysed.case();
    let mut metadata = text([
        ("name", case.id()),
        ("unit", "second".to_owned()),
        ("pqlab_algorithm", case.algorithm.clone()),
        ("pqlab_operation", case.operation.clone()),
        ("pqlab_provider", case.provider.clone()),
    ]);
    let caveats = analysed.caveats.by_word();
    metadata.extend(text(caveats.into_iter().map(|(word, says)| (format!("pqlab_caveat_{word}"), says))));
    metadata.insert("loops".to_owned(), json!(samples.batch.max(1)));
    (!runs.is_empty()).then_some(Benchmark { metadata, runs })
}

fn values(samples: &Samples, visit: &Visit) -> Vec<f64> {
    samples.ns_per_operation(visit).into_iter().filter(|ns| *ns > 0.0).map(|ns| ns / 1e9).collect()
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;

    #[test]
    fn processes_become_runs_and_samples_values() {
        let run = fixtures::run();
        let read: Value = serde_json::from_slice(&written(&Pyperf, &run)).unwrap();
        assert_eq!(read["version"], "1.0");
        let first = &read["benchmarks"][0];
        assert_eq!(first["metadata"]["name"], run.records[0].case.id());
        let runs = first["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 8);
        assert!(runs.iter().all(|run| run["values"].as_array().unwrap().len() == 80));
        assert_eq!(read["benchmarks"].as_array().unwrap().len(), 6);
    }
}
