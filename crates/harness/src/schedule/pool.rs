//! Interface between the scheduler and the worker processes.

use crate::clock;
use crate::program::WorkerError;
use crate::wire::{Prepared, VisitRequest, Visited};
use pqlab_record::Case;
use std::time::Duration;

/// Failure of a request to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The current case failed. A failed record is stored, and the run continues.
    Case(String),
    /// Measuring is impossible, so the run ends.
    Fatal(WorkerError),
    /// The user stopped the run while it waited for a worker.
    Stopped,
}

/// Worker processes, real or simulated.
pub trait WorkerPool {
    /// Prepares a case in a process.
    ///
    /// # Errors
    /// [`Failure`] if the case failed or measuring is impossible.
    fn prepare(&mut self, process: u32, case: &Case) -> Result<Prepared, Failure>;

    /// Measures a case in a process, preparing it first if the process was restarted.
    ///
    /// # Errors
    /// The same errors as [`prepare`](Self::prepare).
    fn visit(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure>;

    /// Returns the time in ns since a fixed moment, for time limits that span several requests.
    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    /// Waits before the next request.
    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Releases a case in all processes.
    fn release(&mut self, case: &Case);

    /// Ends all processes. The next request starts fresh processes.
    fn shut_down(&mut self);
}
