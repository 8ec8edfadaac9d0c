//! hyperfine's JSON format (`--export-json`), for hyperfine's own scripts.

use super::{ExportError, Exporter, Format, finish_json, without_floor};
use indexmap::IndexMap;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use serde::Serialize;
use std::io::Write;

/// Every case with a figure, except overhead cases, becomes a command. Each sample becomes a time in seconds. If the
/// parameter `batch` is above 1, each time is the mean per operation over a batch. User and system times are null,
/// because they are not measured. hyperfine's scripts ignore the additional field `caveats`.
pub(super) struct Hyperfine;

#[derive(Serialize)]
struct Document {
    results: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    command: String,
    mean: f64,
    stddev: Option<f64>,
    median: f64,
    user: Option<f64>,
    system: Option<f64>,
    min: f64,
    max: f64,
    times: Vec<f64>,
    exit_codes: Vec<Option<i32>>,
    parameters: IndexMap<&'static str, String>,
    caveats: IndexMap<String, String>,
}

impl Exporter for Hyperfine {
    fn format(&self) -> Format {
        Format { name: "hyperfine", describe: "hyperfine's JSON, with every sample", extension: "json" }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let seconds = |ns: f64| ns / 1e9;
        let entry = |analysed: &CaseAnalysis<'_>| {
            let estimates = analysed.estimates.as_ref()?;
            let samples = &analysed.record.samples;
            let times: Vec<f64> =
                samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).map(seconds).collect();
            let case = analysed.case();
            let description = &estimates.samples_ns;
            let parameters = IndexMap::from([
                ("algorithm", case.algorithm.clone()),
                ("operation", case.operation.clone()),
                ("provider", case.provider.clone()),
                ("batch", estimates.batch.to_string()),
            ]);
            Some(Entry {
                command: case.id(),
                mean: seconds(description.mean),
                stddev: description.stdev.map(seconds),
                median: seconds(estimates.median_ns.estimate),
                user: None,
                system: None,
                min: seconds(description.min),
                max: seconds(description.max),
                exit_codes: vec![Some(0); times.len()],
                times,
                parameters,
                caveats: analysed.caveats.by_word(),
            })
        };
        finish_json(&Document { results: without_floor(analysis).filter_map(entry).collect() }, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;

    #[test]
    fn all_times_are_exported_in_seconds() {
        let run = fixtures::run();
        let read: serde_json::Value = serde_json::from_slice(&written(&Hyperfine, &run)).unwrap();
        let first = &read["results"][0];
        assert_eq!(first["command"], run.records[0].case.id());
        assert_eq!(first["times"].as_array().unwrap().len(), run.records[0].samples.count());
        let median = first["median"].as_f64().unwrap();
        assert!((10.0e-6..11.0e-6).contains(&median), "{median}");
        assert!(first["min"].as_f64().unwrap() <= median && median <= first["max"].as_f64().unwrap());
    }
}
