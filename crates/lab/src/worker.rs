use crate::LabError;
use pqlab_harness::{process, worker};
use pqlab_primitives::Provider;
use pqlab_providers::providers;
use pqlab_workloads::Registry;
use std::sync::Arc;

/// Every provider of this build, and more.
pub(crate) fn registry(more: Vec<Provider>) -> Registry {
    Registry::new(providers().into_iter().chain(more.into_iter().map(Arc::new)).collect())
}

/// Serves a coordinator over an inherited file descriptor until it hangs up. What a worker process does, and all. It has
/// the same `more` providers as the [`Laboratory`](crate::Laboratory) that started it.
///
/// # Errors
/// If the descriptor is not a coordinator's, or its end of the wire breaks.
pub fn serve_as_worker(descriptor: i32, more: Vec<Provider>) -> Result<(), LabError> {
    let stream = process::inherited_stream(descriptor).map_err(|error| LabError::usage(error.to_string()))?;
    let registry = registry(more);
    worker::serve(stream, &registry).map_err(|error| LabError::Measuring(error.to_string()))
}
