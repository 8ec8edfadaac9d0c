//! Collects the `facts.json` of every provider into one file. The table in `crates/providers/src/lib.rs` lists the
//! providers and sets their order. The script reads these files directly, so that this crate does not depend on the
//! providers crate.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folders = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../providers/src");
    let table = read(&folders.join("lib.rs"));
    let modules = table.lines().filter_map(|line| {
        let (_, module) = line.trim().strip_prefix('"')?.split_once("\" => ")?;
        module.strip_suffix(',')
    });
    let facts: Vec<String> = modules.map(|module| read(&folders.join(module).join("facts.json"))).collect();
    let collected = PathBuf::from(variable("OUT_DIR")).join("facts.json");
    fs::write(collected, format!("[{}]", facts.join(","))).expect("cannot write facts.json to OUT_DIR");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo must set {name}: {error}"))
}

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}
