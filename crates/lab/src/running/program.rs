//! The program that worker processes run, and its providers.

use crate::LabError;
use pqlab_primitives::Provider;
use pqlab_providers::providers;
use pqlab_record::ProviderBuild;
use pqlab_workloads::{Registry, mtc_implementations, quic_implementations, ssh_implementations, tls_implementations};
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Argument that makes a program run as a worker. The next argument is the number of the file descriptor to serve.
pub(super) const WORKER: &str = "--pqlab-worker";

/// Environment variable that marks a process as a worker, so that it does not start further workers.
pub(crate) const IN_WORKER: &str = "PQLAB_IN_WORKER";

/// Program that a laboratory starts as its workers. It must come from the same build and have the same providers as the
/// laboratory. Workers and laboratory compare builds and providers when they connect, and disconnect if these differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    /// Path of the executable.
    pub path: PathBuf,
    /// Command-line arguments. The laboratory appends the number of the file descriptor to pass to
    /// [`serve_as_worker`](crate::serve_as_worker).
    pub arguments: Vec<OsString>,
}

impl WorkerProgram {
    /// Uses the calling program as its own worker. Its `main` must begin with [`run_if_worker`](crate::run_if_worker).
    ///
    /// # Errors
    /// [`LabError::System`] if the path of the program is unknown, or if the program already runs as a worker. The
    /// second error keeps a `main` without that call from starting workers endlessly.
    pub fn this() -> Result<WorkerProgram, LabError> {
        let refused = LabError::system("this program cannot be its own worker");
        if env::var_os(IN_WORKER).is_some() {
            return Err(refused(io::Error::other("started as a worker, but its main does not call run_if_worker")));
        }
        Ok(WorkerProgram { path: env::current_exe().map_err(refused)?, arguments: vec![WORKER.into()] })
    }

    /// Uses the `pqlab` program at `path`, which must be from the same build.
    pub fn pqlab(path: impl Into<PathBuf>) -> WorkerProgram {
        WorkerProgram { path: path.into(), arguments: vec!["worker".into()] }
    }
}

/// Returns a registry with the providers in this build and the additional ones.
pub(crate) fn registry(more: Vec<Provider>) -> Registry {
    Registry::new(providers().into_iter().chain(more.into_iter().map(Arc::new)).collect())
}

/// Describes the providers of a registry, so that a laboratory and its workers can compare them.
pub(crate) fn provider_builds(registry: &Registry) -> Vec<ProviderBuild> {
    let build = |provider: &Arc<Provider>| ProviderBuild {
        id: provider.id(),
        version: provider.build_info.version.clone(),
        build: provider.build_info.build.clone(),
        language: provider.language.as_ref().map(|language| language.name.clone()),
        runtime: provider.language.as_ref().and_then(|language| language.runtime.clone()),
        library: None,
    };
    let protocol = |(id, version): (String, String), build: &str| ProviderBuild {
        id,
        version,
        build: build.to_owned(),
        language: None,
        runtime: None,
        library: None,
    };
    let rustls = tls_implementations().into_iter().chain(quic_implementations());
    let rustls = rustls.map(|one| protocol(one, "primitives of the linked AWS-LC"));
    let ssh = ssh_implementations().into_iter();
    let ssh = ssh.map(|one| protocol(one, "primitives of RustCrypto and dalek; ciphers of the linked AWS-LC"));
    let mtc = mtc_implementations().into_iter().map(|one| protocol(one, "primitives of RustCrypto and dalek"));
    registry.providers().iter().map(build).chain(rustls).chain(ssh).chain(mtc).collect()
}
