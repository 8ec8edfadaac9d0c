//! Exports the version of quinn-proto in Cargo.lock as an environment variable for `env!`.

use std::path::PathBuf;
use std::{env, fs};
use toml::Table;

fn main() {
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let lock = manifest_dir.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    let lock = lock.expect("a parent folder must contain Cargo.lock, which holds the version of quinn-proto");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let locked: Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let packages = locked["package"].as_array().expect("Cargo.lock must list packages");
    let package = packages.iter().find(|package| package["name"].as_str() == Some("quinn-proto"));
    let version = package.and_then(|package| package["version"].as_str()).unwrap_or("unknown");
    println!("cargo:rustc-env=PQLAB_VERSION_QUINN_PROTO={version}");
}
