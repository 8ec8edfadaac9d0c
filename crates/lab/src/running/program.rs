//! The program of worker processes, and the providers that it has.

use crate::LabError;
use pqlab_primitives::Provider;
use pqlab_providers::providers;
use pqlab_record::ProviderBuild;
use pqlab_workloads::{Registry, tls_implementations};
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The argument with which a program is started by itself as a worker; the number of a file descriptor follows.
pub(super) const WORKER: &str = "--pqlab-worker";

/// The variable that a worker finds set in its environment: it starts no workers.
pub(crate) const IN_WORKER: &str = "PQLAB_IN_WORKER";

/// The program that a laboratory starts as its workers. It must be of the same build, with the same providers: both sides
/// compare, and refuse another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments; the number of a file descriptor is appended, with which it calls [`serve_as_worker`](crate::serve_as_worker).
    pub arguments: Vec<OsString>,
}

impl WorkerProgram {
    /// This very program once more. Its `main` begins with [`run_if_worker`](crate::run_if_worker).
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
