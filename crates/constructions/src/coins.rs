//! Random bytes for constructions, such as a seed that a standard splits between the two halves of a hybrid.

use pqlab_primitives::{Coins, Error, Result, Wiped};

/// Returns the bytes from [`Coins::Exact`], or `N` random bytes from the operating system for [`Coins::Internal`].
///
/// # Errors
/// [`Error::Length`] if the caller supplied a number of bytes other than `N`; [`Error::Library`] if the operating
/// system's generator fails.
pub(crate) fn draw<const N: usize>(coins: Coins) -> Result<Wiped<[u8; N]>> {
    let mut drawn = Wiped::new([0; N]);
    match coins.exact::<N>()? {
        Some(given) => drawn.copy_from_slice(given),
        None => fill(drawn.as_mut_slice())?,
    }
    Ok(drawn)
}

/// Fills `out` with random bytes from the operating system.
///
/// # Errors
/// [`Error::Library`] if the operating system's generator fails.
pub(crate) fn fill(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Library { call: "getrandom", detail: error.to_string() })
}
