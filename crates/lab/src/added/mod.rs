//! Libraries that the user added. A recipe builds a library into the user's data folder, or the user registers a library
//! as it is. From then on, every laboratory of the command line offers it like a library in this build, until the user
//! removes it.
//!
//! Each library has a folder with its record (`library.json`) and the result of its build. The record is written last,
//! so an interrupted build leaves the previous library unchanged. The result of the previous build stays until the next
//! one, for processes that still use it.

mod build;
mod recipe;
mod source;

pub use recipe::{Recipe, RecipeVersion, recipes};

use crate::libraries::{lasting, offered};
use crate::{LabError, Laboratory, Thing};
use build::Folders;
use pqlab_foreign::LibrarySpec;
use pqlab_harness::clock::{monotonic_ns, utc_now};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Name of the file with the record of a library.
const RECORD: &str = "library.json";
/// Name of the file that a process locks while it changes the libraries.
const LOCK: &str = "lock";
/// Start of the names of folders with the result of a build.
const RESULT: &str = "build-";
/// Number of results to keep: the current one and the one before.
const KEPT: usize = 2;

/// Record of a library that the user added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedLibrary {
    /// Name of the provider.
    pub label: String,
    /// How to open the library.
    pub spec: LibrarySpec,
    /// Version, as the library reports it.
    pub version: String,
    /// Time at which it was added: RFC 3339, UTC.
    pub added: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// How it was built; `None` if it was registered as it is.
    pub build: Option<AddedBuild>,
}

/// How an added library was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedBuild {
    /// Name of the recipe.
    pub recipe: String,
    /// Licence, as an SPDX expression.
    pub licence: String,
    /// Where the source is from: a crate with its version and checksum, or a folder.
    pub source: String,
    /// Folder of the source, if the user named one.
    pub folder: Option<PathBuf>,
    /// Compilers, as they report themselves.
    pub compiler: String,
    /// Compiler flags and configuration, as the script of the recipe reports them.
    pub flags: String,
    /// Duration of the build in seconds, without fetching the source.
    pub seconds: f64,
}

/// Request to build a library.
#[derive(Clone, Debug)]
pub struct AddRequest {
    /// Recipe and version: `openssl` or `openssl@3.5`.
    pub what: String,
    /// Folder of the source. If it is `None`, cargo fetches the source.
    pub source: Option<PathBuf>,
    /// Name of the provider. The default is `NAME-VERSION`, or `NAME-FOLDER` for a folder of sources.
    pub label: Option<String>,
}

/// Records of the added libraries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddedRecords {
    /// The libraries.
    pub libraries: Vec<AddedLibrary>,
    /// Labels whose record cannot be read, with the reason.
    pub unreadable: Vec<(String, String)>,
}

/// The libraries that the user added.
#[derive(Clone, Debug)]
pub struct AddedLibraries {
    folder: PathBuf,
}

impl AddedLibraries {
    /// Returns the libraries in `folder`, which need not exist.
    pub fn in_folder(folder: impl Into<PathBuf>) -> AddedLibraries {
        AddedLibraries { folder: folder.into() }
    }

    /// Returns the libraries of this user: those in `pqlab/libraries` in the user's data folder.
    ///
    /// # Errors
    /// [`LabError::Store`] if neither `XDG_DATA_HOME` nor `HOME` is set.
    pub fn of_user() -> Result<AddedLibraries, LabError> {
        Ok(AddedLibraries::in_folder(pqlab_store::data_folder()?.join("libraries")))
    }

