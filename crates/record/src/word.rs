//! Words that command lines, suites and ids share.

/// Word that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {word:?}; expected one of {known}")]
pub struct UnknownWord {
    /// What the word was meant to name.
    pub what: &'static str,
    /// The word.
    pub word: String,
    /// The known words.
    pub known: String,
}

impl UnknownWord {
    /// Returns the value called `word`.
    ///
    /// # Errors
    /// [`UnknownWord`] if there is none.
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
