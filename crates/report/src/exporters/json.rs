//! JSON, schema `pqlab/1`: see [`pqlab_record::document`].

use super::tables::TableChoice;
use super::{ExportError, Exporter, Format, finish_json};
use crate::document::{describe_run, describe_table};
use pqlab_analysis::RunAnalysis;
use std::io::{BufWriter, Write};

/// Environment, measurement settings and estimates of a run. Includes the raw samples if requested.
pub(super) struct Json {
    /// Whether to include raw samples.
    pub(super) samples: bool,
    /// Selection of the tables of several cases to write.
    pub(super) tables: TableChoice,
}

impl Exporter for Json {
    fn format(&self) -> Format {
        let (name, describe) = if self.samples {
            ("json-samples", "like json, plus every raw sample, enough to recompute all figures")
        } else {
            ("json", "environment, measurement settings and all figures of every case (schema pqlab/1)")
        };
        Format { name, describe, extension: "json" }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        if let Some(table) = self.tables.one(analysis)? {
            return finish_json(&describe_table(&table), out);
        }
        let document = describe_run(analysis, self.samples, &self.tables.all(analysis));
        let mut out = BufWriter::new(out);
        if self.samples {
            // Do not indent, because every sample would take its own line.
            serde_json::to_writer(&mut out, &document)?;
        } else {
            serde_json::to_writer_pretty(&mut out, &document)?;
        }
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::document::Document;
    use pqlab_record::{Form, Metric, Run};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    /// Returns the example document that exports must match. The example does not specify the contents of `host` and
    /// `os`.
    fn contract() -> Value {
        let example = r#"{
          "schema": "pqlab/1",
          "generated_at": "2026-11-21T19:00:00Z",
          "run": {"id": "...", "suite": "standard", "command": "...", "seed": 1, "complete": true},
          "environment": {"host": {}, "cpu": {"model": "...", "cores": 2, "features": ["avx2", "..."], "governor": "...",
            "turbo": null, "virtualized": true}, "os": {}, "build": {"rustc": "...", "profile": "...", "commit": "..."},
            "providers": [{"id": "liboqs", "version": "0.13.0", "build": "..."}],
            "counters": {"primary": "tsc", "ticks_per_second": 2100000000, "core_clock_estimate_hz": 2700000000}},
          "harness": {"protocol": "adaptive", "iterations": null, "warmup": 100, "outlier_trim_pct": 0, "processes": 8,
            "floor_ns": 2.7},
          "results": {
            "kem": [{
              "id": "kem/ML-KEM-768/encapsulate@liboqs", "name": "ML-KEM-768 encapsulate", "workload": "kem",
              "algorithm": "ML-KEM-768", "operation": "encapsulate", "provider": "liboqs",
              "parameters": {}, "status": "ok", "error": null, "verified": true, "contended": false,
              "precision_reached": true, "encoding": "prepared", "backend": null, "batch": 1, "n": 4000, "processes": 8,
              "median_us": 10.4, "median_ci_us": [10.35, 10.47], "mean_us": 10.6, "stdev_us": 0.33, "cov_pct": 3.1,
              "min_us": 9.9, "max_us": 14.2, "p5_us": 10.1, "p25_us": 10.3, "p75_us": 10.6, "p95_us": 11.2,
              "p99_us": 12.8, "iqm_us": 10.4, "ops_per_s": 96154, "ticks": 21840, "ticks_per_byte": null,
              "sizes": {"public_key": 1184, "secret_key": 2400, "ciphertext": 1088, "shared_secret": 32, "signature": null}
            }]
          }
        }"#;
        serde_json::from_str(example).unwrap()
    }

    fn exported(samples: bool, run: &Run) -> Value {
        serde_json::from_slice(&written(&Json { samples, tables: TableChoice::default() }, run)).unwrap()
    }

    /// Checks that `found` has every field of `contract`. The types must match, unless the field is null in either
    /// document.
    fn assert_holds(path: &str, contract: &Value, found: &Value) {
        match (contract, found) {
            (Value::Object(fields), Value::Object(present)) => {
                for (name, value) in fields {
                    let found = present.get(name).unwrap_or_else(|| panic!("{path}.{name} is missing"));
                    assert_holds(&format!("{path}.{name}"), value, found);
                }
            }
            (Value::Array(values), Value::Array(present)) => {
                let example = &values[0];
                assert!(!present.is_empty(), "{path} is empty");
                present.iter().for_each(|found| assert_holds(&format!("{path}[]"), example, found));
            }
            (Value::Null, _) | (_, Value::Null) => {}
            (Value::Number(_), Value::Number(_))
            | (Value::String(_), Value::String(_))
            | (Value::Bool(_), Value::Bool(_)) => {}
            _ => panic!("{path} is {found}, but must have the type of {contract}"),
        }
    }

