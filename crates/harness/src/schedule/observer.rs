//! Interface for receiving measurement events.

use pqlab_record::{Case, Record};

/// Error with which an observer stops the run. The creator of the observer knows the concrete type.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ObserverError(pub Box<dyn std::error::Error + Send + Sync>);

/// Event during a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A case is being prepared or measured.
    Working {
        /// The current case.
        case: &'a Case,
        /// Number of finished cases, plus the finished fractions of the current cases.
        done: f64,
    },
    /// A case is finished. The observer must store its record before returning.
    Finished {
        /// Position in the plan.
        position: usize,
        /// Samples and outcome.
        record: Box<Record>,
    },
}

/// Stores and displays results, and may stop the run.
pub trait Observer {
    /// Handles an event.
    ///
    /// # Errors
    /// An error ends the run, for example if a record cannot be stored.
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError>;

    /// Returns whether the user asked to stop.
    fn stopped(&self) -> bool;
}
