//! Tests programs in other languages as providers in a run. Working programs get verified rows. Failing programs get
//! failed rows with the reason, and the run continues.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, ODD_WORKER, program, require};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

const PYTHON: Need = Need::Installed("Python");
const QUICK: &[&str] = &["--processes", "2", "--max-time", "0.05", "--no-progress", "-q"];
const DIGESTS: &[&str] = &["--filter", "hash/SHA3-256/digest[len=64]@*", "--filter", "floor/*"];

/// Writes a worker with the name `mode`, which runs [`ODD_WORKER`] in this mode.
fn worker(pqlab: &Pqlab, mode: &str) -> String {
    let script = write(&pqlab.path("odd_worker.py"), ODD_WORKER);
    let path = pqlab.path(mode);
    let starter = write(&path, &format!("#!/bin/sh\nexec python3 {script:?} {mode}\n"));
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    starter
}

fn rows(pqlab: &Pqlab, area: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    document["results"][area].as_array().unwrap_or_else(|| panic!("{area} is missing in {document}")).clone()
}

fn row<'a>(rows: &'a [Value], provider: &str) -> &'a Value {
    rows.iter().find(|row| row["provider"] == provider).unwrap_or_else(|| panic!("no row for {provider}"))
}

#[test]
fn a_worker_is_measured_with_the_libraries() {
    require!(program("python3"), PYTHON);
    let pqlab = Pqlab::new();
    let right = worker(&pqlab, "right");
    let listed = pqlab.expect(0, &["list", &format!("worker={right}")]);
    assert!(listed.contains("SHA3-256") && listed.contains("NO-SUCH"), "{listed}");
    let named = format!("mine={right}");
    let arguments = ["run", "hash", "floor", "--worker", &named];
    pqlab.expect(0, &[&arguments[..], QUICK, DIGESTS].concat());
    let hashes = rows(&pqlab, "hash");
    let mine = row(&hashes, "mine");
    assert_eq!((&mine["status"], &mine["verified"]), (&"ok".into(), &true.into()), "{mine}");
    assert_eq!((&mine["library"]["kind"], &mine["library"]["label"]), (&"worker".into(), &"mine".into()));
    assert_eq!(row(&hashes, "openssl")["library"], Value::Null);
    assert_eq!(row(&rows(&pqlab, "floor"), "mine")["status"], "ok");
    // `verify` compares a worker with every library. Workers have no leak tests.
    let verified = pqlab.expect(0, &["verify", "--worker", &named, "--provider", "mine", "--algorithm", "SHA3-256"]);
    assert!(verified.contains("mine"), "{verified}");
    let compare = ["compare-libraries", "openssl", &format!("mine=worker:{right}"), "hash", "--quick"];
    let compared = pqlab.run(&[&compare[..], QUICK, &DIGESTS[..2]].concat());
    assert!(text(&compared.stdout).contains("SHA3-256"), "{}", text(&compared.stderr));
}

#[test]
fn a_failing_worker_gets_failed_rows_and_the_run_continues() {
    require!(program("python3"), PYTHON);
    let pqlab = Pqlab::new();
    let wrong = [
        ("visit-hangs", "was killed"),
        ("visit-crashes", "exit status: 7: the last words"),
        ("visit-garbage", "malformed answer"),
        ("call-crashes", "exit status: 7: the last words"),
        ("wrong", "the same input gives a different digest"),
        ("less", "ns for a visit that took"),
        ("more", "ns for a visit that took"),
    ];
    let mut arguments = vec!["run", "hash", "--time-limit", "4"];
    let workers: Vec<String> = wrong.iter().map(|(mode, _)| worker(&pqlab, mode)).collect();
    arguments.extend(workers.iter().flat_map(|worker| ["--worker", worker]));
    let right = worker(&pqlab, "right");
    arguments.extend(["--worker", &right]);
    pqlab.expect(1, &[&arguments[..], QUICK, &DIGESTS[..2]].concat());
    let rows = rows(&pqlab, "hash");
    for (mode, words) in wrong {
        let row = row(&rows, mode);
        assert_eq!(row["status"], "failed", "{mode}: {row}");
        assert!(row["error"].as_str().unwrap().contains(words), "{mode}: {}", row["error"]);
    }
    for sound in ["right", "openssl", "rustcrypto"] {
        assert_eq!(row(&rows, sound)["status"], "ok", "{sound}");
    }
}

#[test]
fn unusable_workers_are_refused_before_measuring() {
    require!(program("python3"), PYTHON);
    let pqlab = Pqlab::new();
    let (crashing, silent) = (worker(&pqlab, "list-crashes"), worker(&pqlab, "version"));
    let refused = pqlab.run(&["run", "hash", "--worker", &crashing, "--worker", &silent, "--worker", "no-such-worker"]);
    let printed = text(&refused.stderr);
    assert_eq!((refused.status.code(), printed.trim_end().lines().count()), (Some(2), 1), "{printed}");
    for words in ["the last words", "does not match protocol version 1", "`make workers`", "no-such-worker"] {
        assert!(printed.contains(words), "{words:?} in {printed}");
    }
    let twice = pqlab.run(&["run", "hash", "--worker", "./a", "--worker", "/b/a"]);
    assert!(text(&twice.stderr).contains("is used by another library"), "{}", text(&twice.stderr));
}

#[test]
fn a_worker_named_by_a_suite_runs_only_with_allow_foreign() {
    require!(program("python3"), PYTHON);
    let pqlab = Pqlab::new();
    worker(&pqlab, "right");
    let suite = "name = \"mine\"\nabout = \"\"\nlibraries = [\"worker:./right\"]\n[[select]]\nworkload = \"hash\"\nalgorithms = [\"SHA3-256\"]\n";
    let suite = write(&pqlab.path("mine.toml"), suite);
    let refused = pqlab.run(&["run", &suite, "--dry-run"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--allow-foreign"), "{}", text(&refused.stderr));
    let planned = pqlab.expect(0, &["run", &suite, "--dry-run", "--allow-foreign"]);
    assert!(planned.contains("@right"), "{planned}");
}
