//! Libraries that the user added. A recipe builds a library into the user's data folder, or the user registers a library
//! as it is. From then on, every laboratory of the command line offers it like a library in this build, until the user
//! removes it.
//!
//! Each library has a folder with its record (`library.json`), its description, and the result of its build. The
//! record is written last, so an interrupted build leaves the previous library unchanged.

mod build;
mod recipe;
mod source;

pub use recipe::{Recipe, RecipeVersion, recipes};

use super::opened::Loaded;
use crate::{LabError, Laboratory, Thing};
use build::Folders;
use pqlab_foreign::{Description, LibrarySpec};
use pqlab_harness::clock::{awake_ns, utc_now};
use pqlab_workloads::Registry;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Name of the file with the record of a library.
const RECORD: &str = "library.json";
/// Name of the file with the description of a library.
const DESCRIPTION: &str = "description.json";

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
    /// Compiler, as it reports itself.
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

    /// Returns all libraries, sorted by label.
    ///
    /// # Errors
    /// [`LabError::File`] for a record that cannot be read, [`LabError::System`] for the folder.
    pub fn all(&self) -> Result<Vec<AddedLibrary>, LabError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(LabError::system("cannot read the folder of added libraries")(error)),
        };
        let records = entries.filter_map(|entry| Some(entry.ok()?.path().join(RECORD))).filter(|path| path.is_file());
        let mut all: Vec<AddedLibrary> = records.map(|path| read(&path)).collect::<Result<_, _>>()?;
        all.sort_by(|one, other| one.label.cmp(&other.label));
        Ok(all)
    }

    /// Returns the library called `label`.
    ///
    /// # Errors
    /// [`LabError::Unknown`] if there is none, otherwise as for [`all`](Self::all).
    pub fn find(&self, label: &str) -> Result<AddedLibrary, LabError> {
        let all = self.all()?;
        let labels: Vec<&str> = all.iter().map(|one| one.label.as_str()).collect();
        let found = all.iter().find(|one| one.label == label).cloned();
        found.ok_or_else(|| LabError::unknown_of_few(Thing::Added, label, &labels))
    }

    /// Registers a library as it is. Opens it in a process of `laboratory` to describe it.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for a label that is in use, [`LabError::Libraries`] if the library cannot be opened.
    pub fn register(&self, laboratory: &Laboratory, spec: LibrarySpec) -> Result<AddedLibrary, LabError> {
        let spec = super::lasting(spec)?;
        self.keep(laboratory, spec, None, None)
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
                (source::fetch(version, &work.path().join("source"))?, from)
            }
            (None, None) => {
                let reason = format!("the recipe of {} needs a folder of sources: --source FOLDER", recipe.name);
                return Err(LabError::invalid("library", reason));
            }
        };
        let result = self.folder.join(&label).join(format!("build-{}", utc_now().replace(':', "")));
        let folders = Folders { source: &source, work: &work.path().join("work"), result: &result };
        let begin = awake_ns();
        let built = build::build(recipe, &folders, show, stop);
        let seconds = awake_ns().saturating_sub(begin) as f64 / 1e9;
        let keep = |report: build::Report| {
            let about = AddedBuild {
                recipe: recipe.name.clone(),
                licence: recipe.licence.clone(),
                source: from,
                folder: request.source.as_ref().map(|_| source.clone()),
                compiler: compiler(),
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

    /// Removes a library: its record, and what was built for it.
    ///
    /// # Errors
    /// As for [`find`](Self::find); [`LabError::System`] if a file cannot be removed.
    pub fn remove(&self, label: &str) -> Result<AddedLibrary, LabError> {
        let found = self.find(label)?;
        fs::remove_dir_all(self.folder.join(label)).map_err(LabError::system(format!("cannot remove {label}")))?;
        Ok(found)
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
        let description = described.map_err(|reason| LabError::Libraries { failures: vec![reason] })?;
        let system = |error| LabError::system("cannot write the record of the library")(error);
        let bytes =
            fs::read(spec.file()).map_err(|error| LabError::File { path: spec.file(), reason: error.to_string() })?;
        let version = version.unwrap_or_else(|| description.provider().build_info.version.clone());
        let added = AddedLibrary {
            label: spec.label.clone(),
            version,
            added: utc_now(),
            sha256: hex::encode(Sha256::digest(&bytes)),
            bytes: bytes.len() as u64,
            spec,
            build,
        };
        let folder = self.folder.join(&added.label);
        fs::create_dir_all(&folder).map_err(system)?;
        let json = serde_json::to_vec(&description).map_err(|error| system(error.into()))?;
        fs::write(folder.join(DESCRIPTION), json).map_err(system)?;
        let text = serde_json::to_vec_pretty(&added).map_err(|error| system(error.into()))?;
        let partial = folder.join("library.json.partial");
        fs::write(&partial, text).and_then(|()| fs::rename(&partial, folder.join(RECORD))).map_err(system)?;
        remove_older(&folder, &added.spec.file());
        Ok(added)
    }

    /// Returns the stored description of a library, if its file is still the one that was added.
    fn description(&self, added: &AddedLibrary) -> Result<Description, String> {
        let file = added.spec.file();
        let length = fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?.len();
        if length != added.bytes {
            return Err(format!("{} is not the file that was added", file.display()));
        }
        let text = fs::read(self.folder.join(&added.label).join(DESCRIPTION)).map_err(|error| error.to_string())?;
        serde_json::from_slice(&text).map_err(|_| "another version of pqlab described it".to_owned())
    }
}

impl Laboratory {
    /// Adds the libraries that the user added, except those whose label is already taken. Opens none of them, because
    /// their descriptions are stored. Also returns a note for each library that cannot be used.
    ///
    /// # Errors
    /// As for [`AddedLibraries::all`].
    pub fn with_added(mut self, added: &AddedLibraries) -> Result<(Laboratory, Vec<String>), LabError> {
        let (mut providers, mut notes) = (self.registry.providers().to_vec(), Vec::new());
        for one in added.all()? {
            if self.libraries().any(|loaded| loaded.label == one.label) {
                continue;
            }
            let described = match self.check_labels(std::slice::from_ref(&one.spec)) {
                Ok(()) => added.description(&one),
                Err(error) => Err(error.to_string()),
            };
            match described.and_then(|description| Ok((super::offered(&one.spec, &description)?, description))) {
                Ok((provider, description)) => {
                    let listing = description.listing().cloned();
                    self.libraries.push(Loaded { library: one.spec, build: provider.build_info.clone(), listing });
                    providers.push(Arc::new(provider));
                }
                Err(reason) => notes.push(format!(
                    "left out the added library {label}: {reason}; `pqlab library update {label}` builds it again, \
                     `pqlab library remove {label}` removes it",
                    label = one.label
                )),
            }
        }
        self.registry = Registry::new(providers);
        Ok((self, notes))
    }
}

fn read(path: &Path) -> Result<AddedLibrary, LabError> {
    let wrong = |reason: String| LabError::File { path: path.to_path_buf(), reason };
    let text = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))
}

