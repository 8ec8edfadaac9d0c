//! Tests that a misbehaving library produces a failed row with the reason, and that pqlab measures everything else as
//! usual.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::Pqlab;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

/// Runs a suite with the misbehaving and the null provider, and returns the results.
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
    let json: Value = serde_json::from_slice(&output.stdout).expect(
        "a library that prints must not corrupt the \
                                                                     output",
    );
    assert_eq!(json["run"]["complete"], true);
    json["results"].as_object().unwrap().values().flat_map(|area| area.as_array().unwrap().clone()).collect()
}

/// Returns the reason why the case with this algorithm and operation failed.
fn reason(results: &[Value], algorithm: &str, operation: &str) -> String {
    let row = results
        .iter()
        .find(|result| result["algorithm"] == algorithm && result["operation"] == operation)
        .unwrap_or_else(|| panic!("{algorithm} {operation} has no row"));
    assert_eq!(row["status"], "failed", "{row}");
    assert_eq!(row["verified"], false);
    assert!(row["median_us"].is_null(), "a failed case must not have results: {row}");
    row["error"].as_str().unwrap().to_owned()
}

#[test]
fn injected_faults_fail_only_their_own_cases() {
    let results = measure(
        "name = \"kems\"\nabout = \"faults\"\n[[select]]\nworkload = \"kem\"\noperations = [\"decapsulate\"]\n\
         forms = [\"prepared\"]\nproviders = [\"misbehaving\", \"null\"]\nnull = true\n",
    );
    for (fault, expected) in [
        ("segfault", "SIGSEGV"),
        ("hang", "no answer within 20 s"),
        ("wrong-answer", "wrong answer"),
        ("fail", "misbehaving_decapsulate failed: on request"),
        ("leak", "leak"),
        ("print", "standard output"),
        ("exhaust-memory", "memory"),
        ("panic", "panicked: on request"),
    ] {
        let reason = reason(&results, fault, "decapsulate");
        assert!(reason.contains(expected), "{fault}: {reason}");
        println!("{fault}: {reason}");
    }
    let innocent: Vec<&Value> = results.iter().filter(|result| result["provider"] == "null").collect();
    assert_eq!(innocent.len(), 2, "the null provider must have two rows, including the overhead case");
    assert!(innocent.iter().all(|result| result["status"] == "ok"), "{innocent:?}");
}

#[test]
fn accepting_tampered_signatures_voids_the_case() {
    let results = measure(
        "name = \"signatures\"\nabout = \"credulity\"\n[[select]]\nworkload = \"signature\"\n\
         operations = [\"sign\", \"verify\"]\nforms = [\"prepared\"]\nproviders = [\"misbehaving\", \"null\"]\nnull = true\n",
    );
    for operation in ["sign", "verify"] {
        for (scheme, expected) in [
            ("accepts-any-signature", "a signature with a bit flipped"),
            ("accepts-any-message", "a different message"),
            ("accepts-any-key", "a different key"),
        ] {
            let reason = reason(&results, scheme, operation);
            assert!(reason.contains("wrong answer") && reason.contains(expected), "{scheme}: {reason}");
        }
    }
    assert!(results.iter().filter(|result| result["provider"] == "null").all(|result| result["status"] == "ok"));
}

#[test]
fn killed_coordinators_leave_no_worker_behind() {
    let pqlab = Pqlab::new();
    let mut child = pqlab
        .command(&["run", "kem", "--provider", "null", "--no-progress", "--max-time", "5", "--precision", "0.0001"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let workers = children_of(child.id());
    assert!(!workers.is_empty(), "a run must start workers");
    child.kill().unwrap();
    child.wait().unwrap();
    all_end(workers);
}

#[cfg(target_os = "linux")]
#[test]
fn killed_coordinators_leave_no_hanging_worker_behind() {
    let pqlab = Pqlab::new();
    let filter = ["--filter", "kem/hang/decapsulate@misbehaving"];
    let mut child = pqlab
        .command(&["run", "kem", "--no-progress", "--processes", "1", "--time-limit", "3600"])
        .args(filter)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Treat the case as hung if all processes are idle for a second. A worker that merely waits
    // ends when its stream closes, so the test passes in that case, too.
    let (mut busy, mut quiet) = (0, 0);
    let workers = loop {
        let workers = children_of(child.id());
        let now = workers.iter().chain([&child.id()]).map(|process| cpu_ticks(*process)).sum();
        quiet = if now == busy && !workers.is_empty() { quiet + 1 } else { 0 };
        busy = now;
        if quiet == 10 {
            break workers;
        }
        assert!(child.try_wait().unwrap().is_none(), "the run must hang");
        std::thread::sleep(Duration::from_millis(100));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    all_end(workers);
}

/// Returns the CPU time of a process in kernel ticks, or 0 if it has ended.
#[cfg(target_os = "linux")]
fn cpu_ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    [11, 12].iter().filter_map(|field| fields.get(*field)?.parse::<u64>().ok()).sum()
}

fn all_end(workers: Vec<u32>) {
    let mut left = workers;
    for _ in 0..100 {
        left.retain(|worker| std::path::Path::new(&format!("/proc/{worker}")).exists());
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("workers {left:?} still exist ten seconds after their coordinator ended");
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

#[test]
fn cases_are_isolated_and_first_calls_do_not_set_the_batch() {
    let pqlab = Pqlab::new();
    let cases = ["dirty", "witness", "slow-start"].map(|kem| format!("kem/{kem}/decapsulate@misbehaving"));
    let mut arguments = vec!["run", "kem", "--format", "json-samples", "--processes", "3", "--no-progress"];
    arguments.extend(["--max-time", "0.1"]);
    for case in &cases {
        arguments.extend(["--filter", case]);
    }
    let json: Value = serde_json::from_str(&pqlab.expect(0, &arguments)).unwrap();
    let rows: Vec<&Value> = json["results"]["kem"].as_array().unwrap().iter().collect();
    assert_eq!(rows.len(), cases.len(), "{json}");
    for row in rows {
        assert_eq!((&row["status"], &row["verified"]), (&"ok".into(), &true.into()), "{row}");
        for visit in row["samples"]["visits"].as_array().unwrap() {
            let samples = visit["ticks"].as_array().unwrap().len();
            assert!(samples >= 10, "{} has a visit of {samples} samples", row["id"]);
        }
        // The operation does nothing, so it needs a batch. If the harness mistook the 50 ms of initialization for the
        // operation's time, it would choose a batch of one.
        assert!(row["batch"].as_u64().unwrap() > 1, "{row}");
    }
}
