/// Error from a call to a library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The provider does not offer the operation. Contains the reason. Callers do not treat this as a failure.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// A buffer has the wrong length. Lengths are in bytes.
    #[error("{what}: {actual} bytes, expected {expected}")]
    Length {
        /// Name of the argument.
        what: &'static str,
        /// Length required by the standard.
        expected: usize,
        /// Actual length.
        actual: usize,
    },
    /// Input bytes are not a valid key, ciphertext or encoding.
    #[error("not a valid {0}")]
    Malformed(&'static str),
    /// The signature or tag is invalid.
    #[error("verification failed")]
    VerificationFailed,
    /// The library failed on input that it should have accepted.
    #[error("{call} failed{}", if .detail.is_empty() { String::new() } else { format!(": {}", .detail) })]
    Library {
        /// Name of the library function.
        call: &'static str,
        /// The library's error message. May be empty.
        detail: String,
    },
}

/// Result of a call to a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Checks the length of the argument `what`, in bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `actual` is not `expected`.
    pub fn check_length(what: &'static str, expected: usize, actual: usize) -> Result<()> {
        if expected == actual { Ok(()) } else { Err(Error::Length { what, expected, actual }) }
    }
}
