//! Tells the code which versions of other crates it is built with and how it is compiled, as environment variables of
//! the compiler, so that no version is ever typed by hand.

use cargo_lock::Lockfile;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::path::PathBuf;

fn main() {
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let lock = manifest_dir.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    let lock = lock.expect("Cargo.lock lies in a folder above: the versions of the libraries come from it");

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", lock.display());
    let locked = Lockfile::load(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let versions = versions(&locked, &env::var("CARGO_PKG_NAME").expect("cargo sets CARGO_PKG_NAME"));
    let versions: Vec<String> = versions.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    println!("cargo:rustc-env=PQLAB_CRATE_VERSIONS={}", versions.join(";"));

    let variable = |name: &str| env::var(name).unwrap_or_default();
    println!(
        "cargo:rustc-env=PQLAB_COMPILED=profile {}, opt-level {}, {}, target features {}",
        variable("PROFILE"),
        variable("OPT_LEVEL"),
        variable("TARGET"),
        variable("CARGO_CFG_TARGET_FEATURE")
    );
}

/// Every crate that `root` is built with, directly or not, and its version in the lock file. Where several versions of
/// a crate are locked, the one that is nearest to `root` counts: breadth first, so a direct dependency always wins.
fn versions(lock: &Lockfile, root: &str) -> BTreeMap<String, String> {
    let root = lock.packages.iter().find(|package| package.name.as_str() == root).expect("cargo locks this crate");
    let (mut found, mut queue) = (BTreeMap::new(), VecDeque::from([root]));
    while let Some(package) = queue.pop_front() {
        for dependency in lock.packages.iter().filter(|other| package.dependencies.iter().any(|it| it.matches(other))) {
            if let Entry::Vacant(entry) = found.entry(dependency.name.to_string()) {
                entry.insert(dependency.version.to_string());
                queue.push_back(dependency);
            }
        }
    }
    found
}
