//! Tests the interface that scripts rely on: JSON fields, events, exporters and help.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod common;

use common::Pqlab;
use serde_json::Value;

/// Fields of a result, and whether their values may be null.
const RESULT: &[(&str, bool)] = &[
    ("id", false),
    ("name", false),
    ("workload", false),
    ("algorithm", false),
    ("standardization", true),
    ("operation", false),
    ("provider", false),
    ("parameters", false),
    ("status", false),
    ("error", true),
    ("verified", false),
    ("contended", false),
    ("precision_reached", false),
    ("encoding", true),
    ("backend", true),
    ("batch", false),
    ("n", false),
    ("processes", false),
    ("median_us", false),
    ("median_ci_us", false),
    ("mean_us", true),
    ("stdev_us", true),
    ("cov_pct", true),
    ("min_us", true),
    ("max_us", true),
    ("p5_us", true),
    ("p25_us", true),
    ("p75_us", true),
    ("p95_us", true),
    ("p99_us", true),
    ("iqm_us", true),
    ("ops_per_s", false),
    ("ticks", true),
    ("ticks_per_byte", true),
    ("sizes", false),
    ("second_chance", true),
    ("uninterrupted_mean_us", true),
    ("uninterrupted_mean_core_cycles", true),
    ("interrupted_percentiles", true),
];
const SIZES: &[&str] = &["public_key", "secret_key", "ciphertext", "shared_secret", "signature"];

fn has<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, key| {
        value
            .as_object()
            .and_then(|object| object.get(key))
            .unwrap_or_else(|| panic!("{path} is missing at {key}: {value}"))
    })
}

fn check_result(result: &Value) {
    for (field, null) in RESULT {
        assert!(*null || !has(result, field).is_null(), "{field} is null in {result}");
    }
    for size in SIZES {
        has(result, &format!("sizes.{size}"));
    }
    let interval = result["median_ci_us"].as_array().unwrap();
    let median = result["median_us"].as_f64().unwrap();
    assert!(interval[0].as_f64().unwrap() <= median && median <= interval[1].as_f64().unwrap(), "{result}");
    if result["batch"].as_u64().unwrap() > 1 {
        for field in ["stdev_us", "cov_pct", "p5_us", "p95_us", "p99_us"] {
            assert!(result[field].is_null(), "{field} describes single operations, so it must be null: {result}");
        }
    }
}

/// The `misbehaving` provider exists only for tests. It must never be part of the user's program.
#[test]
fn the_program_has_no_provider_for_tests() {
    let listed = Pqlab::new().expect(0, &["list", "providers", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"null") && !ids.contains(&"misbehaving"), "{ids:?}");
}

#[test]
fn events_and_export_agree_and_follow_the_contract() {
    let pqlab = Pqlab::new();
    let events = pqlab.expect(0, &["run", "smoke", "--json", "--seed", "1", "--no-progress"]);
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.first().unwrap()["event"], "begin");
    assert_eq!(events.last().unwrap()["event"], "end");

    let export: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    assert_eq!(export["schema"], "pqlab/1");
    for document in [&export, events.first().unwrap()] {
        for path in [
            "run.id",
            "run.suite",
            "run.command",
            "run.seed",
            "environment.host",
            "environment.cpu.model",
            "environment.cpu.cores",
            "environment.cpu.features",
            "environment.cpu.governor",
            "environment.cpu.turbo",
            "environment.cpu.virtualized",
            "environment.os",
            "environment.build.rustc",
            "environment.build.profile",
            "environment.build.commit",
            "environment.providers",
            "environment.counters.primary",
            "environment.counters.ticks_per_second",
            "environment.counters.core_clock_estimate_hz",
            "environment.core.latencies",
            "environment.core.additions_per_cycle",
            "environment.core.usual_additions_per_cycle",
            "environment.core.interruptions.share_pct",
            "run.second_chances",
            "run.second_chances_undisturbed",
            "harness.patience_s",
            "harness.protocol",
            "harness.iterations",
            "harness.warmup",
            "harness.outlier_trim_pct",
            "harness.processes",
            "harness.floor_ns",
        ] {
            has(document, path);
        }
    }
    has(&export, "generated_at");
    assert_eq!(export["run"]["complete"], true);
    assert_eq!(export["run"]["seed"], 1);
    assert!(export["harness"]["floor_ns"].as_f64().unwrap() > 0.0);

    let results: Vec<&Value> =
        export["results"].as_object().unwrap().values().flat_map(|area| area.as_array().unwrap()).collect();
    results.iter().for_each(|result| check_result(result));
    assert!(results.iter().all(|result| result["status"] == "ok" && result["verified"] == true), "{results:?}");
    let announced: Vec<&Value> =
        events.iter().filter(|event| event["event"] == "case").map(|event| &event["result"]).collect();
    assert_eq!(announced.len(), results.len());
    for result in announced {
        let exported = results.iter().find(|exported| exported["id"] == result["id"]).unwrap();
        assert_eq!(exported["median_us"], result["median_us"], "the same samples must give the same estimate");
    }

    for format in ["csv", "samples-csv"] {
        let text = pqlab.expect(0, &["export", "last", "--format", format]);
        let columns = text.lines().next().unwrap().split(',').count();
        assert!(columns > 5 && text.lines().count() > results.len(), "{format}: {text}");
    }
    let id = "kem/ML-KEM-768/decapsulate@rustcrypto";
    let shown = pqlab.expect(0, &["show", "last", id]);
    assert!(shown.contains("ML-KEM-768") && shown.contains("rustcrypto"), "{shown}");
    assert!(pqlab.expect(0, &["show"]).contains("ML-KEM-768"));
    assert!(pqlab.expect(0, &["runs"]).contains("smoke"));
}

