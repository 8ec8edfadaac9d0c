use crate::{Error, Result};

/// Source of an operation's randomness.
///
/// A provider that cannot take [`Coins::Exact`] returns [`Error::Unsupported`]. If a library takes given bytes only
/// through a process-wide callback, that path is used for verification and never timed.
#[derive(Clone, Copy, Debug)]
pub enum Coins<'a> {
    /// The library's own random generator.
    Internal,
    /// Exactly these bytes, in the order in which the standard's algorithm draws them: `d || z` for ML-KEM key
    /// generation (FIPS 203, algorithm 16), `rnd` for ML-DSA signing (FIPS 204, algorithm 7),
    /// `SK.seed || SK.prf || PK.seed` for SLH-DSA key generation (FIPS 205, algorithm 18). For a signature scheme, an
    /// empty slice requests deterministic signing.
    Exact(&'a [u8]),
}

impl<'a> Coins<'a> {
    /// Returns the given bytes, or `None` for [`Coins::Internal`].
    ///
    /// # Errors
    /// [`Error::Length`] if the given bytes are not `N` long.
    pub fn exact<const N: usize>(self) -> Result<Option<&'a [u8; N]>> {
        match self {
            Coins::Internal => Ok(None),
            Coins::Exact(bytes) => match bytes.try_into() {
                Ok(array) => Ok(Some(array)),
                Err(_) => Err(Error::Length { what: "coins", expected: N, actual: bytes.len() }),
            },
        }
    }
}
