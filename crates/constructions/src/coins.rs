//! Randomness that a construction draws for itself: seeds that its standard splits between the halves.

use pqlab_primitives::{Coins, Error, Result, Wiped};

/// The given coins, or so many bytes from the operating system.
///
/// # Errors
/// [`Error::Length`] if bytes are given, but not `N`; [`Error::Library`] if the operating system has none.
pub(crate) fn draw<const N: usize>(coins: Coins) -> Result<Wiped<[u8; N]>> {
    let mut drawn = Wiped::new([0; N]);
    match coins.exact::<N>()? {
        Some(given) => drawn.copy_from_slice(given),
        None => fill(drawn.as_mut_slice())?,
    }
    Ok(drawn)
}

/// Fills `out` from the operating system's generator.
///
/// # Errors
/// [`Error::Library`] if it has none.
pub(crate) fn fill(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Library { call: "getrandom", detail: error.to_string() })
}