#[test]
fn a_run_can_be_saved_printed_and_narrowed() {
    let pqlab = Pqlab::new();
    let saved = pqlab.path("saved.json");
    let arguments = [
        "run",
        "hash",
        "--provider",
        "rustcrypto",
        "--algorithm",
        "SHA3-256",
        "--lengths",
        "7,136",
        "--iterations",
        "20",
        "--processes",
        "2",
        "--trim",
        "1",
        "--format",
        "csv",
        "--save",
        saved.to_str().unwrap(),
    ];
    let csv = pqlab.expect(0, &arguments);
    assert!(csv.contains("hash/SHA3-256/digest[len=7]@rustcrypto") && csv.contains("[len=136]"), "{csv}");
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
    let results = saved["results"]["hash"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result["n"].as_u64() == Some(20)), "{results:?}");
    assert_eq!(saved["harness"]["protocol"], "fixed");
    assert_eq!(saved["harness"]["outlier_trim_pct"], 1.0);
}

#[test]
fn everything_can_be_listed() {
    let pqlab = Pqlab::new();
    for what in ["cases", "algorithms", "providers", "suites", "exporters", "counters"] {
        assert!(!pqlab.expect(0, &["list", what]).trim().is_empty());
        let json: Value = serde_json::from_str(&pqlab.expect(0, &["list", what, "--json"])).unwrap();
        assert!(!json.as_array().unwrap().is_empty(), "{what}");
    }
    let algorithms: Value = serde_json::from_str(&pqlab.expect(0, &["list", "algorithms", "--json"])).unwrap();
    let kem = algorithms.as_array().unwrap().iter().find(|entry| entry["algorithm"] == "ML-KEM-768").unwrap();
    assert_eq!((&kem["public_key"], &kem["ciphertext"], &kem["category"]), (&1184.into(), &1088.into(), &3.into()));
    assert_eq!(kem["standardization"], serde_json::json!({"stage": "standard", "detail": "FIPS 203"}));
    let listed = pqlab.expect(0, &["list", "algorithms"]);
    let others = listed.lines().find(|line| line.starts_with("Not standards (")).unwrap();
    assert!(others.contains("sets of Falcon (selected by NIST in 2022"), "{others}");
    let providers: Value = serde_json::from_str(&pqlab.expect(0, &["list", "providers", "--json"])).unwrap();
    for (id, lacks) in [("rustls", "SecP384r1MLKEM1024 in TLS"), ("openssl", "SLH-DSA-SHA2-128s in TLS")] {
        let entry = providers.as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap();
        assert!(entry["unsupported"].as_array().unwrap().iter().any(|gap| gap[0] == lacks), "{entry}");
    }
    assert!(pqlab.expect(0, &["list", "providers"]).contains("rustls cannot resume without a key exchange"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(pqlab.expect(0, &["completions", shell]).contains("pqlab"));
    }
    let doctor: Value = serde_json::from_str(&pqlab.expect(0, &["doctor", "--json"])).unwrap();
    assert!(!doctor["counters"].as_array().unwrap().is_empty());
    assert!(pqlab.expect(0, &["--help"]).contains("Examples"));
}

#[test]
fn every_verb_has_a_manual_page() {
    let pqlab = Pqlab::new();
    let out = pqlab.path("man1");
    pqlab.expect(0, &["man", "--out", out.to_str().unwrap()]);
    let page = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    for name in ["pqlab.1", "pqlab-run.1", "pqlab-runs-rm.1", "pqlab-compare-libraries.1", "pqlab-man.1"] {
        let text = page(name);
        for section in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""] {
            assert!(text.contains(section), "{name} has no {section}: {text}");
        }
    }
    assert!(page("pqlab-report.1").contains("base\\-url") && page("pqlab-run.1").contains("pqlab\\-run"));
    let hidden = std::fs::read_dir(&out).unwrap().any(|entry| entry.unwrap().file_name() == "pqlab-worker.1");
    assert!(!hidden, "hidden verbs must not have a manual page");
    assert_eq!(pqlab.expect(0, &["man", "runs", "rm"]).trim_end(), page("pqlab-runs-rm.1").trim_end());
    for unknown in [&["man", "nothing"][..], &["man", "worker"], &["man", "run", "rm"]] {
        assert_eq!(pqlab.run(unknown).status.code(), Some(2), "{unknown:?}");
    }
}
