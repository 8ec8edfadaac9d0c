//! Checks that bad input causes one line on standard error and exit code 2, and that no data is lost.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, require};

/// Runs the program, and checks that it exits with code 2 and prints one line that contains all `words`.
fn refused(pqlab: &Pqlab, arguments: &[&str], words: &[&str]) {
    let output = pqlab.run(arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {out}{err}");
    assert!(out.is_empty(), "{arguments:?} must print nothing to standard output: {out}");
    assert_eq!(err.trim_end().lines().count(), 1, "{arguments:?} must report the error in one line: {err}");
    for word in words {
        assert!(err.contains(word), "{arguments:?}: {word:?} is not in {err:?}");
    }
}

#[test]
fn unknown_names_are_refused_with_a_suggestion() {
    let pqlab = Pqlab::new();
    refused(&pqlab, &["run", "standrad"], &["standrad", "standard"]);
    refused(&pqlab, &["run", "kem", "--algorithm", "ML-KEM-769"], &["ML-KEM-769", "(did you mean \"ML-KEM-768\"?)"]);
    refused(&pqlab, &["run", "kem", "--provider", "rustcrpto"], &["rustcrpto", "rustcrypto"]);
    refused(&pqlab, &["run", "kem", "--filter", "kem/nothing/*"], &["no case is selected"]);
    refused(&pqlab, &["export", "last", "--format", "xml"], &["xml", "json"]);
    refused(&pqlab, &["run", "--format", "xml"], &["xml", "json"]);
    refused(&pqlab, &["frobnicate"], &["frobnicate"]);
    refused(&pqlab, &["run", "--fast"], &["--fast"]);
    refused(&pqlab, &["run", "kem", "--counter", "sundial"], &["sundial", "tsc"]);
    assert!(!pqlab.database().exists(), "a rejected request must not create a database");
}

#[test]
fn impossible_numbers_are_refused() {
    let pqlab = Pqlab::new();
    for (flag, value) in [
        ("--iterations", "-5"),
        ("--iterations", "0"),
        ("--warmup", "-1"),
        ("--trim", "-1"),
        ("--trim", "50"),
        ("--precision", "-1"),
        ("--precision", "0"),
        ("--precision", "NaN"),
        ("--max-time", "-3"),
        ("--max-time", "inf"),
        ("--patience", "-1s"),
        ("--patience", "inf"),
        ("--processes", "0"),
        ("--processes", "-2"),
        ("--batch", "0"),
        ("--seed", "-1"),
        ("--lengths", "-64"),
        ("--lengths", "99999999999"),
        ("--affinity", "a"),
        ("--iterations", "99999999999999999999999"),
    ] {
        refused(&pqlab, &["run", "hash", flag, value], &[]);
    }
}

#[test]
fn a_malformed_suite_is_refused_with_the_place() {
    let pqlab = Pqlab::new();
    let broken = write(&pqlab.path("broken.toml"), "name = \"x\"\nabout = \"y\"\n[[select]\nworkload = \"kem\"\n");
    refused(&pqlab, &["run", &broken], &["broken.toml:3:"]);
    let unknown = "name = \"x\"\nabout = \"y\"\n[[select]]\nworkload = \"kem\"\nalgorithms = [\"ML-KEM-7\"]\n";
    refused(&pqlab, &["run", &write(&pqlab.path("unknown.toml"), unknown)], &["ML-KEM-7"]);
    let workload = "name = \"x\"\nabout = \"y\"\n[[select]]\nworkload = \"kme\"\n";
    refused(&pqlab, &["run", &write(&pqlab.path("workload.toml"), workload)], &["kme", "kem"]);
    refused(&pqlab, &["run", pqlab.path("missing.toml").to_str().unwrap()], &["missing.toml"]);
    std::fs::write(pqlab.path("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();
    refused(&pqlab, &["run", pqlab.path("binary.toml").to_str().unwrap()], &["binary.toml"]);
}

#[test]
fn unusable_databases_are_refused() {
    let pqlab = Pqlab::new();
    let run = |database: &str, words: &[&str]| {
        refused(&pqlab, &["run", "smoke", "--db", database], words);
        refused(&pqlab, &["show", "last", "--db", database], words);
    };
    std::fs::create_dir(pqlab.path("folder.db")).unwrap();
    run(pqlab.path("folder.db").to_str().unwrap(), &["folder.db"]);
    run(&write(&pqlab.path("text.db"), &"this is not a database ".repeat(100)), &["text.db"]);
    run("/proc/nowhere/pqlab.db", &["/proc/nowhere"]);
    refused(&pqlab, &["show", "last"], &["pqlab.db"]);

    let newer = pqlab.path("newer.db");
    pqlab.expect(0, &["run", "kem", "--provider", "null", "--quick", "-q", "--db", newer.to_str().unwrap()]);
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 4711).unwrap();
    drop(connection);
    let before = std::fs::read(&newer).unwrap();
    run(newer.to_str().unwrap(), &["newer", "4711"]);
    assert_eq!(std::fs::read(&newer).unwrap(), before, "a database with a newer schema must not change");

    let older = pqlab.path("older.db");
    std::fs::copy(&newer, &older).unwrap();
    rusqlite::Connection::open(&older).unwrap().pragma_update(None, "user_version", 1).unwrap();
    let before = std::fs::read(&older).unwrap();
    run(older.to_str().unwrap(), &["older", "schema 1", "the pqlab version that wrote it"]);
    assert_eq!(std::fs::read(&older).unwrap(), before, "a database with an older schema must not change");
}

#[test]
fn unknown_runs_and_cases_are_refused() {
    let pqlab = Pqlab::new();
    pqlab.expect(0, &["run", "kem", "--provider", "null", "--quick", "-q"]);
    refused(&pqlab, &["show", "20000101"], &["20000101"]);
    refused(&pqlab, &["show", "last~5"], &["last~5"]);
    refused(&pqlab, &["show", "last", "no/such/case"], &["no/such/case"]);
    refused(&pqlab, &["run", "--resume"], &["no interrupted run"]);
    refused(
        &pqlab,
        &["export", "last", "--format", "json", "--out", "/proc/nowhere/x.json"],
        &["/proc/nowhere/x.json"],
    );
}

#[test]
fn a_full_disk_gives_one_line_and_keeps_finished_runs() {
    let pqlab = Pqlab::new();
    let mounted = pqlab.path("mounted");
    std::fs::create_dir(&mounted).unwrap();
    let mount =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=600k", "tmpfs"]).arg(&mounted).output();
    let mount = mount.is_ok_and(|output| output.status.success());
    require!(mount, Need::Machine("permission to mount a small file system"));
    let database = mounted.join("pqlab.db");
    let fill = |iterations| {
        pqlab.run(&[
            "run",
            "kem",
            "--provider",
            "null",
            "-q",
            "--iterations",
            iterations,
            "--db",
            database.to_str().unwrap(),
        ])
    };
    let mut last = fill("8");
    for _ in 0..40 {
        if last.status.code() == Some(2) {
            break;
        }
        last = fill("3000");
    }
    let (code, err) = (last.status.code(), text(&last.stderr));
    let readable = std::fs::copy(&database, pqlab.path("copy.db"))
        .and_then(|_| std::fs::copy(mounted.join("pqlab.db-wal"), pqlab.path("copy.db-wal")).or(Ok(0)));
    std::process::Command::new("umount").arg(&mounted).output().unwrap();
    assert_eq!(code, Some(2), "{err}");
    assert_eq!(err.trim_end().lines().filter(|line| line.starts_with("pqlab: ")).count(), 1, "{err}");
    readable.unwrap();
    let runs = pqlab.expect(0, &["runs", "--json", "--db", pqlab.path("copy.db").to_str().unwrap()]);
    let runs: serde_json::Value = serde_json::from_str(&runs).unwrap();
    assert!(runs.as_array().unwrap().iter().any(|run| run["complete"] == true), "{runs}");
}
