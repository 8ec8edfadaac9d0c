//! Collects the facts about libraries: `facts.json` of each folder of `crates/providers/src`, in the order of the table
//! in `lib.rs` there. These files are data. No code of that crate is built into this one.

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
    fs::write(collected, format!("[{}]", facts.join(","))).expect("cargo's folder can be written");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
