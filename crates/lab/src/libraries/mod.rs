//! Libraries loaded at run time, and worker programs in other languages. A separate process opens and describes each of
//! them. The calling process uses the descriptions to plan runs, and never opens a library. Every worker process of a
//! run then opens all libraries, and starts the programs whose cases it measures.

pub(crate) mod opened;

pub mod by_name;
pub(crate) mod catalogue;
pub(crate) mod linked;

use crate::running::errand::{Task, lost, read_answer};
use crate::running::program;
use crate::{LabError, Laboratory, Suite};
use opened::Loaded;
use pqlab_foreign::process::Listing;
use pqlab_foreign::{Description, LibrarySpec};
use pqlab_harness::clock::awake_ns;
use pqlab_harness::ending;
use pqlab_harness::errand::{Manner, Next};
use pqlab_primitives::Provider;
use pqlab_record::{LoadedLibrary, ProviderBuild, RunHeader};
use pqlab_workloads::Registry;
use pqlab_workloads::fastest::FASTEST;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit for opening and describing a library. A shorter time limit for workers takes precedence. Opening normally
/// takes milliseconds.
const DESCRIBING: Duration = Duration::from_secs(20);

/// Returns the libraries named by the suite files in `words`. If two files use the same label, the later one wins.
///
/// # Errors
/// Errors from [`Suite::find`].
pub fn libraries_of_suites(words: &[String]) -> Result<Vec<LibrarySpec>, LabError> {
    let mut found = Vec::new();
    for word in words.iter().filter(|word| word.ends_with(".toml") || Path::new(word).is_file()) {
        found = prefer(Suite::find(word)?.libraries, found);
    }
    Ok(found)
}

/// Returns the specifications of the loaded libraries that a run measured.
///
/// # Errors
/// [`LabError::Invalid`] if this build cannot parse the specification of a library.
pub fn libraries_of_run(header: &RunHeader) -> Result<Vec<LibrarySpec>, LabError> {
    let loaded = header.environment.providers.iter().filter_map(|build| build.library.as_ref());
    let parsed = loaded.map(|library| {
        library.spec.parse().map_err(|error| LabError::invalid("library", format!("run {}: {error}", header.id)))
    });
    parsed.collect()
}

/// Returns `these`, followed by all `others` with labels that do not occur in `these`.
pub fn prefer(these: Vec<LibrarySpec>, others: Vec<LibrarySpec>) -> Vec<LibrarySpec> {
    let rest: Vec<LibrarySpec> =
        others.into_iter().filter(|other| these.iter().all(|one| one.label != other.label)).collect();
    these.into_iter().chain(rest).collect()
}

/// Task: opens a library and describes its algorithms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DescribeTask {
    /// The library.
    library: LibrarySpec,
}

/// Description of a library, or the reason why it cannot be opened.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum DescribeAnswer {
    Description(Box<Description>),
    Refused(String),
}

impl Task for DescribeTask {
    const NAME: &'static str = "describe";
    type Answer = DescribeAnswer;

    fn carry_out(self, _: &Registry, say: &(dyn Fn(DescribeAnswer) + Sync)) -> io::Result<()> {
        say(match pqlab_foreign::describe(&self.library, awake_ns) {
            Ok(description) => DescribeAnswer::Description(Box::new(description)),
            Err(error) => DescribeAnswer::Refused(error.to_string()),
        });
        Ok(())
    }
}

impl Laboratory {
    /// Adds shared libraries and worker programs. Each becomes a provider with its label as the id. This method opens
    /// and describes each library in a separate process; the calling process never opens one.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for a reserved or used label, [`LabError::Libraries`] with all libraries that cannot be
    /// described, [`LabError::Worker`] if no worker can be started.
    pub fn with_libraries(mut self, libraries: Vec<LibrarySpec>) -> Result<Laboratory, LabError> {
        let libraries: Vec<LibrarySpec> = libraries.into_iter().map(lasting).collect::<Result<_, _>>()?;
        self.check_labels(&libraries)?;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for library in libraries {
            let described = self.description(&library)?;
            match described.and_then(|description| Ok((offered(&library, &description)?, description))) {
                Ok((provider, description)) => found.push((library, provider, description.listing().cloned())),
                Err(reason) => failures.push(reason),
            }
        }
        if !failures.is_empty() {
            return Err(LabError::Libraries { failures });
        }
        found.into_iter().for_each(|(library, provider, listing)| self.offer(library, provider, listing));
        Ok(self)
    }

