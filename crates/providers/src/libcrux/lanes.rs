//! SHAKE256 (FIPS 202) from the `libcrux-sha3` crate, over four messages concurrently with AVX2 or two with NEON. In
//! the crate's vector code, this is the only function for messages and outputs of any length.

use crate::shared::lanes::arrays;
use pqlab_primitives::{LaneHash, Result};
use std::sync::Arc;

pub(super) fn lane_hashes() -> Vec<Arc<dyn LaneHash>> {
    vec![Arc::new(Shake256)]
}

struct Shake256;

#[cfg(target_arch = "x86_64")]
impl LaneHash for Shake256 {
    fn algorithm(&self) -> &str {
        "SHAKE256"
    }

    fn lanes(&self) -> usize {
        4
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        let (messages, outs) = arrays::<4>(None, messages, outs)?;
        // SAFETY: the provider exists only if the processor supports AVX2.
        unsafe { four(messages, outs) };
        Ok(())
    }
}

/// Hashes four messages. Enables AVX2, because the crate's functions are inlined and use the target features of the
/// caller. Without AVX2, every intrinsic would be a function call, and hashing would be thirty times slower.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn four([m0, m1, m2, m3]: &[&[u8]; 4], [o0, o1, o2, o3]: &mut [&mut [u8]; 4]) {
    libcrux_sha3::avx2::x4::shake256(m0, m1, m2, m3, o0, o1, o2, o3);
}

#[cfg(target_arch = "aarch64")]
impl LaneHash for Shake256 {
    fn algorithm(&self) -> &str {
        "SHAKE256"
    }

    fn lanes(&self) -> usize {
        2
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        let ([m0, m1], [o0, o1]) = arrays::<2>(None, messages, outs)?;
        libcrux_sha3::neon::x2::shake256(m0, m1, o0, o1);
        Ok(())
    }
}
