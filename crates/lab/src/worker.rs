use crate::LabError;
use pqlab_harness::{process, worker};
use pqlab_providers::providers;
use pqlab_workloads::Registry;

/// Serves a coordinator over an inherited file descriptor until it hangs up. What a worker process does, and all.
///
/// # Errors
/// If the descriptor is not a coordinator's, or its end of the wire breaks.
pub fn serve_as_worker(descriptor: i32) -> Result<(), LabError> {
    let stream = process::inherited_stream(descriptor).map_err(|error| LabError::usage(error.to_string()))?;
    let registry = Registry::new(providers());
    worker::serve(stream, &registry).map_err(|error| LabError::Measuring(error.to_string()))
}
