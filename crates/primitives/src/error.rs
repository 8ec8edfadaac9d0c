/// What goes wrong when a library is called: the four kinds are kept apart, because they are answered differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The provider does not offer this: a gap in the matrix, not a fault.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// The caller handed in a buffer of the wrong length, in bytes.
    #[error("{what}: {actual} bytes where {expected} are needed")]
    Length {
        /// Which argument.
        what: &'static str,
        /// The length that the standard demands.
        expected: usize,
        /// The length that was given.
        actual: usize,
    },
    /// Bytes from outside are not a valid key, ciphertext or encoding.
    #[error("not a valid {0}")]
    Malformed(&'static str),
    /// The signature or the tag does not verify.
    #[error("verification failed")]
    VerificationFailed,
    /// The library reported a fault of its own on input that it should have taken.
    #[error("{call} failed{}", if .detail.is_empty() { String::new() } else { format!(": {}", .detail) })]
    Library {
        /// The function of the library.
        call: &'static str,
        /// What the library says about it; may be empty.
        detail: String,
    },
}

/// The result of every call into a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// `Ok` if `actual == expected`, else [`Error::Length`] naming `what`.
    pub fn check_length(what: &'static str, expected: usize, actual: usize) -> Result<()> {
        if expected == actual { Ok(()) } else { Err(Error::Length { what, expected, actual }) }
    }
}