    /// Adds a described library to the providers.
    pub(crate) fn offer(&mut self, library: LibrarySpec, provider: Provider, listing: Option<Listing>) {
        self.libraries.push(Loaded { library, build: provider.build_info.clone(), listing });
        let provider = Arc::new(provider);
        self.registry = Registry::new(self.registry.providers().iter().cloned().chain([provider]).collect());
    }

    /// Returns the loaded libraries.
    pub fn libraries(&self) -> impl Iterator<Item = &LibrarySpec> {
        self.libraries.iter().map(|loaded| &loaded.library)
    }

    /// Rejects a run with measurements of libraries that the user did not request. Repeating its cases would run the
    /// code of these libraries.
    ///
    /// # Errors
    /// [`LabError::Foreign`] with the libraries that were not requested.
    pub fn check_libraries_of(&self, header: &RunHeader) -> Result<(), LabError> {
        self.check_requested(&format!("run {}", header.id), &libraries_of_run(header)?)
    }

    /// Rejects libraries that `origin` names but the user did not request.
    pub(crate) fn check_requested(&self, origin: &str, named: &[LibrarySpec]) -> Result<(), LabError> {
        let missing = named.iter().filter(|library| self.libraries().all(|loaded| loaded.label != library.label));
        let libraries: Vec<String> = missing.map(ToString::to_string).collect();
        match libraries.is_empty() {
            true => Ok(()),
            false => Err(LabError::Foreign { origin: origin.to_owned(), libraries }),
        }
    }

    pub(crate) fn check_labels(&self, libraries: &[LibrarySpec]) -> Result<(), LabError> {
        for (place, LibrarySpec { label, .. }) in libraries.iter().enumerate() {
            let is = |provider: &Arc<Provider>| provider.id() == *label || provider.library == *label;
            let other = match () {
                () if libraries[..place].iter().any(|before| before.label == *label) => "used by another library",
                () if self.libraries().any(|before| before.label == *label) => "used by another library",
                () if self.registry.providers().iter().any(is) => "the name of a provider in this build",
                () if label == FASTEST => "reserved",
                () => continue,
            };
            let reason = format!("the label {label:?} is {other}; choose another label: LABEL=KIND:PATH");
            return Err(LabError::invalid("library", reason));
        }
        Ok(())
    }

    /// Opens a library in a worker process. Returns the description from the worker, or the reason why the library cannot
    /// be used.
    pub(crate) fn description(&self, library: &LibrarySpec) -> Result<Result<Description, String>, LabError> {
        let manner = Manner { keep_stderr: true, ..Manner::default() };
        let mut errand = self.start_without_libraries(&DescribeTask { library: library.clone() }, &manner)?;
        let limit = DESCRIBING.min(self.limits.request);
        let never = AtomicBool::new(false);
        loop {
            match errand.next_within(limit, &never).map_err(lost)? {
                None => return Ok(Err(format!("opening {library} took longer than {} s", limit.as_secs_f64()))),
                Some(Next::Said(message)) => match read_answer::<DescribeTask>(&message) {
                    Some(DescribeAnswer::Description(description)) => return Ok(Ok(*description)),
                    // The reason already names the file.
                    Some(DescribeAnswer::Refused(reason)) => return Ok(Err(format!("{}: {reason}", library.label))),
                    _ => {}
                },
                Some(Next::Ended | Next::Stopped) => break,
            }
        }
        let ended = errand.end().map_err(lost)?;
        let words =
            ended.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("note: "));
        let output = words.map_or_else(String::new, |words| format!("; the last line of its output: {words}"));
        let status = ending(ended.status);
        Ok(Err(format!("{library}: the process that opened the library ended ({status}){output}")))
    }

    /// Describes the providers for the environment that is stored with a run.
    pub(crate) fn provider_builds(&self) -> Vec<ProviderBuild> {
        let mut builds = program::provider_builds(&self.registry);
        for build in &mut builds {
            let loaded = self.libraries().find(|library| library.label == build.id);
            build.library = loaded.map(known_as);
        }
        builds
    }
}

