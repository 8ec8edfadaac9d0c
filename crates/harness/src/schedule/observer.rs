//! Interface for receiving measurement events.

use pqlab_record::{Case, Record};
use std::time::Duration;

/// Error that an observer returns to stop the run. The caller that created the observer can downcast it.
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
    /// A case was measured but is disturbed. The case is finished at the end of the run, after its second chance. The
    /// observer must store the record before returning, in case the run ends early.
    Disturbed {
        /// Position in the plan.
        position: usize,
        /// Samples of the first pass.
        record: &'a Record,
    },
    /// Every case of the plan was measured. Next, disturbed cases are measured again while the machine is quiet.
    SecondChance {
        /// Number of disturbed cases.
        cases: usize,
        /// Time limit for all disturbed cases together.
        limit: Duration,
    },
    /// A case is finished. The observer must store its record before returning, and replace the record of a
    /// [disturbed](Event::Disturbed) case.
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
