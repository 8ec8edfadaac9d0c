//! Libraries that are loaded at run time, and programs in other languages: a process of its own opens each and describes it, and
//! this one, which opens none, plans with the descriptions. Every process of a run then opens all libraries, and starts the
//! programs whose cases it has.

pub(crate) mod opened;

pub mod by_name;
pub(crate) mod catalogue;

use crate::running::errand::{Task, lost, read_answer};
use crate::running::program;
use crate::{LabError, Laboratory, Suite};
use opened::Loaded;
use pqlab_foreign::process::Listing;
use pqlab_foreign::{Description, LibrarySpec};
use pqlab_harness::clock::awake_ns;
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

/// How long a library may take to be opened and described, unless workers have less for an answer: that is milliseconds' work.
const DESCRIBING: Duration = Duration::from_secs(20);

/// The libraries that the files of suites among these words name, those of the last word where a label comes twice.
///
/// # Errors
/// What is wrong with a file.
pub fn libraries_of_suites(words: &[String]) -> Result<Vec<LibrarySpec>, LabError> {
    let mut found = Vec::new();
    for word in words.iter().filter(|word| word.ends_with(".toml") || Path::new(word).is_file()) {
        found = instead(Suite::find(word)?.libraries, found);
    }
    Ok(found)
}

/// The libraries with which a run was measured.
///
/// # Errors
/// [`LabError::Invalid`] where this build does not understand how one of them is named.
pub fn libraries_of_run(header: &RunHeader) -> Result<Vec<LibrarySpec>, LabError> {
    let loaded = header.environment.providers.iter().filter_map(|build| build.library.as_ref());
    let parsed = loaded.map(|library| {
        library.spec.parse().map_err(|error| LabError::invalid("library", format!("run {}: {error}", header.id)))
    });
    parsed.collect()
}

/// Some libraries, and of others those with no label of these.
pub fn instead(these: Vec<LibrarySpec>, others: Vec<LibrarySpec>) -> Vec<LibrarySpec> {
    let rest: Vec<LibrarySpec> =
        others.into_iter().filter(|other| these.iter().all(|one| one.label != other.label)).collect();
    these.into_iter().chain(rest).collect()
}

/// Opens a library and describes what it offers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DescribeTask {
    /// The library.
    library: LibrarySpec,
}

/// What a library offers, or why it cannot be opened.
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
    /// Has these shared libraries and programs too, each as a provider by its label. A process of its own opens and describes each
    /// of them now; this process opens none, and neither does it later.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for a label that is a provider's or comes twice, [`LabError::Libraries`] naming all that cannot be
    /// described, [`LabError::Worker`] where no worker can be started.
    pub fn with_libraries(mut self, libraries: Vec<LibrarySpec>) -> Result<Laboratory, LabError> {
        let libraries: Vec<LibrarySpec> = libraries.into_iter().map(lasting).collect::<Result<_, _>>()?;
        self.check_labels(&libraries)?;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for library in libraries {
            match self.described(&library)? {
                Ok((provider, listing)) => found.push((library, provider, listing)),
                Err(reason) => failures.push(reason),
            }
        }
        if !failures.is_empty() {
            return Err(LabError::Libraries { failures });
        }
        let mut providers = self.registry.providers().to_vec();
        for (library, provider, listing) in found {
            self.libraries.push(Loaded { library, build: provider.build_info.clone(), listing });
            providers.push(Arc::new(provider));
        }
        self.registry = Registry::new(providers);
        Ok(self)
    }

    /// The libraries that were loaded.
    pub fn libraries(&self) -> impl Iterator<Item = &LibrarySpec> {
        self.libraries.iter().map(|loaded| &loaded.library)
    }

    /// Refuses a run whose libraries were not asked for: to measure its cases again is to run their code.
    ///
    /// # Errors
    /// [`LabError::Foreign`] naming those that are missing.
    pub fn check_libraries_of(&self, header: &RunHeader) -> Result<(), LabError> {
        self.check_asked_for(&format!("run {}", header.id), &libraries_of_run(header)?)
    }

    /// Refuses what names libraries that were not asked for.
    pub(crate) fn check_asked_for(&self, origin: &str, named: &[LibrarySpec]) -> Result<(), LabError> {
        let missing = named.iter().filter(|library| self.libraries().all(|own| own.label != library.label));
        let libraries: Vec<String> = missing.map(ToString::to_string).collect();
        match libraries.is_empty() {
            true => Ok(()),
            false => Err(LabError::Foreign { origin: origin.to_owned(), libraries }),
        }
    }

    fn check_labels(&self, libraries: &[LibrarySpec]) -> Result<(), LabError> {
        for (place, LibrarySpec { label, .. }) in libraries.iter().enumerate() {
            let is = |provider: &Arc<Provider>| provider.id() == *label || provider.library == *label;
            let other = match () {
                () if libraries[..place].iter().any(|before| before.label == *label) => "another library's",
                () if self.libraries().any(|before| before.label == *label) => "another library's",
                () if self.registry.providers().iter().any(is) => "a provider's of this build",
                () if label == FASTEST => "a word of its own",
                () => continue,
            };
            let reason = format!("the label {label:?} is {other}: give another one before the kind, LABEL=KIND:PATH");
            return Err(LabError::invalid("library", reason));
        }
        Ok(())
    }

    /// What a worker process says of a library that it opens: what the provider offers, or which library gives none, and why.
    fn described(&self, library: &LibrarySpec) -> Result<Result<(Provider, Option<Listing>), String>, LabError> {
        let manner = Manner { keep_stderr: true, ..Manner::default() };
        let mut errand = self.start_without_libraries(&DescribeTask { library: library.clone() }, &manner)?;
        let limit = DESCRIBING.min(self.limits.request);
        let never = AtomicBool::new(false);
        loop {
            match errand.next_within(limit, &never).map_err(lost)? {
                None => return Ok(Err(format!("{library} was not opened within {} s", limit.as_secs_f64()))),
                Some(Next::Said(said)) => match read_answer::<DescribeTask>(&said) {
                    Some(DescribeAnswer::Description(description)) => {
                        let listing = description.listing().cloned();
                        return Ok(offered(library, &description).map(|provider| (provider, listing)));
                    }
                    // It names the file.
                    Some(DescribeAnswer::Refused(reason)) => return Ok(Err(format!("{}: {reason}", library.label))),
                    _ => {}
                },
                Some(Next::Ended | Next::Stopped) => break,
            }
        }
        let ended = errand.end().map_err(lost)?;
        let words =
            ended.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("note: "));
        let said = words.map_or_else(String::new, |words| format!("; it said: {words}"));
        Ok(Err(format!("{library}: the process that opened it ended, {}{said}", ended.status)))
    }

    /// The providers as the environment of a run has them.
    pub(crate) fn provider_builds(&self) -> Vec<ProviderBuild> {
        let mut builds = program::provider_builds(&self.registry);
        for build in &mut builds {
            let of = self.libraries().find(|library| library.label == build.id);
            build.library = of.map(known_as);
        }
        builds
    }
}

