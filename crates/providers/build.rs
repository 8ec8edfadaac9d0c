//! Passes the versions of the dependencies and the compiler settings to the crate in environment variables at compile
//! time. The code therefore contains no version numbers that someone must maintain.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::{env, fs};
use toml::{Table, Value};

fn main() {
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo must set CARGO_MANIFEST_DIR"));
    let lock = manifest_dir.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    let lock = lock.expect("no parent folder contains Cargo.lock, which lists the versions of the libraries");

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let locked: Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let packages: Vec<Package> = locked["package"].as_array().into_iter().flatten().map(Package::new).collect();
    let versions = versions(&packages, &env::var("CARGO_PKG_NAME").expect("cargo must set CARGO_PKG_NAME"));
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

struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// Names of the dependencies. If several versions of a dependency are locked, the entry is the name followed by the
    /// version.
    dependencies: Vec<&'a str>,
}

impl<'a> Package<'a> {
    fn new(entry: &'a Value) -> Self {
        let text = |name: &str| entry[name].as_str().expect("Cargo.lock must list names and versions");
        let dependencies = entry.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        let dependencies = dependencies.filter_map(Value::as_str).collect();
        Self { name: text("name"), version: text("version"), dependencies }
    }

    fn depends_on(&self, other: &Package) -> bool {
        self.dependencies.iter().any(|dependency| {
            let mut words = dependency.split(' ');
            words.next() == Some(other.name) && words.next().is_none_or(|version| version == other.version)
        })
    }
}

/// Returns the locked versions of all direct and indirect dependencies of `root`. If several versions of a crate are
/// locked, returns the version nearest to `root`, so a direct dependency always takes precedence.
fn versions<'a>(packages: &[Package<'a>], root: &str) -> BTreeMap<&'a str, &'a str> {
    let root = packages.iter().find(|package| package.name == root).expect("Cargo.lock must contain this crate");
    let (mut found, mut queue) = (BTreeMap::new(), VecDeque::from([root]));
    while let Some(package) = queue.pop_front() {
        for dependency in packages.iter().filter(|other| package.depends_on(other)) {
            if let Entry::Vacant(entry) = found.entry(dependency.name) {
                entry.insert(dependency.version);
                queue.push_back(dependency);
            }
        }
    }
    found
}
