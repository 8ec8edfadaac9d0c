//! The processes in which libraries are called: what program they run, and what they do there.

use crate::libraries::{Opened, open_libraries};
use crate::{LabError, errand};
use pqlab_harness::wire::Task;
use pqlab_harness::{BuildId, process, worker};
use pqlab_primitives::Provider;
use pqlab_providers::providers;
use pqlab_record::ProviderBuild;
use pqlab_workloads::{Registry, tls_implementations};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;

/// The argument with which a program is started by itself as a worker; the number of a file descriptor follows.
const WORKER: &str = "--pqlab-worker";

/// The variable that a worker finds set in its environment: it starts no workers.
pub(crate) const IN_WORKER: &str = "PQLAB_IN_WORKER";

/// The program that a laboratory starts as its workers. It must be of the same build, with the same providers: both sides
/// compare, and refuse another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments; the number of a file descriptor is appended, with which it calls [`serve_as_worker`].
    pub arguments: Vec<OsString>,
}

impl WorkerProgram {
    /// This very program once more. Its `main` begins with [`run_if_worker`].
    ///
    /// # Errors
    /// [`LabError::System`] where the system does not tell which program this is, and in a worker: there `main` does not begin as
    /// it must, and would start workers without end.
    pub fn this() -> Result<WorkerProgram, LabError> {
        let refused = LabError::system("this program cannot be its own worker");
        if env::var_os(IN_WORKER).is_some() {
            return Err(refused(io::Error::other("it was started as one, but its main does not call run_if_worker")));
        }
        Ok(WorkerProgram { path: env::current_exe().map_err(refused)?, arguments: vec![WORKER.into()] })
    }

    /// The program `pqlab` of the same build, wherever it is.
    pub fn pqlab(path: impl Into<PathBuf>) -> WorkerProgram {
        WorkerProgram { path: path.into(), arguments: vec!["worker".into()] }
    }
}

/// Where this process was started as a worker by [`WorkerProgram::this`]: works, and ends the process. Else returns at once. To
/// be called first in `main`, before there are threads.
pub fn run_if_worker() {
    run_if_worker_with(Vec::new);
}

/// Likewise, with more providers than those of the build: those of
/// [`Laboratory::with_providers`](crate::Laboratory::with_providers).
pub fn run_if_worker_with(more: impl FnOnce() -> Vec<Provider>) {
    let Some(descriptor) = descriptor_of(env::args_os().skip(1)) else { return };
    match serve_as_worker(descriptor, more()) {
        Ok(()) => exit(0),
        Err(error) => {
            // The last line on standard error explains a worker's end.
            let line = format!("{error}\n");
            io::Write::write_all(&mut io::stderr(), line.as_bytes()).ok();
            exit(1)
        }
    }
}

/// The descriptor of a worker's command line, whose arguments these are.
fn descriptor_of(arguments: impl Iterator<Item = OsString>) -> Option<i32> {
    let mut arguments = arguments;
    if arguments.next()? != OsStr::new(WORKER) {
        return None;
    }
    arguments.next()?.to_str()?.parse().ok()
}

/// Every provider of this build, and more.
pub(crate) fn registry(more: Vec<Provider>) -> Registry {
    Registry::new(providers().into_iter().chain(more.into_iter().map(Arc::new)).collect())
}

/// The providers of a registry, as both sides of a wire name them.
pub(crate) fn provider_builds(registry: &Registry) -> Vec<ProviderBuild> {
    let build = |provider: &Arc<Provider>| ProviderBuild {
        id: provider.id(),
        version: provider.build_info.version.clone(),
        build: provider.build_info.build.clone(),
        language: provider.language.as_ref().map(|language| language.name.clone()),
        runtime: provider.language.as_ref().and_then(|language| language.runtime.clone()),
        library: None,
    };
    let tls = tls_implementations().into_iter().map(|(id, version)| ProviderBuild {
        id,
        version,
        build: "primitives of the linked AWS-LC".to_owned(),
        language: None,
        runtime: None,
        library: None,
    });
    registry.providers().iter().map(build).chain(tls).collect()
}

/// Serves a coordinator over an inherited file descriptor until it hangs up. What a worker process does, and all. It has
/// the same `more` providers as the [`Laboratory`](crate::Laboratory) that started it, and opens the libraries that this has loaded.
///
/// # Errors
/// [`LabError::System`] if the descriptor is not a coordinator's, the coordinator is of another build, or its end of the wire
/// breaks.
pub fn serve_as_worker(descriptor: i32, more: Vec<Provider>) -> Result<(), LabError> {
    let serve = || {
        let mut stream = process::inherited_stream(descriptor)?;
        let Opened { providers: opened, failed } = open_libraries()?;
        let registry = registry(more.into_iter().chain(opened).collect()).without(failed.clone());
        match worker::greet(&stream, BuildId::of(&provider_builds(&registry)))? {
            Some(Task::Measure) => worker::serve(&mut stream, &registry),
            // What is found out about a library must not be that nothing was found.
            Some(Task::Errand(_)) if !failed.is_empty() => {
                let failed: Vec<String> = failed.iter().map(|(label, reason)| format!("{label}: {reason}")).collect();
                Err(io::Error::other(failed.join("; ")))
            }
            Some(Task::Errand(task)) => errand::serve(&task, &registry, stream),
            None => Ok(()),
        }
    };
    serve().map_err(LabError::system("this worker cannot work"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_known_by_its_command_line() {
        let descriptor = |words: &[&str]| descriptor_of(words.iter().map(OsString::from));
        assert_eq!(descriptor(&[WORKER, "5"]), Some(5));
        for other in [&[][..], &[WORKER], &[WORKER, "five"], &["5"], &["run", WORKER, "5"]] {
            assert_eq!(descriptor(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_descriptor_that_is_not_open_is_no_coordinator() {
        let refused = serve_as_worker(1_000_000, Vec::new()).unwrap_err();
        assert!(matches!(refused, LabError::System { .. }), "{refused}");
        assert!(refused.to_string().contains("descriptor 1000000 is not open"), "{refused}");
    }
}
