use pqlab_primitives::Error;

/// Reason why bytes are not a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within a field.
    #[error("truncated within the {0}")]
    Truncated(&'static str),
    /// Bytes follow the last field.
    #[error("{0} trailing bytes")]
    TrailingBytes(usize),
    /// The first byte is the version of a different form.
    #[error("unexpected version {0}")]
    Version(u8),
    /// The byte is not the number of a signature scheme.
    #[error("unknown signature scheme {0}")]
    Scheme(u8),
    /// The byte is not the tag of an authentication kind (TXv1).
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
    /// The same content has a different encoding, and only that one is valid.
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
    /// The verifier does not know the sender's Ed25519 key, which a hybrid TXv1 transaction does not contain.
    #[error("the sender's Ed25519 key is unknown")]
    UnknownSender,
    /// The library failed on input that it should have accepted.
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

    /// Converts the error from a failed verification.
    pub(super) fn of_verification(error: Error) -> Rejection {
        match error {
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::WrongSignature,
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
        }
    }

    /// Converts the error from loading a key.
    pub(super) fn of_key(error: Error) -> Rejection {
        match error {
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::PublicKey,
        }
    }
}
