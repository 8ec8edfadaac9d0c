//! Receives measurement events.

use pqlab_record::{Case, Record};

/// Reason why an observer stops the run. The code that created the observer knows the concrete error type.
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
        /// Number of finished cases, plus the finished fractions of the cases being measured.
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
    /// An error ends the run. For example, the run ends if a record cannot be stored.
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError>;

    /// Returns whether the user asked to stop.
    fn stopped(&self) -> bool;
}
