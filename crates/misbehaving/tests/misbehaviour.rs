//! A library that misbehaves is a failed row with its reason; everything else is measured as if nothing had happened.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::Pqlab;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

/// Runs a suite over the misbehaving library and the innocent one, and returns the results.
fn measure(suite: &str) -> Vec<Value> {
    let pqlab = Pqlab::new();
    let file = common::write(&pqlab.path("suite.toml"), suite);
    let output = pqlab
        .command(&[
            "run",
            &file,
            "--time-limit",
            "20",
            "--format",
            "json",
            "--no-progress",
            "--processes",
            "2",
            "--max-time",
            "0.3",
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("a library that prints does not spoil the output");
    assert_eq!(json["run"]["complete"], true);
    json["results"].as_object().unwrap().values().flat_map(|area| area.as_array().unwrap().clone()).collect()
}

/// The reason why the cases of an algorithm failed.
fn reason(results: &[Value], algorithm: &str, operation: &str) -> String {
    let row = results
        .iter()
        .find(|result| result["algorithm"] == algorithm && result["operation"] == operation)
        .unwrap_or_else(|| panic!("{algorithm} {operation} has no row"));
    assert_eq!(row["status"], "failed", "{row}");
    assert_eq!(row["verified"], false);
    assert!(row["median_us"].is_null(), "no figure is published of {row}");
    row["error"].as_str().unwrap().to_owned()
}

#[test]
fn eight_misdeeds_are_eight_failed_rows_and_the_rest_is_measured() {
    let results = measure(
        "name = \"kems\"\nabout = \"misdeeds\"\n[[select]]\nworkload = \"kem\"\noperations = [\"decapsulate\"]\n\
         forms = [\"prepared\"]\nproviders = [\"misbehaving\", \"null\"]\nnull = true\n",
    );
    for (misdeed, words) in [
        ("segfault", "SIGSEGV"),
        ("hang", "no answer within 20 s"),
        ("wrong-answer", "wrong answer"),
        ("fail", "misbehaving_decapsulate failed: as it was told to"),
        ("leak", "leak"),
        ("print", "standard output"),
        ("exhaust-memory", "memory"),
        ("panic", "panicked: as it was told to"),
    ] {
        let reason = reason(&results, misdeed, "decapsulate");
        assert!(reason.contains(words), "{misdeed}: {reason}");
        println!("{misdeed}: {reason}");
    }
    let innocent: Vec<&Value> = results.iter().filter(|result| result["provider"] == "null").collect();
    assert_eq!(innocent.len(), 2, "the floor, and the case beside the misdeeds");
    assert!(innocent.iter().all(|result| result["status"] == "ok"), "{innocent:?}");
}

#[test]
fn a_verification_that_accepts_what_was_tampered_with_voids_its_case() {
    let results = measure(
        "name = \"signatures\"\nabout = \"credulity\"\n[[select]]\nworkload = \"signature\"\n\
         operations = [\"sign\", \"verify\"]\nforms = [\"prepared\"]\nproviders = [\"misbehaving\", \"null\"]\nnull = true\n",
    );
    for operation in ["sign", "verify"] {
        for (scheme, words) in [
            ("accepts-any-signature", "a signature with a bit flipped"),
            ("accepts-any-message", "another message"),
            ("accepts-any-key", "another key"),
        ] {
            let reason = reason(&results, scheme, operation);
            assert!(reason.contains("wrong answer") && reason.contains(words), "{scheme}: {reason}");
        }
    }
    assert!(results.iter().filter(|result| result["provider"] == "null").all(|result| result["status"] == "ok"));
}

#[test]
fn a_coordinator_that_is_killed_leaves_no_worker_behind() {
    let pqlab = Pqlab::new();
    let mut child = pqlab
        .command(&["run", "kem", "--provider", "null", "--no-progress", "--max-time", "5", "--precision", "0.0001"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let workers = children_of(child.id());
    assert!(!workers.is_empty(), "a run has workers");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut left = workers;
    for _ in 0..100 {
        left.retain(|worker| std::path::Path::new(&format!("/proc/{worker}")).exists());
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("workers {left:?} outlive their coordinator by ten seconds");
}

fn children_of(parent: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let of_parent = |line: &str| line.strip_prefix("PPid:").is_some_and(|id| id.trim() == parent.to_string());
        if status.lines().any(of_parent) {
            children.push(process);
        }
    }
    children
}
