use crate::{Error, Result};

/// Source of an operation's random bytes.
///
/// A provider that does not support [`Coins::Exact`] returns [`Error::Unsupported`]. If a library accepts
/// caller-supplied bytes only through a process-wide callback, pqlab uses the callback for verification and never times
/// it.
#[derive(Clone, Copy, Debug)]
pub enum Coins<'a> {
    /// The library's own random generator.
    Internal,
    /// Exactly these bytes, in the order in which the standard's algorithm uses them: `d || z` for ML-KEM key
    /// generation (FIPS 203, algorithm 16), `rnd` for ML-DSA signing (FIPS 204, algorithm 7), `SK.seed || SK.prf ||
    /// PK.seed` for SLH-DSA key generation (FIPS 205, algorithm 18). For signing, an empty slice requests the
    /// deterministic variant.
    Exact(&'a [u8]),
}

impl<'a> Coins<'a> {
    /// Returns the caller-supplied bytes, or `None` for [`Coins::Internal`].
    ///
    /// # Errors
    /// [`Error::Length`] if the caller supplied bytes, but not exactly `N`.
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

/// A library's process-wide random generator that can be replaced to return chosen bytes to one thread. Only
/// verification replaces the generator. Timed calls always draw from the library's own generator.
pub trait ReplaceableGenerator: Send + Sync {
    /// Runs `call` with the generator replaced. In this thread, the generator returns `coins` in order, then zeros. In
    /// other threads, it returns bytes from the operating system. Returns the number of bytes that `call` drew.
    fn draw_from(&self, coins: &[u8], call: &mut dyn FnMut()) -> usize;
}
