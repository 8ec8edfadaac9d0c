//! Worker processes as the measuring rules see them.

use crate::program::WorkerError;
use crate::wire::{Prepared, VisitRequest, Visited};
use pqlab_record::Case;
use std::time::Duration;

/// Failure of a request to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The current case failed; it gets a failed record, and the run continues.
    Case(String),
    /// Measuring itself does not work; the run ends.
    Fatal(WorkerError),
}

/// Worker processes, real or simulated.
pub trait WorkerPool {
    /// Prepares a case in a process.
    ///
    /// # Errors
    /// [`Failure`] of the case, or of measuring itself.
    fn prepare(&mut self, process: u32, case: &Case) -> Result<Prepared, Failure>;

    /// Measures a case in a process, preparing it first if the process was restarted.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare).
    fn visit(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure>;

    /// Lets time pass.
    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Releases a case in all processes.
    fn release(&mut self, case: &Case);

    /// Ends all processes; the next request starts fresh ones.
    fn shut_down(&mut self);
}