    /// Returns the records of all libraries, sorted by label.
    ///
    /// # Errors
    /// [`LabError::System`] if the folder cannot be read.
    pub fn all(&self) -> Result<AddedRecords, LabError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Default::default()),
            Err(error) => return Err(LabError::system("cannot read the folder of added libraries")(error)),
        };
        let (mut all, mut unreadable) = (Vec::new(), Vec::new());
        for entry in entries.filter_map(Result::ok) {
            let label = entry.file_name().to_string_lossy().into_owned();
            match fs::read(entry.path().join(RECORD)) {
                Ok(text) => match serde_json::from_slice(&text) {
                    Ok(record) => all.push(record),
                    Err(error) => unreadable.push((label, format!("cannot parse {RECORD}: {error}"))),
                },
                // Neither files nor folders without a finished build are libraries.
                Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {}
                Err(error) => unreadable.push((label, format!("cannot read {RECORD}: {error}"))),
            }
        }
        all.sort_by(|one: &AddedLibrary, other| one.label.cmp(&other.label));
        unreadable.sort();
        Ok(AddedRecords { libraries: all, unreadable })
    }

    /// Returns the library called `label`.
    ///
    /// # Errors
    /// [`LabError::Unknown`] if there is none, otherwise as for [`all`](Self::all).
    pub fn find(&self, label: &str) -> Result<AddedLibrary, LabError> {
        let all = self.all()?.libraries;
        let labels: Vec<&str> = all.iter().map(|one| one.label.as_str()).collect();
        let found = all.iter().find(|one| one.label == label).cloned();
        found.ok_or_else(|| LabError::unknown_of_few(Thing::Added, label, &labels))
    }

    /// Locks the libraries against changes by other processes.
    fn locked(&self) -> Result<File, LabError> {
        let system = |error| LabError::system("cannot lock the folder of added libraries")(error);
        fs::create_dir_all(&self.folder).map_err(system)?;
        let file = File::create(self.folder.join(LOCK)).map_err(system)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                let reason = "another process is changing the added libraries: try again when it has ended";
                Err(LabError::invalid("library", reason))
            }
            Err(TryLockError::Error(error)) => Err(system(error)),
        }
    }

    /// Registers a library as it is. Opens it in a process of `laboratory` to describe it.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for a label that is in use, [`LabError::Libraries`] if the library cannot be opened.
    pub fn register(&self, laboratory: &Laboratory, spec: LibrarySpec) -> Result<AddedLibrary, LabError> {
        let _locked = self.locked()?;
        let spec = lasting(spec)?;
        if self.find(&spec.label).is_ok() {
            let reason = format!(
                "{label} was already added: choose another label, or remove it with `pqlab library remove {label}`",
                label = spec.label
            );
            return Err(LabError::invalid("library", reason));
        }
        self.keep(laboratory, spec, None, None)
    }

    /// Describes a registered library again, after its file changed.
    ///
    /// # Errors
    /// As for [`find`](Self::find) and [`register`](Self::register).
    pub fn register_again(&self, laboratory: &Laboratory, label: &str) -> Result<AddedLibrary, LabError> {
        let _locked = self.locked()?;
        self.keep(laboratory, self.find(label)?.spec, None, None)
    }

    /// Builds a library and adds it. An earlier library with the same label is replaced if the build succeeds. `show`
    /// receives lines about the progress. Returns `None` if `stop` was set.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for an unknown recipe or version, [`LabError::Invalid`] if a program is missing or the
    /// build fails, [`LabError::Libraries`] if the result cannot be opened.
    pub fn build(
        &self,
        laboratory: &Laboratory,
        request: &AddRequest,
        show: &mut dyn FnMut(&str),
        stop: &AtomicBool,
    ) -> Result<Option<AddedLibrary>, LabError> {
        let (recipe, version) = Recipe::find(&request.what)?;
        recipe.check_programs()?;
        let label = request.label.clone().unwrap_or_else(|| default_label(recipe, version, request.source.as_deref()));
        laboratory.check_labels(&[spec_of(recipe, &label, Path::new("x"))?])?;
        let _locked = self.locked()?;
        let log = self.folder.join(format!("{label}.log"));
        let work = tempfile::tempdir().map_err(LabError::system("cannot create a folder"))?;
        let (source, from) = match (&request.source, version) {
            (Some(folder), _) => {
                let folder = folder.canonicalize().map_err(|error| LabError::File {
                    path: folder.clone(),
                    reason: format!("cannot use this folder of sources: {error}"),
                })?;
                (folder.clone(), format!("folder {}", folder.display()))
            }
            (None, Some(version)) => {
                show(&format!("fetching {} {}", version.crate_name, version.crate_version));
                let from =
                    format!("crate {} {}, SHA-256 {}", version.crate_name, version.crate_version, version.sha256);
                let fetched = source::fetch(version, &work.path().join("source"), &log, stop)?;
                let Some(source) = fetched else { return Ok(None) };
                (source, from)
            }
            (None, None) => {
                let reason = format!("the recipe of {} needs a folder of sources: --source FOLDER", recipe.name);
                return Err(LabError::invalid("library", reason));
            }
        };
        let result = self.folder.join(&label).join(format!("{RESULT}{}", utc_now().replace(':', "")));
        let folders = Folders { source: &source, work: &work.path().join("work"), result: &result };
        let begin = monotonic_ns();
        let built = build::build(recipe, &folders, &log, show, stop);
        let seconds = monotonic_ns().saturating_sub(begin) as f64 / 1e9;
        let keep = |report: build::Report| {
            let about = AddedBuild {
                recipe: recipe.name.clone(),
                licence: recipe.licence.clone(),
                source: from,
                folder: request.source.as_ref().map(|_| source.clone()),
                compiler: compilers(recipe),
                flags: report.flags.unwrap_or_default(),
                seconds,
            };
            let spec = spec_of(recipe, &label, &result.join(&recipe.file))?;
            self.keep(laboratory, spec, report.version, Some(about))
        };
        let added = built.and_then(|report| report.map(keep).transpose());
        if !matches!(added, Ok(Some(_))) {
            fs::remove_dir_all(&result).ok();
            // Only removes the folder if it is empty.
            fs::remove_dir(self.folder.join(&label)).ok();
        }
        added
    }

    /// Removes a library: its record and its builds, but not a file that was registered as it is. Also removes a library
    /// whose record cannot be read.
    ///
    /// # Errors
    /// [`LabError::Unknown`] if there is no such library, [`LabError::System`] if a file cannot be removed.
    pub fn remove(&self, label: &str) -> Result<(), LabError> {
        let _locked = self.locked()?;
        if self.all()?.unreadable.iter().all(|(known, _)| known != label) {
            self.find(label)?;
        }
        fs::remove_dir_all(self.folder.join(label)).map_err(LabError::system(format!("cannot remove {label}")))?;
        fs::remove_file(self.folder.join(format!("{label}.log"))).ok();
        Ok(())
    }

    /// Describes an opened library, and writes its record.
    fn keep(
        &self,
        laboratory: &Laboratory,
        spec: LibrarySpec,
        version: Option<String>,
        build: Option<AddedBuild>,
    ) -> Result<AddedLibrary, LabError> {
        laboratory.check_labels(std::slice::from_ref(&spec))?;
        let described = laboratory.description(&spec)?;
        let described = described.and_then(|description| offered(&spec, &description));
        let provider = described.map_err(|reason| LabError::Libraries { failures: vec![reason] })?;
        let system = |error| LabError::system("cannot write the record of the library")(error);
        let unreadable = |error: io::Error| LabError::File { path: spec.file(), reason: error.to_string() };
        let bytes = fs::read(spec.file()).map_err(unreadable)?;
        let added = AddedLibrary {
            label: spec.label.clone(),
            version: version.unwrap_or_else(|| provider.build_info.version.clone()),
            added: utc_now(),
            sha256: hex::encode(Sha256::digest(&bytes)),
            bytes: bytes.len() as u64,
            spec,
            build,
        };
        let folder = self.folder.join(&added.label);
        fs::create_dir_all(&folder).map_err(system)?;
        let text = serde_json::to_vec_pretty(&added).map_err(|error| system(error.into()))?;
        let mut partial = tempfile::NamedTempFile::new_in(&folder).map_err(system)?;
        io::Write::write_all(&mut partial, &text).and_then(|()| partial.as_file().sync_all()).map_err(system)?;
        partial.persist(folder.join(RECORD)).map_err(|error| system(error.error))?;
        remove_older(&folder);
        Ok(added)
    }
}

