use pqlab_primitives::Error;

/// Reason why bytes are not a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within a field.
    #[error("truncated within the {0}")]
    Truncated(&'static str),
    /// Bytes follow the last field.
    #[error("trailing bytes: {0}")]
    TrailingBytes(usize),
    /// The first byte is not the version of the expected form.
    #[error("unexpected version {0}")]
    Version(u8),
    /// The scheme byte is not the number of a known signature scheme.
    #[error("unknown signature scheme {0}")]
    Scheme(u8),
    /// The authentication tag of a TXv1 transaction is unknown.
    #[error("unknown authentication tag {0}")]
    AuthenticationTag(u8),
    /// A field has the wrong length for the signature scheme.
    #[error("{actual} bytes is an invalid length for the {field}")]
    Length {
        /// Name of the field.
        field: &'static str,
        /// Length in bytes, as given by the length prefix.
        actual: usize,
    },
    /// The key or signature is not in its canonical encoding.
    #[error("not canonical: {0}")]
    NonCanonical(&'static str),
}

/// Reason for rejecting a transaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The bytes are not a transaction.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The transaction was signed for a different chain.
    #[error("signed for a different chain: {0}")]
    WrongChain(u32),
    /// The public key is not valid for its scheme.
    #[error("the public key is invalid")]
    PublicKey,
    /// The signature is invalid.
    #[error("the signature is invalid")]
    WrongSignature,
    /// The verifier does not implement the scheme.
    #[error("this verifier does not support {0}")]
    Unsupported(&'static str),
    /// The verifier does not have the sender's Ed25519 key. Hybrid TXv1 transactions do not contain this key.
    #[error("the sender's Ed25519 key is unknown")]
    UnknownSender,
    /// The library panicked, reported an unexpected error, or returned the wrong number of verdicts.
    #[error("the library failed: {0}")]
    Library(Box<str>),
}

impl Rejection {
    /// Returns the kind of rejection, as used in tables and files.
    pub fn kind(&self) -> &'static str {
        match self {
            Rejection::Malformed(Malformed::Truncated(_)) => "truncated",
            Rejection::Malformed(Malformed::TrailingBytes(_)) => "trailing-bytes",
            Rejection::Malformed(Malformed::Version(_)) => "version",
            Rejection::Malformed(Malformed::Scheme(_) | Malformed::AuthenticationTag(_)) => "scheme",
            Rejection::Malformed(Malformed::Length { .. } | Malformed::NonCanonical(_)) => "non-canonical",
            Rejection::WrongChain(_) => "wrong-chain",
            Rejection::PublicKey => "public-key",
            Rejection::WrongSignature => "wrong-signature",
            Rejection::Unsupported(_) => "unsupported",
            Rejection::UnknownSender => "unknown-sender",
            Rejection::Library(_) => "library-fault",
        }
    }

    /// Converts an error from signature verification to the corresponding rejection.
    pub(super) fn of_verification(error: Error) -> Rejection {
        match error {
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::WrongSignature,
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
        }
    }

    /// Converts an error from loading a public key to the corresponding rejection.
    pub(super) fn of_key(error: Error) -> Rejection {
        match error {
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::PublicKey,
        }
    }
}