/// Removes the results of earlier builds.
fn remove_older(folder: &Path, file: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let old = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let old = old.filter(|path| path.is_dir() && !file.starts_with(path));
    // A folder that cannot be removed only takes up space.
    old.for_each(|path| drop(fs::remove_dir_all(path)));
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
    let label = if suffix.is_empty() || suffix == recipe.name {
        recipe.name.clone()
    } else {
        format!("{}-{suffix}", recipe.name)
    };
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

/// Returns the first line of the C compiler's version.
fn compiler() -> String {
    let name = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(&name).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().map_or(name, |line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerProgram;

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

    #[test]
    fn libraries_without_their_file_are_left_out_with_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let added = AddedLibraries::in_folder(folder.path());
        assert_eq!(added.all().unwrap(), []);
        for label in ["b", "a"] {
            let one = record(label, Path::new("/nonexistent/liboqs.so"));
            fs::create_dir(folder.path().join(label)).unwrap();
            fs::write(folder.path().join(label).join(RECORD), serde_json::to_vec(&one).unwrap()).unwrap();
        }
        let labels: Vec<String> = added.all().unwrap().into_iter().map(|one| one.label).collect();
        assert_eq!(labels, ["a", "b"]);
        let (laboratory, notes) = Laboratory::new(WorkerProgram::pqlab("none")).with_added(&added).unwrap();
        assert_eq!(laboratory.libraries().count(), 0);
        assert!(notes.len() == 2 && notes[0].contains("`pqlab library remove a` removes it"), "{notes:?}");
        assert_eq!(added.remove("a").unwrap().label, "a");
        let error = added.find("a").unwrap_err().to_string();
        assert!(error.starts_with("unknown added library \"a\""), "{error}");
    }

    #[test]
    fn broken_records_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("x")).unwrap();
        fs::write(folder.path().join("x").join(RECORD), "{\"label\": 3}").unwrap();
        let error = AddedLibraries::in_folder(folder.path()).all().unwrap_err().to_string();
        assert!(error.contains("x/library.json: ") && error.lines().count() == 1, "{error}");
    }
}
