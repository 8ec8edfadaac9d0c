use pqlab_primitives::Error;

/// Why bytes are not a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within a field.
    #[error("truncated: it ends within the {0}")]
    Truncated(&'static str),
    /// Bytes follow the last field.
    #[error("{0} trailing bytes")]
    TrailingBytes(usize),
    /// The first byte names another form.
    #[error("version {0} where another one is expected")]
    Version(u8),
    /// No signature scheme has this byte.
    #[error("no signature scheme has the number {0}")]
    Scheme(u8),
    /// No kind of authentication has this byte (TXv1).
    #[error("no authentication has the tag {0}")]
    AuthenticationTag(u8),
    /// A field has a length, in bytes, that its scheme does not know.
    #[error("a {field} of {actual} bytes, which the scheme does not know")]
    Length {
        /// Which field.
        field: &'static str,
        /// The length in bytes that its prefix states.
        actual: usize,
    },
    /// Another encoding of the same content is the only one that is accepted.
    #[error("not canonical: {0}")]
    NonCanonical(&'static str),
}

/// Why a verifier does not take a transaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// It is not a transaction.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// It is made for another chain than the verifier's.
    #[error("made for chain {0}, not for this one")]
    WrongChain(u32),
    /// Its public key is not one of its scheme.
    #[error("the public key is not a valid one")]
    PublicKey,
    /// The signature is not one of this key over these bytes.
    #[error("the signature is wrong")]
    WrongSignature,
    /// The verifier has no implementation of the scheme.
    #[error("the verifier has no implementation of {0}")]
    Unsupported(&'static str),
    /// The sender's Ed25519 key, which a hybrid TXv1 transaction does not carry, is not known to the verifier.
    #[error("the sender's Ed25519 key is not known")]
    UnknownSender,
    /// The library failed on input that it should have taken.
    #[error("the library failed: {0}")]
    Library(Box<str>),
}

impl Rejection {
    /// The word that counts and files carry.
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

    /// What a verification that did not succeed says of the transaction.
    pub(super) fn of_verification(error: Error) -> Rejection {
        match error {
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::WrongSignature,
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
        }
    }

    /// What a key that cannot be loaded says of the transaction.
    pub(super) fn of_key(error: Error) -> Rejection {
        match error {
            Error::Unsupported(what) => Rejection::Unsupported(what),
            library @ Error::Library { .. } => Rejection::Library(library.to_string().into()),
            Error::VerificationFailed | Error::Malformed(_) | Error::Length { .. } => Rejection::PublicKey,
        }
    }
}
