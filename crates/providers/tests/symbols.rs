//! Checks that no two linked C libraries define the same global symbol. Otherwise, the linker would silently choose one
//! of the definitions, and two providers would run the same code.

#![cfg(feature = "c")]
#![allow(clippy::print_stdout)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

#[test]
fn no_symbol_is_defined_twice() {
    let expected = expected();
    let archives = archives(&expected);
    for expected in &expected {
        assert!(
            archives.keys().any(|name| name.starts_with(expected)),
            "no archive {expected}*.a among {:?}",
            archives.keys().collect::<Vec<_>>()
        );
    }
    let mut owners: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (name, (_, path)) in &archives {
        let symbols = defined_symbols(path);
        println!("{name}: {} global symbols", symbols.len());
        assert!(!symbols.is_empty(), "{} defines no symbols", path.display());
        for symbol in symbols {
            owners.entry(symbol).or_default().insert(name);
        }
    }
    let clashes: Vec<_> = owners.iter().filter(|(_, owners)| owners.len() > 1).collect();
    assert!(clashes.is_empty(), "{} symbols are defined twice: {:?}", clashes.len(), &clashes[..clashes.len().min(20)]);
}

/// Returns the name prefix of each archive that the `c` feature links.
fn expected() -> Vec<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let manifest = read("Cargo.toml");
    let libraries =
        manifest.lines().find_map(|line| line.strip_prefix("c = ")).expect("the `c` feature must be on one line");
    let libraries: Vec<String> = serde_json::from_str(libraries).expect("the `c` feature must be a list of strings");
    let archives = |library: &String| {
        let path = format!("src/{}/facts.json", library.replace('-', "_"));
        let facts: Value = serde_json::from_str(&read(&path)).expect("facts.json must be valid JSON");
        let archives: Vec<String> = serde_json::from_value(facts["archives"].clone()).unwrap_or_default();
        assert!(!archives.is_empty(), "{path} names no archives for {library}");
        archives
    };
    libraries.iter().flat_map(archives).collect()
}

/// Returns the path and modification time of the newest archive for each archive name. Searches the output of this
/// profile's build scripts, because this test is linked with those archives.
fn archives(expected: &[String]) -> BTreeMap<String, (SystemTime, PathBuf)> {
    let executable = std::env::current_exe().expect("cannot find the path of this test");
    let profile = executable.ancestors().nth(2).expect("the test must be in the `deps` folder of the build profile");
    let mut found = BTreeMap::new();
    for build in folders(&profile.join("build")) {
        collect(&build.join("out"), 4, expected, &mut found);
    }
    found
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
}

fn collect(folder: &Path, depth: u32, expected: &[String], found: &mut BTreeMap<String, (SystemTime, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if !name.ends_with(".a") || !expected.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let Ok(modified) = entry.metadata().and_then(|metadata| metadata.modified()) else { continue };
        // The build folder may contain several copies of an archive. Keep the newest.
        let newer = found.get(&name).is_none_or(|(earlier, _)| *earlier < modified);
        if newer {
            found.insert(name, (modified, path));
        }
    }
    if depth > 0 {
        folders(folder).iter().for_each(|folder| collect(folder, depth - 1, expected, found));
    }
}

/// Returns the strong global symbols in an archive. Weak symbols may be defined several times, because the linker may
/// choose any of the definitions.
fn defined_symbols(archive: &Path) -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["--extern-only", "--defined-only", "--format=posix"])
        .arg(archive)
        .output()
        .expect("cannot run nm, which comes with the compiler");
    let text = String::from_utf8_lossy(&output.stdout);
    let symbol = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, kind) = (words.next()?, words.next()?);
        matches!(kind, "T" | "D" | "B" | "R" | "C" | "S" | "G").then(|| name.to_owned())
    };
    text.lines().filter_map(symbol).collect()
}