    fn keys(value: &Value) -> BTreeSet<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn every_field_of_the_contract_exists() {
        for samples in [false, true] {
            let mut run = fixtures::run();
            assert_holds("", &contract(), &exported(samples, &run));
            run.records.retain(|record| record.case.provider == "liboqs" && record.case.workload == "kem");
            let found = exported(samples, &run);
            assert_holds("", &contract(), &found);
            let row = &found["results"]["kem"][0];
            let example = contract();
            // The contract's example is a successful case with batch 1, so such a case must have
            // null in the same fields.
            for (name, value) in example["results"]["kem"][0].as_object().unwrap() {
                assert_eq!(value.is_null(), row[name].is_null(), "{name}");
            }
        }
    }

    #[test]
    fn every_row_has_the_same_fields() {
        let found = exported(false, &fixtures::run());
        let rows: Vec<&Value> =
            found["results"].as_object().unwrap().values().flat_map(|area| area.as_array().unwrap()).collect();
        assert_eq!(rows.len(), fixtures::run().records.len());
        for row in &rows {
            assert_eq!(keys(row), keys(rows[0]));
            assert_eq!(keys(&row["sizes"]), keys(&rows[0]["sizes"]));
        }
        let areas: Vec<&String> = found["results"].as_object().unwrap().keys().collect();
        assert_eq!(areas.len(), fixtures::run().areas().len());
    }

    #[test]
    fn figures_follow_from_the_samples() {
        let run = fixtures::run();
        let found = exported(true, &run);
        let row = &found["results"]["kem"][0];
        let (batch, ns) = (row["batch"].as_f64().unwrap(), row["samples"]["ns_per_tick"].as_f64().unwrap());
        let visits = row["samples"]["visits"].as_array().unwrap();
        let ticks = visits.iter().flat_map(|visit| visit["ticks"].as_array().unwrap());
        let mut times: Vec<f64> = ticks.map(|ticks| ticks.as_f64().unwrap() * ns / batch).collect();
        times.sort_by(f64::total_cmp);
        let middle = f64::midpoint(times[times.len() / 2 - 1], times[times.len() / 2]) / 1000.0;
        let number = |name: &str| row[name].as_f64().unwrap();
        assert!((number("median_us") - middle).abs() < 1e-9);
        assert_eq!(number("n") as usize, times.len());
        let (low, high) = (row["median_ci_us"][0].as_f64().unwrap(), row["median_ci_us"][1].as_f64().unwrap());
        assert!(low < middle && middle < high);
        assert!((number("ops_per_s") * number("mean_us") - 1e6).abs() < 1e-3);
        assert!((number("ticks") * ns - number("median_us") * 1000.0).abs() < 1e-6);
        let ascending = ["min_us", "p5_us", "p25_us", "median_us", "p75_us", "p95_us", "p99_us", "max_us"];
        assert!(ascending.windows(2).all(|pair| number(pair[0]) <= number(pair[1])));
        assert_eq!(row["counter"], "tsc");
        assert_eq!(row["interval_method"], "crossed-t");
        assert_eq!(row["process_medians_us"].as_array().unwrap().len(), 8);
        assert!((found["harness"]["floor_ns"].as_f64().unwrap() - 2.7).abs() < 0.2);
    }

    #[test]
    fn batches_have_no_figures_of_single_operations() {
        let mut run = fixtures::run();
        run.records[0].samples.batch = 16;
        let found = exported(false, &run);
        let row = &found["results"]["kem"][0];
        for name in
            ["stdev_us", "cov_pct", "min_us", "max_us", "p5_us", "p25_us", "p75_us", "p95_us", "p99_us", "iqm_us"]
        {
            assert!(row[name].is_null(), "{name}");
        }
        for name in ["median_us", "median_ci_us", "mean_us", "ops_per_s", "ticks", "half_width_pct"] {
            assert!(!row[name].is_null(), "{name}");
        }
        assert_eq!(row["batch"], 16);
    }

    #[test]
    fn failed_cases_keep_their_row() {
        let found = exported(false, &fixtures::run());
        let rows = found["results"]["kem"].as_array().unwrap();
        let row = rows.iter().find(|row| row["status"] == "failed").unwrap();
        assert_eq!(row["error"], "decapsulation gave a different secret");
        assert_eq!((&row["verified"], &row["n"]), (&json!(false), &json!(0)));
        assert!(row["median_us"].is_null() && row["median_ci_us"].is_null() && row["batch"].is_null());
        assert_eq!(found["run"]["failed"], 1);
        assert_eq!(row["sizes"]["public_key"], 1184);
    }

