//! Tells the code which version of rustls it is built with, so that none is typed by hand.

use cargo_lock::Lockfile;
use std::env;
use std::path::PathBuf;

fn main() {
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let lock = manifest_dir.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    let lock = lock.expect("Cargo.lock lies in a folder above: the version of rustls comes from it");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", lock.display());
    let locked = Lockfile::load(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    for name in ["rustls", "aws-lc-rs"] {
        let version = locked.packages.iter().find(|package| package.name.as_str() == name);
        let version = version.map_or("unknown".to_owned(), |package| package.version.to_string());
        println!("cargo:rustc-env=PQLAB_VERSION_{}={version}", name.replace('-', "_").to_uppercase());
    }
}
