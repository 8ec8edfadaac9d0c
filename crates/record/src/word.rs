//! Keywords that command lines, suites and ids share.

/// Error about an unknown keyword.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {word:?}; expected one of {known}")]
pub struct UnknownWord {
    /// Kind of thing that the keyword should name.
    pub what: &'static str,
    /// The unknown keyword.
    pub word: String,
    /// All known keywords.
    pub known: String,
}

impl UnknownWord {
    /// Returns the value named `word`.
    ///
    /// # Errors
    /// [`UnknownWord`] if no value has that name.
    pub fn find<T: Copy>(
        what: &'static str,
        word: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Result<T, UnknownWord> {
        all.iter().copied().find(|&value| name(value) == word).ok_or_else(|| UnknownWord {
            what,
            word: word.to_owned(),
            known: all.iter().map(|&value| name(value)).collect::<Vec<_>>().join(", "),
        })
    }
}
