//! Tests comparisons, baselines and machine noise on the command line. No test depends on timing.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use pqlab_lab::stats::Verdict;
use serde_json::Value;

const FAST: &[&str] = &["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];

/// Measures some cases and leaves a finished run in the store.
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
    // With the same samples on both sides, every ratio is exactly one.
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
    let shown = text(&pqlab.run(&["compare", "last", "last", "--wide"]).stdout);
    assert!(shown.contains("Benjamini-Hochberg") && shown.contains("1.000"), "{shown}");
}

#[test]
fn cases_of_one_run_are_paired_if_their_stars_agree() {
    let pqlab = Pqlab::new();
    let filter = ["run", "kem", "--algorithm", "ML-KEM-512", "--provider", "rustcrypto", "--provider", "aws-lc"];
    let chosen = ["--filter", "*/encapsulate[]@*", "--filter", "*/decapsulate[]@*"];
    pqlab.expect(0, &[&filter[..], &chosen, FAST].concat());
    let compare = |first: &str, second: &str| {
        let output = pqlab.run(&["compare", first, second, "--json"]);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let pair = |case: &Value| {
            let id = |side: &str| case[side].as_str().unwrap().to_owned();
            (id("first"), id("second"), case["paired"].as_bool().unwrap())
        };
        json["cases"].as_array().unwrap().iter().map(pair).collect::<Vec<_>>()
    };
    // Different libraries are measured in the same rounds, which pairs their samples. Different
    // operations are measured one after the other.
    let id = |operation: &str, provider: &str| format!("kem/ML-KEM-512/{operation}@{provider}");
    let mut libraries = compare("*@rustcrypto", "*@aws-lc");
    libraries.sort();
    let wanted = |operation| (id(operation, "rustcrypto"), id(operation, "aws-lc"), true);
    assert_eq!(libraries, [wanted("decapsulate"), wanted("encapsulate")]);
    let mut operations = compare("*/encapsulate[]@*", "*/decapsulate[]@*");
    operations.sort();
    let wanted = |provider| (id("encapsulate", provider), id("decapsulate", provider), false);
    assert_eq!(operations, [wanted("aws-lc"), wanted("rustcrypto")]);
}

#[test]
fn compares_with_the_newest_earlier_run_of_the_same_cases() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let output = pqlab.run(&["compare"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("has a case in common with it; name a run"), "{}", text(&output.stderr));
    pqlab.expect(0, &[&["run", "hash", "--algorithm", "SHA3-256", "--provider", "rustcrypto"], FAST].concat());
    measured(&pqlab, &[]);
    let json = |arguments: &[&str]| serde_json::from_slice::<Value>(&pqlab.run(arguments).stdout).unwrap();
    let chosen = json(&["compare", "--json"]);
    assert_eq!(chosen, json(&["compare", "last~2", "last", "--json"]));
    assert!(!chosen["cases"].as_array().unwrap().is_empty());
}

#[test]
fn bad_comparisons_are_refused_in_one_line() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    for (arguments, word) in [
        (&["compare", "last", "nothing"][..], "nothing"),
        (&["compare", "last", "last", "--margin", "-1"][..], "--margin"),
        (&["compare", "kem/*", "signature/*"][..], "signature/*"),
        (&["compare", "*encapsulate@*", "*@rustcrypto", "--run", "last~4"][..], "last~4"),
        (&["gate", "nothing"][..], "nothing"),
        (&["run", "--fail-slower", "3"][..], "--baseline"),
        (&["run", "kem", "--save-baseline", "last"][..], "last"),
        (&["calibrate", "--case", "nothing"][..], "no case is selected"),
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
    // No machine becomes ten times slower twice in a row.
    let mut arguments = vec!["gate", "release-1.0", "--fail-slower", "900"];
    arguments.extend(["--no-progress", "--max-time", "0.05"]);
    let output = pqlab.run(&arguments);
    let shown = text(&output.stdout);
    // The list of cases leaves out those that are equivalent.
    assert!(shown.contains("\nAnswer: ") && shown.contains("of these verdicts"), "{shown}");
    let last = shown.lines().last().unwrap();
    match output.status.code() {
        Some(0) => assert!(last.starts_with("PASS ") && last.contains("none slower than run 2"), "{shown}"),
        // On a busy machine, intervals can be too wide for a verdict.
        code => assert!(code == Some(3) && last.starts_with("UNDECIDED "), "{code:?}: {shown}"),
    }
    // Up to two more runs measure undecided cases again.
    let runs = text(&pqlab.run(&["runs", "--json"]).stdout).matches("\"id\"").count();
    assert!((2..=4).contains(&runs), "{runs} runs");
}

#[test]
fn a_baseline_of_another_machine_is_undecided_unless_allowed() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let mut run: Value =
        serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json-samples"])).unwrap();
    run["run"]["id"] = "20000101T000000-there".into();
    run["run"]["started_at"] = "2000-01-01T00:00:00Z".into();
    run["environment"]["host"]["name"] = "there".into();
    let file = common::write(&pqlab.path("there.json"), &run.to_string());
    pqlab.expect(0, &["import", &file]);
    let check = ["gate", "20000101", "--fail-slower", "900", "--max-time", "0.05", "--no-progress"];
    let output = pqlab.run(&check);
    let printed = text(&output.stdout);
    let last = printed.lines().last().unwrap();
    assert_eq!(output.status.code(), Some(3), "{printed}");
    assert!(last.starts_with("UNDECIDED ") && last.contains("another machine (there"), "{last}");
    let output = pqlab.run(&[&check[..], &["--elsewhere"]].concat());
    // On a busy machine, intervals can be too wide for a verdict.
    let last = text(&output.stdout).lines().last().unwrap().to_owned();
    assert!(last.starts_with("PASS ") || last.contains("could not decide"), "{last}");
}