    #[test]
    fn counters_are_named_and_not_mixed_up() {
        let mut run = fixtures::run();
        run.records[0].case.facts.bytes = Some(64);
        run.records[0].case.workload = "hash".to_owned();
        let row = exported(false, &run)["results"]["hash"][0].clone();
        assert!(row["ticks_per_byte"].is_number() && row["cycles"].is_null());
        assert_eq!(row["core_cycles_source"], "estimated");
        assert_eq!(row["cycles_per_byte"].as_f64().unwrap() * 64.0, row["core_cycles"].as_f64().unwrap());
        run.records[0].samples.metric = Metric::Cycles;
        let row = exported(false, &run)["results"]["hash"][0].clone();
        assert_eq!((&row["counter"], &row["cycles"]), (&json!("cycles"), &row["ticks"]));
        assert!(row["cycles_per_byte"].is_number() && row["instructions"].is_null());
        assert_eq!((&row["core_cycles_source"], &row["core_cycles"]), (&json!("counter"), &row["cycles"]));
        run.records[0].samples.metric = Metric::Wall;
        let row = exported(false, &run)["results"]["hash"][0].clone();
        assert!(row["ticks"].is_null() && row["ticks_per_byte"].is_null());
    }

    #[test]
    fn rows_have_parameters_and_identity() {
        let found = exported(false, &fixtures::run());
        let rows = found["results"]["signature"].as_array().unwrap();
        let row = rows.iter().find(|row| row["backend"] == "avx2").unwrap();
        assert_eq!(row["parameters"], json!({"len": 1024, "deterministic": true, "regime": "disk"}));
        assert_eq!(row["encoding"], "encoded");
        assert_eq!(row["id"], "signature/ML-DSA-65/verify[encoded,len=1024,deterministic,regime=disk]@libcrux:avx2");
    }

    #[test]
    fn rows_have_the_standardization_of_known_algorithms() {
        let mut run = fixtures::run();
        run.records[1].case.algorithm = "MAYO-2".to_owned();
        run.records[2].case.algorithm = "no-such-algorithm".to_owned();
        let found = exported(false, &run);
        let rows = found["results"]["kem"].as_array().unwrap();
        let of = |algorithm: &str| &rows.iter().find(|row| row["algorithm"] == algorithm).unwrap()["standardization"];
        assert_eq!(*of("ML-KEM-768"), json!({"stage": "standard", "detail": "FIPS 203"}));
        assert_eq!(of("MAYO-2")["stage"], "candidate");
        assert!(of("no-such-algorithm").is_null());
    }

    #[test]
    fn workers_and_loaded_libraries_have_their_language() {
        let found = exported(false, &fixtures::workers_run());
        let rows = found["results"]["kem"].as_array().unwrap();
        let of = |provider: &str| rows.iter().find(|row| row["provider"] == provider).unwrap();
        for (provider, language, kind) in
            [("go", "go", "worker"), ("script", "javascript", "worker"), ("branch", "c", "liboqs")]
        {
            assert_eq!((&of(provider)["language"], &of(provider)["library"]["kind"]), (&json!(language), &json!(kind)));
            assert_eq!(of(provider)["library"]["label"], provider);
        }
        assert!(of("openssl")["language"].is_null() && of("openssl")["library"].is_null());
        assert!((found["harness"]["floor_ns"].as_f64().unwrap() - 2.7).abs() < 0.1, "floor of a worker");
    }

    #[test]
    fn infinity_and_nan_are_null() {
        let mut run = fixtures::run();
        run.header.environment.counters.resolution_ns = f64::NAN;
        run.header.environment.counters.ticks_per_second = Some(f64::INFINITY);
        run.records[0].samples.visits.iter_mut().for_each(|visit| visit.ticks.fill(0));
        let found = exported(false, &run);
        assert!(found["environment"]["counters"]["resolution_ns"].is_null());
        assert!(found["environment"]["counters"]["ticks_per_second"].is_null());
        let row = &found["results"]["kem"][0];
        assert_eq!(row["median_us"], 0.0);
        assert!(row["ops_per_s"].is_null() && row["cov_pct"].is_null() && row["half_width_pct"].is_null());
        assert_eq!(row["median_ci_us"][0], 0.0);
    }

    #[test]
    fn documents_survive_a_round_trip() {
        for samples in [false, true] {
            let document = describe_run(&RunAnalysis::new(&fixtures::run()), samples, &[]);
            let bytes = written(&Json { samples, tables: TableChoice::default() }, &fixtures::run());
            assert_eq!(serde_json::from_slice::<Document>(&bytes).unwrap(), document);
            let row = &document.results["signature"][1];
            assert_eq!(row.encoding, Some(Form::Encoded));
            assert_eq!(row.parameters.keys().collect::<Vec<_>>(), ["len", "deterministic", "regime"]);
            assert_eq!(row.samples.is_some(), samples);
        }
    }

    #[test]
    fn hostile_names_stay_strings() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        let found = exported(false, &run);
        assert_eq!(found["results"]["kem"][0]["algorithm"], fixtures::HOSTILE);
    }
}
