//! Tests messages about counters on a machine without a performance-monitoring unit, and on a machine with a kernel
//! that forbids access to the unit.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};

/// Runs the program with a simulated failure of `perf_event_open`. Returns standard output and standard error.
fn pretend(machine: &str, code: i32, arguments: &[&str]) -> (String, String) {
    let output = Pqlab::new().command(arguments).env("PQLAB_PRETEND_PERF", machine).output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    (out, err)
}

fn run() -> Vec<&'static str> {
    let what = ["run", "hash", "--filter", "hash/SHA3-256/digest*@rustcrypto", "--lengths", "64"];
    let how = ["--iterations", "20", "--processes", "2", "--warmup", "1", "--no-progress", "--verbose"];
    what.into_iter().chain(how).collect()
}

#[test]
fn without_a_pmu_reports_tsc_ticks_instead_of_cycles() {
    let (doctor, _) = pretend("ENOENT", 0, &["doctor"]);
    assert!(doctor.contains("no performance-monitoring unit") && doctor.contains("TSC at"), "{doctor}");
    let (out, err) = pretend("ENOENT", 0, &run());
    assert!(out.contains("TSC ticks/B") && out.contains("not core cycles"), "{out}");
    // Cycles that were not counted must be labeled as estimates.
    assert!(out.contains("core cycles estimated from the time and the core clock"), "{out}");
    assert!(!err.contains("perf_event_paranoid"), "{err}");
    let mut sha3 = run();
    sha3.extend(["--format", "sha3-csv"]);
    let (out, err) = pretend("ENOENT", 0, &sha3);
    // Caveats may follow, depending on the machine.
    assert!(out.starts_with("function,dst_len,64") && out.contains("\nsha3_256,32,"), "{out}");
    assert!(err.contains("implementation=amd64-tsc") && err.contains("unit=cycles source=estimated"), "{err}");
    let (_, err) = pretend("ENOENT", 2, &["run", "hash", "--counter", "cycles"]);
    assert!(err.contains("counter `cycles` is not available") && err.contains("Remedy"), "{err}");
}

#[test]
fn names_the_remedy_if_the_kernel_forbids_counters() {
    const LEVEL: &str = "kernel.perf_event_paranoid is 4";
    const REMEDY: &str = "sysctl kernel.perf_event_paranoid=1";
    let (doctor, _) = pretend("EACCES:4", 0, &["doctor"]);
    assert!(doctor.contains(LEVEL) && doctor.contains(REMEDY), "{doctor}");
    let (out, err) = pretend("EACCES:4", 0, &run());
    assert!(out.contains("TSC ticks/B"), "{out}");
    assert!(err.contains("counting tsc instead of core cycles") && err.contains(LEVEL), "{err}");
    assert!(err.contains(REMEDY), "{err}");
    let (_, err) = pretend("EACCES:4", 2, &["run", "hash", "--counter", "cycles"]);
    assert!(err.contains(LEVEL) && err.contains(REMEDY), "{err}");
}
