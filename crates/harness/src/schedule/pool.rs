//! The worker processes, as the rules see them.

use crate::program::WorkerError;
use crate::wire::{Prepared, VisitRequest, Visited};
use pqlab_record::Case;
use std::time::Duration;

/// What goes wrong with a request to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The case in hand is to blame: a failed record, and the run goes on.
    Case(String),
    /// Measuring itself does not work: the run ends.
    Fatal(WorkerError),
}

/// Worker processes, real or simulated.
pub trait WorkerPool {
    /// Readies a case in a process.
    ///
    /// # Errors
    /// [`Failure`]: of the case, or of measuring itself.
    fn prepare(&mut self, process: u32, case: &Case) -> Result<Prepared, Failure>;

    /// Measures a case in a process, readying it first where the process was started again.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    fn visit(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure>;

    /// Lets some time pass.
    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Lets all processes forget a case.
    fn release(&mut self, case: &Case);

    /// Ends all processes; the next request starts fresh ones.
    fn shut_down(&mut self);
}
