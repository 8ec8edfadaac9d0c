//! Comparisons, baselines and the noise of a machine on the command line. Nothing here depends on how long anything takes.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;

const FAST: &[&str] = &["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];

/// Runs some cases and returns nothing but a finished run in the store.
fn measured(pqlab: &Pqlab, more: &[&str]) {
    let mut arguments = vec!["run", "kem", "--filter", "kem/ML-KEM-512/*@rustcrypto"];
    arguments.extend(FAST);
    arguments.extend(more);
    pqlab.expect(0, &arguments);
}

#[test]
fn a_run_compared_with_itself_is_equivalent() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &["--save-baseline", "first"]);
    // The same samples on both sides: a ratio of exactly one, whatever they are.
    let output = pqlab.run(&["compare", "first", "last", "--margin", "1000", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["different_machines"].is_null() && json["differences"].as_array().unwrap().is_empty());
    assert_eq!((&json["correction"], &json["margin_source"]), (&"benjamini-hochberg".into(), &"--margin".into()));
    let cases = json["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        assert_eq!((case["ratio"].as_f64(), case["p_value"].as_f64()), (Some(1.0), Some(1.0)), "{case}");
    }
    let shown = text(&pqlab.run(&["compare", "last", "last"]).stdout);
    assert!(shown.contains("Benjamini-Hochberg") && shown.contains("1.000"), "{shown}");
}

#[test]
fn cases_of_one_run_are_paired_where_the_stars_agree() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let output = pqlab.run(&["compare", "*/encapsulate@*", "*/decapsulate@*", "--json"]);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cases = json["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0]["first"], "kem/ML-KEM-512/encapsulate@rustcrypto");
    assert_eq!(cases[0]["second"], "kem/ML-KEM-512/decapsulate@rustcrypto");
    assert_eq!(cases[0]["paired"], true);
}

#[test]
fn bad_comparisons_say_how_to_mend_them() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    for (arguments, word) in [
        (&["compare", "last", "nothing"][..], "nothing"),
        (&["compare", "last", "last", "--margin", "-1"][..], "--margin"),
        (&["compare", "kem/*", "signature/*"][..], "signature/*"),
        (&["compare", "*encapsulate@*", "*@rustcrypto", "--run", "last~4"][..], "last~4"),
        (&["run", "--baseline", "nothing"][..], "nothing"),
        (&["run", "--fail-slower", "3"][..], "--baseline"),
        (&["doctor", "--aa", "--case", "nothing"][..], "nothing"),
    ] {
        let output = pqlab.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(word), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr).lines().count(), 1, "{arguments:?}");
    }
}

#[test]
fn a_baseline_is_measured_again() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &["--save-baseline", "release-1.0"]);
    // No machine is ten times slower all of a sudden, twice.
    let mut arguments = vec!["run", "--baseline", "release-1.0", "--fail-slower", "900"];
    arguments.extend(["--no-progress", "--max-time", "0.05"]);
    let shown = pqlab.expect(0, &arguments);
    assert!(shown.contains("kem/ML-KEM-512/decapsulate@rustcrypto") && shown.contains("verdict"), "{shown}");
    assert_eq!(text(&pqlab.run(&["runs", "--json"]).stdout).matches("\"id\"").count(), 2);
}

#[test]
fn the_noise_of_a_machine_is_kept_for_verdicts() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let noise =
        pqlab.expect(0, &["doctor", "--aa", "--comparisons", "5", "--case", "hash/SHA3-256/*rustcrypto*", "--json"]);
    let noise: Value = serde_json::from_str(&noise).unwrap();
    assert_eq!(noise["comparisons"], 5);
    let json: Value = serde_json::from_slice(&pqlab.run(&["compare", "last", "last", "--json"]).stdout).unwrap();
    assert_eq!((&json["margin_pct"], &json["run_spread_pct"]), (&noise["margin_pct"], &noise["run_spread_pct"]));
    assert_eq!(text(&pqlab.run(&["runs", "--json"]).stdout).matches("\"id\"").count(), 1, "its runs are not kept");
}
