//! Tells the code which versions of other crates it is built with and how it is compiled, as environment variables of
//! the compiler, so that no version is ever typed by hand.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let manifest = manifest_dir.join("Cargo.toml");
    let lock = manifest_dir.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", manifest.display());
    let versions = match &lock {
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.display());
            locked_versions(&read(path), &env::var("CARGO_PKG_NAME").expect("cargo sets CARGO_PKG_NAME"))
        }
        None => required_versions(&read(&manifest)),
    };
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

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every crate that `root` is built with, directly or not, and its version in the lock file. Where several versions of
/// a crate are locked, the one that is nearest to `root` counts: breadth first, so a direct dependency always wins.
fn locked_versions(lock: &str, root: &str) -> Vec<(String, String)> {
    let packages: Vec<Package> = lock.split("[[package]]").skip(1).map(Package::parse).collect();
    let mut by_name: HashMap<&str, Vec<&Package>> = HashMap::new();
    for package in &packages {
        by_name.entry(package.name).or_default().push(package);
    }

    let mut seen = HashSet::from([root]);
    let mut queue: VecDeque<&Package> = by_name.get(root).into_iter().flatten().copied().collect();
    let mut versions = Vec::new();
    while let Some(package) = queue.pop_front() {
        for dependency in &package.dependencies {
            let (name, version) = dependency.split_once(' ').map_or((*dependency, None), |(n, v)| (n, Some(v)));
            let found = by_name
                .get(name)
                .and_then(|candidates| candidates.iter().find(|c| version.is_none_or(|wanted| c.version == wanted)));
            if let Some(found) = found
                && seen.insert(name)
            {
                versions.push((name.to_owned(), found.version.to_owned()));
                queue.push_back(found);
            }
        }
    }
    versions.sort();
    versions
}

/// One `[[package]]` table of the lock file. A dependency reads `name`, or `name version` where the name alone would
/// not say which.
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    dependencies: Vec<&'a str>,
}

impl<'a> Package<'a> {
    fn parse(table: &'a str) -> Package<'a> {
        let value = |key: &str| {
            let line = table.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.unwrap_or_default().trim_matches('"')
        };
        let dependencies =
            table.split_once("dependencies = [").map_or("", |(_, rest)| rest.split(']').next().unwrap_or(""));
        Package {
            name: value("name"),
            version: value("version"),
            dependencies: dependencies.split('"').skip(1).step_by(2).collect(),
        }
    }
}

/// Without a lock file: what the manifest asks for, such as `0.3`.
fn required_versions(manifest: &str) -> Vec<(String, String)> {
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let quoted = |text: &str| text.split('"').nth(1).map(str::to_owned);
    dependencies
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let (name, requirement) = line.split_once(" = ")?;
            let version = if requirement.starts_with('"') {
                quoted(requirement)
            } else {
                requirement.split_once("version = ").and_then(|(_, rest)| quoted(rest))
            };
            Some((name.to_owned(), version?))
        })
        .collect()
}