/// A library as a run has it. Of what is behind a socket no folder is kept: it is gone with who listened, and in another one the next
/// time.
fn known_as(library: &LibrarySpec) -> LoadedLibrary {
    let file = library.file();
    let passing = fs::metadata(&file).is_ok_and(|about| about.file_type().is_socket());
    let name = file.file_name().filter(|_| passing).map(PathBuf::from);
    let path = name.clone().unwrap_or(file);
    let spec = LibrarySpec { path: name.unwrap_or_else(|| library.path.clone()), ..library.clone() };
    LoadedLibrary { kind: library.kind.name().to_owned(), path: path.display().to_string(), spec: spec.to_string() }
}

/// The provider, unless there is nothing in it.
fn offered(library: &LibrarySpec, description: &Description) -> Result<Provider, String> {
    let provider = description.provider();
    if provider.primitives().next().is_some() || !provider.functions.is_empty() {
        return Ok(provider);
    }
    let gap = provider.unsupported.first().map(|gap| format!(": {}: {}", gap.algorithm, gap.reason));
    Err(format!("{library} offers nothing that can be measured{}", gap.unwrap_or_default()))
}

/// The same by a path that names it from wherever the run is gone on with.
fn lasting(library: LibrarySpec) -> Result<LibrarySpec, LabError> {
    if library.name().is_some() {
        return Ok(library);
    }
    let path = std::path::absolute(&library.path).map_err(LabError::system("a library has no path"))?;
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
    fn a_label_is_nobody_elses() {
        // No worker is there to be started: these are refused before.
        let refused = |labels: &[&str]| {
            let libraries = labels.iter().map(|label| library(&format!("{label}=openssl:/x.so"))).collect();
            let laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
            laboratory.with_libraries(libraries).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused(&["a", "b", "a"]).starts_with("the label \"a\" is another library's: "));
        assert!(refused(&["rustcrypto"]).contains("\"rustcrypto\" is a provider's of this build"));
        assert!(refused(&["null"]).contains("is a provider's"));
        assert!(refused(&["fastest"]).contains("a word of its own"));
    }

    #[test]
    fn what_names_libraries_that_nobody_asked_for_is_refused() {
        let mut laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
        let build = BuildInfo { version: String::new(), build: String::new() };
        laboratory.libraries.push(Loaded { library: library("main=liboqs:/a.so"), build, listing: None });
        let check = |named: &[&str]| {
            let named: Vec<LibrarySpec> = named.iter().map(|text| library(text)).collect();
            laboratory.check_asked_for("mine.toml", &named).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["main=liboqs:/b.so"]), Ok(()), "the command line says where it is");
        let said = check(&["main=liboqs:/a.so", "branch=liboqs:/b.so"]).unwrap_err();
        assert_eq!(said, "mine.toml names libraries whose code would run: branch=liboqs:/b.so");
    }

    #[test]
    fn the_first_of_a_label_is_taken() {
        let of = |texts: &[&str]| texts.iter().map(|text| library(text)).collect::<Vec<_>>();
        let found = instead(of(&["a=openssl:/1"]), of(&["a=openssl:/2", "b=openssl:/3"]));
        assert_eq!(found, of(&["a=openssl:/1", "b=openssl:/3"]));
    }

    #[test]
    fn of_a_socket_the_name_alone_is_kept() {
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
    fn a_path_lasts() {
        let path = |text: &str| lasting(library(text)).unwrap().path;
        assert!(path("openssl:some/lib.so").is_absolute());
        assert_eq!(path("openssl:/x/lib.so"), Path::new("/x/lib.so"));
        assert!(path("worker:./mine").is_absolute());
        assert_eq!(path("worker:go"), Path::new("go"), "wherever workers are");
    }
}
