//! Sources of libraries: crates that cargo fetches.

use super::build::run;
use super::recipe::{RecipeVersion, is_on_path};
use crate::LabError;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Manifest of a package that only depends on the crate with the source. It is never built.
fn manifest(version: &RecipeVersion) -> String {
    format!(
        "[package]\nname = \"source\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n\
         [dependencies]\n{} = {{ version = \"={}\", default-features = false }}\n\n[workspace]\n",
        version.crate_name, version.crate_version
    )
}

/// Fetches the crate with cargo, into cargo's own cache. Returns the folder of the library's source, or `None` if `stop`
/// was set.
///
/// # Errors
/// [`LabError::Invalid`] if cargo is missing or fails, or if the crate's checksum differs from the recipe's.
pub(super) fn fetch(
    version: &RecipeVersion,
    work: &Path,
    log: &Path,
    stop: &AtomicBool,
) -> Result<Option<PathBuf>, LabError> {
    let wrong = |reason: String| LabError::invalid("library", reason);
    if !is_on_path("cargo") {
        return Err(wrong("cargo is missing: install Rust, or name a folder of sources with --source".to_owned()));
    }
    fs::create_dir_all(work)
        .and_then(|()| fs::write(work.join("lib.rs"), ""))
        .and_then(|()| fs::write(work.join("Cargo.toml"), manifest(version)))
        .map_err(LabError::system("cannot prepare the source"))?;
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(work);
        command
    };
    let ended = run(&mut cargo(&["fetch"]), log, &mut |_| (), stop).map_err(LabError::system("cannot run cargo"))?;
    let Some((status, text)) = ended else { return Ok(None) };
    if !status.success() {
        let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        return Err(wrong(format!("cargo cannot fetch {} {}: {line}", version.crate_name, version.crate_version)));
    }
    let lock = fs::read_to_string(work.join("Cargo.lock")).map_err(LabError::system("cannot read Cargo.lock"))?;
    check(version, &lock).map_err(wrong)?;
    let mut metadata = cargo(&["metadata", "--quiet", "--offline", "--format-version", "1"]);
    let output = metadata.output().map_err(LabError::system("cannot run cargo"))?;
    let missing = || {
        let folder = version.folder.display();
        wrong(format!("{} {} has no folder {folder}", version.crate_name, version.crate_version))
    };
    folder(version, &output.stdout).map(Some).ok_or_else(missing)
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Compares the checksum of the crate in a lock file with the recipe's.
pub(super) fn check(version: &RecipeVersion, lock: &str) -> Result<(), String> {
    let lock: Lock = toml::from_str(lock).map_err(|error| format!("cannot parse Cargo.lock: {error}"))?;
    let is_it = |one: &&Locked| one.name == version.crate_name && one.version == version.crate_version;
    let found = lock.package.iter().find(is_it).and_then(|one| one.checksum.as_deref());
    match found {
        Some(found) if found == version.sha256 => Ok(()),
        Some(found) => Err(format!(
            "{} {} has the checksum {found}, but the recipe expects {}",
            version.crate_name, version.crate_version, version.sha256
        )),
        None => Err(format!("{} {} has no checksum", version.crate_name, version.crate_version)),
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

/// Returns the folder of the library's source in the crate that cargo's metadata describes.
fn folder(version: &RecipeVersion, metadata: &[u8]) -> Option<PathBuf> {
    let metadata: Metadata = serde_json::from_slice(metadata).ok()?;
    let is_it = |one: &&Package| one.name == version.crate_name && one.version == version.crate_version;
    let package = metadata.packages.iter().find(is_it)?;
    let folder = package.manifest_path.parent()?.join(&version.folder);
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_checksums_are_rejected() {
        let version = RecipeVersion {
            name: "1".into(),
            full: "1.2".into(),
            crate_name: "example-src".into(),
            crate_version: "1.2.0".into(),
            sha256: "ab".repeat(32),
            folder: "src".into(),
        };
        let lock = |sum: &str| format!("version = 4\n[[package]]\nname = \"example-src\"\nversion = \"1.2.0\"\n{sum}");
        assert_eq!(check(&version, &lock(&format!("checksum = \"{}\"", version.sha256))), Ok(()));
        let other = check(&version, &lock(&format!("checksum = \"{}\"", "cd".repeat(32)))).unwrap_err();
        assert!(other.starts_with("example-src 1.2.0 has the checksum cdcd"), "{other}");
        assert!(check(&version, &lock("")).unwrap_err().contains("no checksum"));
        assert!(manifest(&version).contains("example-src = { version = \"=1.2.0\""));
    }
}
