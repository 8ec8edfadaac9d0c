//! Tests the structure of the results of `pqlab calibrate --independence` and `--between`, with very short plans.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;

const MOMENT: [&str; 5] = ["kem", "--max-time", "0.02", "--processes", "3"];
const CASES: [&str; 2] = ["--filter", "kem/ML-KEM-512/*[]@rustcrypto"];

#[test]
fn doctor_checks_the_core() {
    let pqlab = Pqlab::new();
    let found: Value = serde_json::from_str(&pqlab.expect(0, &["doctor", "--json"])).unwrap();
    let core = &found["environment"]["core"];
    let latencies = core["latencies"].as_array().unwrap();
    assert!(latencies.iter().all(|latency| latency["links"].as_f64() > Some(0.0)), "{core}");
    assert!(core["interruptions"]["share_pct"].as_f64() >= Some(0.0), "{core}");
    // Which instructions the text names depends on what the second measurement finds.
    let shown = pqlab.expect(0, &["doctor"]);
    assert!(latencies.is_empty() || shown.contains("latency in additions: "), "{shown}");
}

#[test]
fn placement_reports_every_factor() {
    let pqlab = Pqlab::new();
    let arguments = ["doctor", "--placement", "kem/ML-KEM-512/keygen@rustcrypto", "--json"];
    let found: Value = serde_json::from_str(&pqlab.expect(0, &arguments)).unwrap();
    let factors = found["factors"].as_array().unwrap();
    let names: Vec<&str> = factors.iter().map(|factor| factor["factor"].as_str().unwrap()).collect();
    assert_eq!(names, ["inputs", "stack", "heap", "keys"]);
    assert!(factors.iter().all(|factor| factor["p"].as_f64() > Some(0.0) && factor["p"].as_f64() <= Some(1.0)));
    let [all, alike] = [&found["all"], &found["alike"]];
    assert!(alike["processes"].as_u64() <= Some(8) && all["processes"].as_u64() <= Some(48), "{found}");
    assert!(all["low"].as_f64() <= alike["low"].as_f64() && alike["high"].as_f64() <= all["high"].as_f64());
    let runs: Value = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    assert_eq!(runs, Value::Array(Vec::new()), "doctor must not store its runs");
}

#[test]
fn runs_store_the_offsets_of_each_process() {
    let pqlab = Pqlab::new();
    let out = pqlab.path("run.json");
    let moment = ["run", "kem", "--filter", "kem/ML-KEM-512/keygen@rustcrypto", "--max-time", "0.02"];
    let arguments = [&moment[..], &["--processes", "8", "--seed", "3", "--out", out.to_str().unwrap()]].concat();
    pqlab.expect(0, &arguments);
    let run: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    let case = run["results"]["kem"].as_array().unwrap().iter().find(|case| case["provider"] == "rustcrypto").unwrap();
    let offsets = case["process_offsets"].as_array().unwrap();
    assert_eq!(offsets.len(), case["process_medians_us"].as_array().unwrap().len());
    for part in ["stack", "heap", "keys"] {
        let mut eighths: Vec<u64> = offsets.iter().map(|of| of[part].as_u64().unwrap() / 512).collect();
        eighths.sort_unstable();
        eighths.dedup();
        assert_eq!(eighths.len(), offsets.len(), "{part}: {offsets:?}");
    }
}

#[test]
fn independence_measures_each_case_together_and_alone() {
    let pqlab = Pqlab::new();
    let arguments = [&["calibrate", "--independence", "--json", "--seed", "7"], &MOMENT[..], &CASES].concat();
    let output = pqlab.run(&arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let code = if found["holds"] == true { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    let cases = found["cases"].as_array().unwrap();
    let ids = |operation: &str| format!("kem/ML-KEM-512/{operation}@rustcrypto");
    for operation in ["keygen", "encapsulate", "decapsulate"] {
        assert!(cases.iter().any(|case| case["case"] == ids(operation)), "{found}");
    }
    for case in cases {
        assert_eq!(case["ratios"].as_array().unwrap().len(), 2, "there must be one ratio per repetition");
        let [low, ratio, high] =
            [&case["ratio_ci"][0], &case["ratio"], &case["ratio_ci"][1]].map(|figure| figure.as_f64().unwrap());
        assert!(low <= ratio && ratio <= high, "{case}");
    }
    assert_eq!((&found["seed"], &found["repetitions"]), (&7.into(), &2.into()));
    assert_eq!(found["summary"]["cases"], cases.len());
    let runs: Value = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    assert_eq!(runs, Value::Array(Vec::new()), "doctor must not store its runs");
}

#[test]
fn independence_prints_its_results() {
    let pqlab = Pqlab::new();
    let arguments = [&["calibrate", "--independence", "--repetitions", "1"], &MOMENT[..], &CASES].concat();
    let output = pqlab.run(&arguments);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("expected by chance") && printed.contains("in the only repetition"), "{printed}");
    assert!(text(&output.stderr).contains("together and each alone"));
}

#[test]
fn between_compares_intervals_with_the_other_runs() {
    let pqlab = Pqlab::new();
    let arguments = [&["calibrate", "--between", "3", "--pause", "0", "--json"], &MOMENT[..], &CASES].concat();
    let found: Value = serde_json::from_str(&pqlab.expect(0, &arguments)).unwrap();
    let cases = found["by_case"].as_array().unwrap().len();
    assert_eq!((&found["runs"], found["cases"].as_u64()), (&3.into(), Some(cases as u64)));
    assert_eq!(found["time"]["intervals"].as_u64(), Some(3 * cases as u64));
    assert!(found["time"]["covering"].as_u64() <= found["time"]["intervals"].as_u64());
    let undisturbed = &found["undisturbed"]["time"]["intervals"];
    assert!(undisturbed.as_u64() <= found["time"]["intervals"].as_u64(), "{found}");
    assert_eq!(found["run_spreads"].as_array().unwrap().len(), 3);
    let words = pqlab.expect(0, &arguments.into_iter().filter(|argument| *argument != "--json").collect::<Vec<_>>());
    assert!(words.contains("contain the mean of the other runs"), "{words}");
}

#[test]
fn conflicting_options_are_refused() {
    let pqlab = Pqlab::new();
    for (arguments, named) in [
        (&["calibrate", "kem"][..], "--independence"),
        (&["calibrate", "--filter", "*"], "--independence"),
        (&["calibrate", "--independence", "--between", "3"], "--between"),
        (&["calibrate", "--between", "2"], "2"),
        (&["calibrate", "--pause", "3"], "--between"),
        (&["calibrate", "--between", "3", "--pause", "-1"], "pause"),
        (&["calibrate", "--between", "3", "--pause", "1e300"], "pause"),
        (&["calibrate", "--independence", "nothing"], "nothing"),
        (&["doctor", "--placement", "nothing"], "no case is selected"),
    ] {
        let output = pqlab.run(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains(named) && printed.lines().count() == 1, "{arguments:?}: {printed}");
    }
}
