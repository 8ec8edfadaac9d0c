use crate::{Error, Result};

/// Where an operation's randomness comes from.
///
/// A provider that cannot take [`Coins::Exact`] answers [`Error::Unsupported`]. Where a library takes given bytes only
/// through a process-wide callback, that path serves verification and is never timed.
#[derive(Clone, Copy, Debug)]
pub enum Coins<'a> {
    /// The library's own random generator.
    Internal,
    /// Exactly these bytes, in the order in which the standard's algorithm draws them: for ML-KEM key generation
    /// `d || z` (FIPS 203, algorithm 16), for ML-DSA signing `rnd` (FIPS 204, algorithm 7), for SLH-DSA key
    /// generation `SK.seed || SK.prf || PK.seed` (FIPS 205, algorithm 18). An empty slice asks a signature scheme
    /// for its deterministic variant.
    Exact(&'a [u8]),
}

impl<'a> Coins<'a> {
    /// The given bytes if there are `N` of them, `None` if the library is to draw its own.
    ///
    /// # Errors
    /// [`Error::Length`] if bytes are given, but not `N`.
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