#[test]
fn a_baseline_check_prints_one_json_event_per_line() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &["--save-baseline", "base"]);
    let arguments =
        ["gate", "base", "--fail-slower", "900", "--format", "events", "--no-progress", "--max-time", "0.05"];
    let events: Vec<Value> =
        pqlab.expect(0, &arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[names.len() - 2], names[names.len() - 1]), ("begin", "comparison", "end"), "{names:?}");
    assert!(names[1..names.len() - 2].iter().all(|name| *name == "case"), "{names:?}");
    let comparison = &events[events.len() - 2];
    assert_eq!(comparison["cases"].as_array().unwrap().len(), names.len() - 4, "all cases but the floor: {comparison}");
    let end = &events[events.len() - 1];
    assert_eq!(comparison["second_run"], end["run"]);
    // On a busy machine, intervals can be too wide for a verdict.
    let decided = |word: &Value| word == "PASS" || word == "UNDECIDED";
    assert!(comparison["cases"].as_array().unwrap().iter().all(|case| decided(&case["outcome"])), "{comparison}");
    assert!(decided(&end["gate"]["word"]), "{end}");
    assert_eq!(end["gate"]["cases"].as_object().unwrap().len(), names.len() - 4, "{end}");
}

#[test]
fn runs_of_another_machine_are_named_in_the_first_line() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let exported = pqlab.expect(0, &["export", "last", "--format", "json-samples"]);
    let mut document: Value = serde_json::from_str(&exported).unwrap();
    let here = document["run"]["id"].as_str().unwrap().to_owned();
    document["run"]["id"] = "20200101T000000Z-abcdef".into();
    document["environment"]["cpu"]["model"] = "Another CPU".into();
    let file = common::write(&pqlab.path("elsewhere.json"), &document.to_string());
    pqlab.expect(0, &["import", &file]);
    let output = pqlab.run(&["compare", "20200101", &here, "--margin", "1000"]);
    let shown = text(&output.stdout);
    let first = shown.lines().next().unwrap();
    assert!(first.starts_with("DIFFERENT MACHINES: ") && first.contains("Another CPU"), "{shown}");
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let json: Value = serde_json::from_slice(&pqlab.run(&["compare", "20200101", &here, "--json"]).stdout).unwrap();
    assert!(json["different_machines"][0].as_str().unwrap().contains("Another CPU"), "{json}");
}

#[test]
fn doctor_aa_stores_the_noise_for_later_verdicts() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &[]);
    let mut arguments = vec!["calibrate", "--comparisons", "5", "--case", "hash/SHA3-256/*rustcrypto*", "--json"];
    arguments.extend(["--processes", "3", "--max-time", "0.05"]);
    let noise: Value = serde_json::from_str(&pqlab.expect(0, &arguments)).unwrap();
    assert_eq!(noise["comparisons"], 5);
    let json: Value = serde_json::from_slice(&pqlab.run(&["compare", "last", "last", "--json"]).stdout).unwrap();
    assert_eq!(json["margin_pct"], noise["margin_pct"]);
    assert_eq!(json["run_spread_pct"].as_f64(), noise["run_spread_pct"].as_f64());
    assert_eq!(text(&pqlab.run(&["runs", "--json"]).stdout).matches("\"id\"").count(), 1, "doctor must store no run");
}

/// A run on any CPU has pairs if the figures for all CPUs are listed.
#[test]
fn a_run_is_compared_with_published_figures() {
    let pqlab = Pqlab::new();
    measured(&pqlab, &["--filter", "kem/X25519/decapsulate@openssl"]);
    let shown = pqlab.expect(0, &["compare", "last", "--published", "--all", "--all-cpus"]);
    assert!(shown.contains("kem/X25519/decapsulate@openssl") && shown.contains("lib25519-2026: "), "{shown}");
    assert!(shown.contains("\n\nAnswer: "), "{shown}");
    let output = pqlab.run(&["compare", "--published", "--all-cpus", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let others = json["other_cpus"].as_array().unwrap();
    assert!(!others.is_empty() && others.iter().all(|pair| pair["agreement"].is_null()), "{json}");
    let markdown = text(&pqlab.run(&["compare", "--published", "-f", "markdown"]).stdout);
    assert!(markdown.contains("Answer: "), "{markdown}");
    for wrong in [&["compare", "--published", "--since", "1d"][..], &["compare", "--all-cpus"]] {
        assert_eq!(pqlab.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn help_and_documents_define_verdicts_in_the_words_of_the_code() {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pqlab = Pqlab::new();
    let mut texts = ["compare", "compare-libraries"].map(|verb| folded(&pqlab.expect(0, &[verb, "--help"]))).to_vec();
    texts.push(folded(include_str!("../../../METHODOLOGY.md")));
    texts.push(folded(include_str!("../../../docs/explanation/statistics.md")));
    for verdict in [Verdict::Faster, Verdict::Slower, Verdict::Equivalent, Verdict::Inconclusive] {
        for text in &texts {
            assert!(text.contains(verdict.meaning()), "{}: {}", verdict.name(), verdict.meaning());
            assert!(!text.contains("beyond the margin"), "only equivalence may depend on the margin");
        }
    }
}