impl Laboratory {
    /// Adds the libraries that the user added, except those whose label is already taken. Also returns a note for each
    /// library that cannot be used.
    ///
    /// # Errors
    /// As for [`AddedLibraries::all`] and [`with_libraries`](Self::with_libraries).
    pub fn with_added(self, added: &AddedLibraries) -> Result<(Laboratory, Vec<String>), LabError> {
        let AddedRecords { libraries: all, unreadable } = added.all()?;
        let note = |label: &str, reason: &str, remedy: &str| {
            format!("left out the added library {label}: {reason}; {remedy}`pqlab library remove {label}` removes it")
        };
        let mut notes: Vec<String> = unreadable.iter().map(|(label, reason)| note(label, reason, "")).collect();
        let mut laboratory = self;
        for one in all {
            if laboratory.libraries().any(|loaded| loaded.label == one.label) {
                continue;
            }
            let described = match laboratory.check_labels(std::slice::from_ref(&one.spec)) {
                Ok(()) => laboratory.description(&one.spec)?,
                Err(error) => Err(error.to_string()),
            };
            let described = described.and_then(|found| Ok((offered(&one.spec, &found)?, found)));
            match described {
                Ok((provider, found)) => laboratory.offer(one.spec, provider, found.listing().cloned()),
                Err(reason) => {
                    let remedy = format!("`pqlab library update {}` builds or opens it again, ", one.label);
                    notes.push(note(&one.label, &reason, &remedy));
                }
            }
        }
        Ok((laboratory, notes))
    }
}

/// Removes the results of all builds except the latest [`KEPT`].
fn remove_older(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    // The names contain the time of the build, so their order is that of the builds.
    let mut results: Vec<String> = names.filter(|name| name.starts_with(RESULT)).collect();
    results.sort();
    let old = results.len().saturating_sub(KEPT);
    // A folder that cannot be removed only takes up space.
    results[..old].iter().for_each(|name| drop(fs::remove_dir_all(folder.join(name))));
}

