//! Random bytes for libraries without a random number generator.

use pqlab_primitives::{Coins, Error, Result, Wiped};

/// Description of the random number [generator](pqlab_primitives::Provider::generator) for providers that use [`draw`].
pub(crate) const SYSTEM_GENERATOR: &str = "getrandom (the operating system, on each call)";

/// Fills `out` with random bytes from the operating system.
///
/// # Errors
/// [`Error::Library`] if the operating system provides no random bytes.
pub(crate) fn draw(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Library { call: "getrandom::fill", detail: error.to_string() })
}

/// Returns the caller-supplied coins, or `N` random bytes from the operating system for internal coins.
///
/// # Errors
/// [`Error::Length`] unless caller-supplied coins are exactly `N` bytes long, and the errors of [`draw`].
pub(crate) fn drawn<const N: usize>(coins: Coins) -> Result<Wiped<[u8; N]>> {
    let mut bytes = Wiped::new([0; N]);
    match coins.exact::<N>()? {
        Some(given) => *bytes = *given,
        None => draw(&mut *bytes)?,
    }
    Ok(bytes)
}
