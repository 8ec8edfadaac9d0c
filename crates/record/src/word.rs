//! Words that command lines, suites and ids share.

/// A word that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called {word:?}: there are {known}")]
pub struct UnknownWord {
    /// For what it was meant to stand.
    pub what: &'static str,
    /// The word.
    pub word: String,
    /// The words that stand for something.
    pub known: String,
}

impl UnknownWord {
    /// The value of that name.
    ///
    /// # Errors
    /// [`UnknownWord`] where there is none.
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
