//! Whoever is told what was measured.

use pqlab_record::{Case, Record};

/// Why an observer does not go on; the one who made it knows what is inside.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ObserverError(pub Box<dyn std::error::Error + Send + Sync>);

/// What an observer is told.
#[derive(Debug)]
pub enum Event<'a> {
    /// A case is being readied or measured.
    Working {
        /// The case in hand.
        case: &'a Case,
        /// Cases that are finished, and parts of those in hand.
        done: f64,
    },
    /// A case is finished. The observer stores it before it returns.
    Finished {
        /// Its position in the plan.
        position: usize,
        /// Samples and outcome.
        record: Box<Record>,
    },
}

/// Stores, shows, and may stop the run.
pub trait Observer {
    /// Takes an event.
    ///
    /// # Errors
    /// Ends the run: a record that cannot be stored must not be followed by more.
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError>;

    /// Whether the user has asked to stop.
    fn stopped(&self) -> bool;
}