fn default_label(recipe: &Recipe, version: Option<&RecipeVersion>, source: Option<&Path>) -> String {
    let of_folder = |folder: &Path| {
        let name = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        name.file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    let suffix = match (source, version) {
        (Some(folder), _) => of_folder(folder),
        (None, Some(version)) => version.name.clone(),
        (None, None) => String::new(),
    };
    let suffix = suffix.strip_prefix(&format!("{}-", recipe.name)).unwrap_or(&suffix);
    // The name alone may be that of a library in this build.
    let suffix = if suffix.is_empty() || suffix == recipe.name { "source" } else { suffix };
    let label = format!("{}-{suffix}", recipe.name);
    label
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' })
        .collect()
}

fn spec_of(recipe: &Recipe, label: &str, file: &Path) -> Result<LibrarySpec, LabError> {
    let kind = recipe.kind().map_or("", |kind| kind.name());
    let end = if file.to_string_lossy().contains('?') { "?" } else { "" };
    let text = format!("{label}={kind}:{}{end}", file.display());
    text.parse().map_err(|error: pqlab_foreign::WrongSpec| LabError::invalid("library", error.to_string()))
}

/// Returns the first line of the version of each compiler that a recipe requires.
fn compilers(recipe: &Recipe) -> String {
    let version = |name: &str| {
        let output = Command::new(name).arg("--version").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().map_or_else(|| name.to_owned(), |line| line.trim().to_owned())
    };
    let names = recipe.requires.iter().filter(|name| ["cc", "c++", "rustc"].contains(&name.as_str()));
    names.map(|name| version(&recipe::program(name))).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(label: &str, file: &Path) -> AddedLibrary {
        AddedLibrary {
            label: label.to_owned(),
            spec: format!("{label}=liboqs:{}", file.display()).parse().unwrap(),
            version: "1.0".to_owned(),
            added: utc_now(),
            sha256: String::new(),
            bytes: 3,
            build: None,
        }
    }

    fn write(folder: &Path, label: &str, text: &[u8]) {
        fs::create_dir(folder.join(label)).unwrap();
        fs::write(folder.join(label).join(RECORD), text).unwrap();
    }

    #[test]
    fn records_are_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let added = AddedLibraries::in_folder(folder.path().join("libraries"));
        assert_eq!(added.all().unwrap(), AddedRecords::default());
        let added = AddedLibraries::in_folder(folder.path());
        for label in ["b", "a"] {
            let one = record(label, Path::new("/nonexistent/liboqs.so"));
            write(folder.path(), label, &serde_json::to_vec(&one).unwrap());
        }
        write(folder.path(), "broken", b"{\"label\": 3}");
        fs::create_dir(folder.path().join("unfinished")).unwrap();
        let AddedRecords { libraries: all, unreadable } = added.all().unwrap();
        assert_eq!(all.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(unreadable.len() == 1 && unreadable[0].0 == "broken", "{unreadable:?}");
        added.remove("a").unwrap();
        added.remove("broken").unwrap();
        assert_eq!(added.all().unwrap().libraries.len(), 1);
        for label in ["a", "unfinished", "..", "lock"] {
            let error = added.remove(label).unwrap_err().to_string();
            assert!(error.starts_with(&format!("unknown added library {label:?}")), "{error}");
        }
    }

    #[test]
    fn only_one_process_changes_the_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let added = AddedLibraries::in_folder(folder.path());
        let held = added.locked().unwrap();
        assert!(added.remove("a").unwrap_err().to_string().starts_with("another process is changing"));
        drop(held);
        assert!(added.remove("a").unwrap_err().to_string().starts_with("unknown added library"));
    }

    #[test]
    fn the_previous_build_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["build-1", "build-2", "build-3", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        remove_older(folder.path());
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["build-2", "build-3", "other"]);
    }

    #[test]
    fn labels_name_the_version_or_the_folder() {
        let recipe = recipes().iter().find(|recipe| recipe.name == "openssl").unwrap();
        let label = |source: Option<&str>| default_label(recipe, recipe.versions.first(), source.map(Path::new));
        assert_eq!(label(None), format!("openssl-{}", recipe.versions[0].name));
        assert_eq!(label(Some("/src/openssl")), "openssl-source");
        assert_eq!(label(Some("/src/openssl-3.6 beta")), "openssl-3.6-beta");
        assert_eq!(label(Some("/src/mine")), "openssl-mine");
    }
}
