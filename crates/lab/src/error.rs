use pqlab_store::StoreError;

/// What can go wrong between a suite and a report, by who can mend it.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The user asked for something that is not there or cannot be read: one line that says what, where, how to mend it.
    #[error("{0}")]
    Usage(String),
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Measuring itself does not work here.
    #[error("{0}")]
    Measuring(String),
}

impl LabError {
    pub(crate) fn usage(text: impl Into<String>) -> LabError {
        LabError::Usage(text.into())
    }
}
