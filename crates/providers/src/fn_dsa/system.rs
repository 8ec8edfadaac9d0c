//! Random number generator for `fn-dsa`. The benchmark that calls the crate directly also compiles this file.

use ::fn_dsa::{CryptoRng, RngCore, RngError};

/// The operating system's generator, for the `rand_core` version that the crate uses.
pub(super) struct System;

impl CryptoRng for System {}

impl RngCore for System {
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

    /// Panics if the operating system provides no random bytes. The trait cannot report an error, and a signature must
    /// not be created without random bytes.
    fn fill_bytes(&mut self, out: &mut [u8]) {
        getrandom::fill(out).expect("the operating system returned no random bytes");
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}
