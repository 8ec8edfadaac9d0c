//! Receives measurement events.

use pqlab_record::{Case, Record};

/// Reason why an observer stops the run; the caller that created the observer knows the type inside.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ObserverError(pub Box<dyn std::error::Error + Send + Sync>);

/// Event of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A case is being prepared or measured.
    Working {
        /// The current case.
        case: &'a Case,
        /// Number of finished cases, plus the finished parts of those being measured.
        done: f64,
    },
    /// A case is finished. The observer stores it before it returns.
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
    /// An error ends the run: no more is measured after a record that cannot be stored.
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError>;

    /// Whether the user asked to stop.
    fn stopped(&self) -> bool;
}
