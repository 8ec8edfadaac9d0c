//! Keywords shared by command lines, suites and ids.

/// Error for an unknown keyword.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {word:?}; expected one of {known}")]
pub struct UnknownWord {
    /// Kind of value that the keyword should name, such as `state`.
    pub what: &'static str,
    /// The unknown keyword.
    pub word: String,
    /// All known keywords, joined by commas.
    pub known: String,
}

impl UnknownWord {
    /// Returns the value in `all` for which `name` returns `word`. `what` names the kind of value in the error message.
    ///
    /// # Errors
    /// [`UnknownWord`] if no value has this name.
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
