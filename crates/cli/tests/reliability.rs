//! Tests `scripts/reliability` with small counts. The checks must pass, and must fail if a fault is injected. A trial
//! must not change the record, and a signal must end the script immediately.

#![allow(clippy::unwrap_used)]

mod common;

use common::{PROGRAM, Pqlab, text};
use pqlab_testing::{Need, program, require};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PYTHON: Need = Need::Installed("python3");

/// Returns the script as a command with a separate cache.
fn reliability(python: &Path, folder: &Pqlab, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(python);
    command.arg(scripts().join("reliability")).args(["--program", program]).args(arguments);
    command.env("PQLAB_CACHE", folder.path("cache")).env_remove("NO_COLOR");
    command
}

fn scripts() -> std::path::PathBuf {
    std::path::absolute("../../scripts").unwrap()
}

fn record() -> Vec<u8> {
    std::fs::read(scripts().join("../docs/reliability.json")).unwrap()
}

#[test]
fn a_trial_passes_and_changes_no_record() {
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let before = record();
    let output =
        reliability(&python, &folder, PROGRAM, &["--only", "kill", "hostile", "--count", "4"]).output().unwrap();
    let printed = text(&output.stderr);
    assert!(output.status.success(), "{printed}");
    for row in
        ["kill: 4 kills: passed", "hostile, serve: 4 connections: passed", "hostile, ntor-relay: 4 connections: passed"]
    {
        assert!(printed.contains(row), "{printed}");
    }
    assert_eq!(record(), before);
    assert!(!folder.path("cache/reliability/kill").exists(), "a check that passed must leave no files");
}

/// Writes a script that runs pqlab, but omits the first case of every export.
#[cfg(unix)]
fn forgetful(python: &Path, folder: &Pqlab) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path("forgetful");
    let cut = "import json, sys; run = json.load(sys.stdin); next(iter(run['results'].values())).pop(0); print(json.dumps(run))";
    let export = format!("'{PROGRAM}' \"$@\" | '{}' -c \"{cut}\"", python.display());
    std::fs::write(
        &path,
        format!("#!/bin/sh\nif [ \"$1\" = export ]; then {export}; else exec '{PROGRAM}' \"$@\"; fi\n"),
    )
    .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn a_lost_case_fails() {
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let forgetful = forgetful(&python, &folder).display().to_string();
    let output = reliability(&python, &folder, &forgetful, &["--only", "kill", "--count", "1"]).output().unwrap();
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(!printed.contains(" 0 cases lost") && printed.contains("FAILED: kill"), "{printed}");
    // A program that prints nothing and succeeds must not pass either.
    let output = reliability(&python, &folder, "/bin/true", &["--only", "kill", "--count", "1"]).output().unwrap();
    assert!(text(&output.stderr).contains("does not report its id"), "{}", text(&output.stderr));
}

/// Returns a ThreadSanitizer report with the stack frames of both accesses. A frame is a function and its file; the
/// innermost frame is first.
fn report(kind: &str, accesses: [&[(&str, &str)]; 2]) -> String {
    let stack = |(number, frames): (usize, &[(&str, &str)])| {
        let head = ["  Write of size 8 at 0x7b04 by thread T1:", "  Previous read of size 8 at 0x7b04 by main thread:"]
            [number];
        let frame = |(at, (name, file)): (usize, &(&str, &str))| {
            format!("    #{at} {name} {file}:7:5 (tests+0x1f) (BuildId: 0a)\n")
        };
        format!("{head}\n{}\n", frames.iter().enumerate().map(frame).collect::<String>())
    };
    let stacks: String = accesses.into_iter().enumerate().filter(|(_, frames)| !frames.is_empty()).map(stack).collect();
    format!(
        "==================\nWARNING: ThreadSanitizer: {kind} (pid=7)\n{stacks}SUMMARY: ThreadSanitizer: {kind} in f\n"
    )
}

#[test]
fn counts_only_races_in_this_project() {
    let python = require!(program("python3"), PYTHON);
    let (ours, library, other) =
        (("pqlab::f", "/project/src/f.rs"), ("core::ptr::write", "/rustc/0/ptr.rs"), ("other::g", "/cargo/g.rs"));
    let once = ("<std::sync::once_lock::OnceLock<u8>>::initialize", "/rustc/0/once_lock.rs");
    let reports = [
        report("data race", [&[library, ours], &[other]]),
        report("data race", [&[library, once, ours], &[ours]]),
        report("data race", [&[library, other, ours], &[other, ours]]),
        report("lock-order-inversion (potential deadlock)", [&[], &[]]),
        "WARNING: ThreadSanitizer: it ends here".to_owned(),
    ];
    let counted = "import sys; from reliable import races; print(*(len(races.of_project(said, '/project')[0]) for said in sys.argv[1:]))";
    let output =
        Command::new(&python).args(["-B", "-c", counted]).args(&reports).current_dir(scripts()).output().unwrap();
    assert_eq!(text(&output.stdout).trim(), "1 0 0 1 1", "{}", text(&output.stderr));
}

#[test]
fn the_page_matches_the_record() {
    let python = require!(program("python3"), PYTHON);
    let output = reliability(&python, &Pqlab::new(), PROGRAM, &["--check"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Returns the ids of the running processes that have this folder in their environment.
#[cfg(target_os = "linux")]
fn left(folder: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids =
        processes.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.parse::<u32>().is_ok());
    ids.filter(|id| {
        std::fs::read(format!("/proc/{id}/environ")).is_ok_and(|environment| text(&environment).contains(folder))
    })
    .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_script_and_all_its_processes() {
    let until = |what: &str, holds: &mut dyn FnMut() -> bool| {
        let patience = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < patience, "{what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let cache = folder.path("cache").display().to_string();
    let mut script = reliability(&python, &folder, PROGRAM, &["--only", "together", "--count", "600"]);
    let mut script = script.stderr(Stdio::null()).spawn().unwrap();
    let serves = |id: &String| {
        std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|words| text(&words).contains("\0serve\0"))
    };
    until("the script must start a service", &mut || left(&cache).iter().any(serves));
    assert!(Command::new("kill").arg(script.id().to_string()).status().unwrap().success());
    let mut ended = None;
    until("the script must end", &mut || {
        ended = script.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.unwrap().code(), Some(130));
    // Workers need a moment to notice that their coordinator is gone.
    until("all processes must end", &mut || left(&cache).is_empty());
}
