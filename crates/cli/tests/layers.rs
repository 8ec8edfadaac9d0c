//! Which room may know which: the arrows of ARCHITECTURE.md, checked against what cargo sees and against the sources.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate with the crates of this workspace that it may use, from the lowest layer to the highest. Tests may use
/// more: they stand outside the layers.
const MAY_USE: &[(&str, &[&str])] = &[
    ("pqlab-primitives", &[]),
    ("pqlab-record", &[]),
    ("pqlab-stats", &[]),
    ("pqlab-openssl-sys", &[]),
    ("pqlab-cryptogams-sys", &[]),
    ("pqlab-keccak", &[]),
    ("pqlab-verification", &["pqlab-primitives"]),
    ("pqlab-providers", &["pqlab-primitives", "pqlab-openssl-sys", "pqlab-cryptogams-sys", "pqlab-keccak"]),
    ("pqlab-constructions", &["pqlab-primitives"]),
    ("pqlab-harness", &["pqlab-stats", "pqlab-record"]),
    (
        "pqlab-workloads",
        &["pqlab-constructions", "pqlab-harness", "pqlab-primitives", "pqlab-record", "pqlab-verification"],
    ),
    ("pqlab-store", &["pqlab-record"]),
    ("pqlab-report", &["pqlab-stats", "pqlab-record"]),
    (
        "pqlab-lab",
        &[
            "pqlab-constructions",
            "pqlab-harness",
            "pqlab-primitives",
            "pqlab-providers",
            "pqlab-record",
            "pqlab-report",
            "pqlab-stats",
            "pqlab-store",
            "pqlab-verification",
            "pqlab-workloads",
        ],
    ),
    ("pqlab", &["pqlab-lab"]),
    ("pqlab-misbehaving", &["pqlab", "pqlab-harness", "pqlab-primitives", "pqlab-providers"]),
];

/// The crates that may depend on cryptography written in C.
const MAY_USE_C: &[&str] = &["pqlab-cryptogams-sys", "pqlab-openssl-sys", "pqlab-providers"];

/// Crates that build or link cryptography written in C.
const C_LIBRARIES: &[&str] = &[
    "aws-lc-fips-sys",
    "aws-lc-rs",
    "aws-lc-sys",
    "boring",
    "boring-sys",
    "libsodium-sys",
    "openssl",
    "openssl-src",
    "openssl-sys",
    "oqs",
    "oqs-sys",
    "pqlab-cryptogams-sys",
    "pqlab-openssl-sys",
    "ring",
    "secp256k1",
    "secp256k1-sys",
];

/// What reads a clock. Only the harness may: everything else is handed its stopwatch.
const CLOCKS: &[&str] =
    &["Instant::now", "SystemTime::now", "Timestamp::now", "Zoned::now", "clock_gettime", "_rdtsc", "__rdtscp"];

/// A crate of the workspace.
struct Package {
    name: String,
    folder: PathBuf,
    /// What it depends on outside of its tests.
    dependencies: BTreeSet<String>,
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let package = |package: &Value| {
        let dependencies = list(&package["dependencies"]);
        Package {
            name: text(&package["name"]),
            folder: Path::new(&text(&package["manifest_path"])).parent().expect("a folder").to_path_buf(),
            dependencies: dependencies.iter().filter(|it| it["kind"] != "dev").map(|it| text(&it["name"])).collect(),
        }
    };
    list(&metadata["packages"]).iter().map(package).collect()
}

#[test]
fn every_crate_uses_only_what_its_layer_may() {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package.name) else {
            wrong.push(format!("{} has no layer yet: add it to MAY_USE and to ARCHITECTURE.md", package.name));
            continue;
        };
        let used = package.dependencies.iter().filter(|name| ours.contains(name.as_str()));
        let forbidden = used.filter(|name| !allowed.contains(&name.as_str()));
        wrong.extend(forbidden.map(|name| format!("{} must not use {name}", package.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_providers_depend_on_cryptography_in_c() {
    let mut wrong = Vec::new();
    for package in packages().iter().filter(|package| !MAY_USE_C.contains(&package.name.as_str())) {
        let forbidden = package.dependencies.iter().filter(|name| C_LIBRARIES.contains(&name.as_str()));
        wrong.extend(forbidden.map(|name| format!("{} must not use {name}: put it behind a provider", package.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_harness_reads_a_clock() {
    let mut wrong = Vec::new();
    let mut files = 0;
    for package in packages().iter().filter(|package| package.name != "pqlab-harness") {
        for file in sources(&package.folder.join("src")) {
            files += 1;
            let text = fs::read_to_string(&file).expect("a source file is readable");
            for (number, line) in without_tests(&text).lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                if CLOCKS.iter().any(|clock| code.contains(clock)) {
                    wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(files > 20, "only {files} source files were found");
    assert!(wrong.is_empty(), "only the harness reads a clock:\n{}", wrong.join("\n"));
}

/// The source files below a folder, without those that hold tests only.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a crate has a src folder") {
        let path = entry.expect("an entry is readable").path();
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The text before the module of tests, which comes last in a file.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}
