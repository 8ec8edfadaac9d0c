//! The `fips203`, `fips204` and `fips205` crates: ML-KEM, ML-DSA and SLH-DSA in portable Rust without `unsafe`.
//!
//! For [`Coins::Internal`], the provider calls the functions that generate random bytes themselves. For
//! [`Coins::Exact`], it calls the functions that take a random number generator, and passes a generator that returns
//! the coins ([`Given`]). The crates' keys do not keep the seed.

mod kem;
mod signature;

use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::draw::SYSTEM_GENERATOR;
use fips203::{CryptoRng, RngCore, RngError};
use pqlab_primitives::{BuildInfo, Coins, Error, Provider, Result};

pub(crate) fn providers() -> Vec<Provider> {
    let build_info = BuildInfo {
        version: crate_versions(&["fips203", "fips204", "fips205"]),
        build: format!("{}; sha2 chooses its code at run time; secret keys are zeroized", compiled()),
    };
    let mut provider = Provider::new("fips", build_info);
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    provider.kems = kem::kems();
    provider.signatures = signature::signatures();
    vec![provider]
}

/// Generator that returns the caller's coins in order. Panics if the operation uses more bytes than
/// the caller provided.
struct Given<'a>(&'a [u8]);

impl RngCore for Given<'_> {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        let (drawn, rest) = self.0.split_at(out.len());
        out.copy_from_slice(drawn);
        self.0 = rest;
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

/// Marker trait that the crates require. The caller is responsible for the quality of the coins.
impl CryptoRng for Given<'_> {}

/// Checks that the caller supplied `length` bytes of coins, as many as the operation uses.
fn check_coins(coins: Coins, length: usize) -> Result<()> {
    match coins {
        Coins::Exact(given) => Error::check_length("coins", length, given.len()),
        Coins::Internal => Ok(()),
    }
}

/// Returns a function that converts an error message from the crates to an [`Error::Library`].
fn library(call: &'static str) -> impl Fn(&'static str) -> Error {
    move |error| Error::Library { call, detail: error.to_owned() }
}

const SEED_UNKNOWN: Error = Error::Unsupported("these crates do not keep the seed of a key");
const NO_SUCH_ENCODING: Error = Error::Unsupported("the standard does not define this key encoding");
