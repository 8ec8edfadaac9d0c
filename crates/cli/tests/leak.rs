//! Tests the text, JSON documents and exit codes of `pqlab leak`. Verdicts depend on timing and are tested elsewhere.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use pqlab_testing::{Need, program, require};
use serde_json::Value;

#[test]
fn tests_are_listed_with_their_classes() {
    let pqlab = Pqlab::new();
    let list = pqlab.expect(0, &["leak", "--list"]);
    assert!(list.contains("compare/naive/tags[secret=place]@built-in"), "{list}");
    let tests: Value = serde_json::from_str(&pqlab.expect(0, &["leak", "--list", "--json", "compare/*"])).unwrap();
    assert_eq!(tests.as_array().unwrap().len(), 3);
    assert_eq!(tests[0]["operation"], "compare/naive/tags@built-in");
    assert_eq!((&tests[0]["role"], &tests[2]["role"]), (&Value::from("secret"), &Value::from("nothing")));
}

#[test]
fn impossible_tests_are_refused_in_one_line() {
    let pqlab = Pqlab::new();
    for (arguments, word) in [
        (&["leak"][..], "CASE"),
        (&["leak", "kem/nothing"], "--list"),
        (&["leak", "compare/*", "--samples", "10"], "samples"),
        (&["leak", "compare/*", "--effect", "-1"], "above zero"),
        (&["leak", "compare/*", "--planted", "NaN"], "above zero"),
        (&["leak", "compare/*", "--max-time", "0"], "above zero"),
    ] {
        let output = pqlab.run(arguments);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.trim_end().lines().count() == 1 && err.contains(word), "{arguments:?}: {err}");
    }
}

#[test]
fn tainting_without_valgrind_is_refused_in_one_line() {
    let pqlab = Pqlab::new();
    let refused = pqlab.command(&["leak", "--taint", "compare/*"]).env("PATH", pqlab.path("empty")).output().unwrap();
    let err = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{err}");
    assert!(err.trim_end().lines().count() == 1 && err.contains("install the `valgrind` package"), "{err}");
}

#[test]
fn a_branch_on_a_secret_is_named_and_a_constant_time_comparison_has_none() {
    require!(program("valgrind"), Need::Installed("valgrind"));
    let pqlab = Pqlab::new();
    let document: Value = serde_json::from_str(&pqlab.expect(1, &["leak", "--taint", "--json", "compare/*"])).unwrap();
    let tests = document["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 2, "{document}");
    let finding = &tests[0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["parsing"]), (&Value::from("branch"), &Value::from(false)));
    assert!(finding["function"].as_str().unwrap().contains("naive"), "{document}");
    assert_eq!((&tests[1]["findings"], &tests[1]["gap"]), (&Value::from(Vec::<Value>::new()), &Value::Null));
}

#[test]
fn every_test_has_a_verdict_and_its_figures() {
    let pqlab = Pqlab::new();
    let output = pqlab.run(&["leak", "compare/constant-time/*", "--samples", "4000", "--repeat", "2", "--json"]);
    let document: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let tests = document["tests"].as_array().unwrap();
    assert_eq!((&document["schema"], tests.len()), (&Value::from("pqlab-leak/1"), 4));
    for test in tests {
        let verdict = test["verdict"].as_str().unwrap();
        assert!(["leak", "none", "inconclusive", "void"].contains(&verdict), "{test}");
        let figures = &test["figures"];
        assert_eq!((&figures["samples"], &figures["planted_ns"]), (&Value::from(4000), &Value::from(50.0)));
        assert_eq!(figures["tenths"].as_array().unwrap().len(), 9);
        let [low, high] = [0, 1].map(|end| figures["effect"]["ci_ns"][end].as_f64().unwrap());
        assert!(low <= high && figures["bound_ns"].as_f64().unwrap() >= 0.0);
        assert!(figures["detectable_ns"].as_f64().unwrap() >= 3.0, "{test}");
        let limits: Vec<&str> =
            test["limits"].as_array().unwrap().iter().map(|limit| limit.as_str().unwrap()).collect();
        assert!(limits[0].contains(test["classes"].as_str().unwrap()) && limits[2].contains("this machine"), "{test}");
        assert_eq!(
            limits.iter().any(|limit| limit.contains("does not prove constant time")),
            verdict == "none",
            "{test}"
        );
        let has_reason = test["reason"].is_string();
        assert_eq!(has_reason, ["inconclusive", "void"].contains(&verdict), "{test}");
    }
    assert!([Some(0), Some(1), Some(3)].contains(&output.status.code()));
}
