//! Coins of libraries that have no generator of their own.

use pqlab_primitives::{Coins, Error, Result, Wiped};

/// What such a library's provider says of its [generator](pqlab_primitives::Provider::generator).
pub(crate) const SYSTEM_GENERATOR: &str = "getrandom: the operating system, on each call";

/// Draws `out` from the operating system.
///
/// # Errors
/// [`Error::Library`] where it gives none.
pub(crate) fn draw(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Library { call: "getrandom::fill", detail: error.to_string() })
}

/// The given coins, or as many bytes from the operating system.
///
/// # Errors
/// [`Error::Length`] where more or fewer are given than `N`, and those of [`draw`].
pub(crate) fn drawn<const N: usize>(coins: Coins) -> Result<Wiped<[u8; N]>> {
    let mut bytes = Wiped::new([0; N]);
    match coins.exact::<N>()? {
        Some(given) => *bytes = *given,
        None => draw(&mut *bytes)?,
    }
    Ok(bytes)
}