/// Describes a library for the environment that is stored with a run. Shortens the path of a socket to its file name,
/// because the socket's folder is temporary and has a different name each time.
fn known_as(library: &LibrarySpec) -> LoadedLibrary {
    let file = library.file();
    let passing = fs::metadata(&file).is_ok_and(|about| about.file_type().is_socket());
    let name = file.file_name().filter(|_| passing).map(PathBuf::from);
    let path = name.clone().unwrap_or(file);
    let spec = LibrarySpec { path: name.unwrap_or_else(|| library.path.clone()), ..library.clone() };
    LoadedLibrary { kind: library.kind.name().to_owned(), path: path.display().to_string(), spec: spec.to_string() }
}

/// Returns the described provider, or an error if it offers nothing.
pub(crate) fn offered(library: &LibrarySpec, description: &Description) -> Result<Provider, String> {
    let provider = description.provider();
    if provider.primitives().next().is_some() || !provider.functions.is_empty() {
        return Ok(provider);
    }
    let gap = provider.unsupported.first().map(|gap| format!(" ({}: {})", gap.algorithm, gap.reason));
    Err(format!("{library} offers nothing that can be measured{}", gap.unwrap_or_default()))
}

/// Makes the path of a library absolute, so that runs can be resumed from any folder.
pub(crate) fn lasting(library: LibrarySpec) -> Result<LibrarySpec, LabError> {
    if library.name().is_some() {
        return Ok(library);
    }
    let path = std::path::absolute(&library.path).map_err(LabError::system("cannot resolve the path of a library"))?;
    Ok(LibrarySpec { path, ..library })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerProgram;
    use pqlab_primitives::BuildInfo;

    fn library(text: &str) -> LibrarySpec {
        text.parse().unwrap()
    }

    #[test]
    fn labels_are_unique() {
        // The worker program does not exist: the labels are rejected before it is started.
        let refused = |labels: &[&str]| {
            let libraries = labels.iter().map(|label| library(&format!("{label}=openssl:/x.so"))).collect();
            let laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
            laboratory.with_libraries(libraries).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused(&["a", "b", "a"]).starts_with("the label \"a\" is used by another library; "));
        assert!(refused(&["rustcrypto"]).contains("\"rustcrypto\" is the name of a provider in this build"));
        assert!(refused(&["null"]).contains("is the name of a provider"));
        assert!(refused(&["fastest"]).contains("\"fastest\" is reserved"));
    }

    #[test]
    fn rejects_libraries_that_were_not_requested() {
        let mut laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
        let build = BuildInfo { version: String::new(), build: String::new() };
        laboratory.libraries.push(Loaded { library: library("main=liboqs:/a.so"), build, listing: None });
        let check = |named: &[&str]| {
            let named: Vec<LibrarySpec> = named.iter().map(|text| library(text)).collect();
            laboratory.check_requested("mine.toml", &named).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["main=liboqs:/b.so"]), Ok(()), "the path on the command line must win");
        let message = check(&["main=liboqs:/a.so", "branch=liboqs:/b.so"]).unwrap_err();
        assert_eq!(message, "mine.toml would load and run the code of these libraries: branch=liboqs:/b.so");
    }

    #[test]
    fn the_first_library_with_a_label_wins() {
        let parse = |texts: &[&str]| texts.iter().map(|text| library(text)).collect::<Vec<_>>();
        let found = prefer(parse(&["a=openssl:/1"]), parse(&["a=openssl:/2", "b=openssl:/3"]));
        assert_eq!(found, parse(&["a=openssl:/1", "b=openssl:/3"]));
    }

    #[test]
    fn records_only_the_file_name_of_a_socket() {
        let folder = std::env::temp_dir().join(format!("pqlab-socket-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("functions");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let known = known_as(&library(&format!("mine=worker:{}", path.display())));
        drop(listener);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((known.path.as_str(), known.spec.as_str()), ("functions", "mine=worker:functions"));
        let known = known_as(&library("own=worker:/x/mine"));
        assert_eq!((known.path.as_str(), known.spec.as_str()), ("/x/mine", "own=worker:/x/mine"));
    }

    #[test]
    fn paths_are_made_absolute() {
        let path = |text: &str| lasting(library(text)).unwrap().path;
        assert!(path("openssl:some/lib.so").is_absolute());
        assert_eq!(path("openssl:/x/lib.so"), Path::new("/x/lib.so"));
        assert!(path("worker:./mine").is_absolute());
        assert_eq!(path("worker:go"), Path::new("go"), "a name without a folder must not be read as a path");
    }
}
