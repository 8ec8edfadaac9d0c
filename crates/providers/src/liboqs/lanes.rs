//! SHAKE (FIPS 202) on four messages concurrently, with code from XKCP that liboqs exports. For SHA-3 digests,
//! liboqs hashes only one message at a time. As with a single message, each call allocates and frees a state.

use super::fips202::{OQS_SHA3_shake128_x4, OQS_SHA3_shake256_x4, Shake4};
use crate::shared::lanes::arrays;
use pqlab_primitives::{LaneHash, Result};
use std::sync::Arc;

pub(super) fn lane_hashes() -> Vec<Arc<dyn LaneHash>> {
    vec![
        Arc::new(FourLanes { algorithm: "SHAKE128", digest: OQS_SHA3_shake128_x4 }),
        Arc::new(FourLanes { algorithm: "SHAKE256", digest: OQS_SHA3_shake256_x4 }),
    ]
}

struct FourLanes {
    algorithm: &'static str,
    digest: Shake4,
}

impl LaneHash for FourLanes {
    fn algorithm(&self) -> &str {
        self.algorithm
    }

    fn lanes(&self) -> usize {
        4
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        let ([m0, m1, m2, m3], [o0, o1, o2, o3]) = arrays::<4>(None, messages, outs)?;
        // The library does not accept an empty output.
        if !o0.is_empty() {
            // SAFETY: every message is `m0.len()` bytes long, and every output is `o0.len()` bytes
            // long.
            unsafe {
                (self.digest)(
                    o0.as_mut_ptr(),
                    o1.as_mut_ptr(),
                    o2.as_mut_ptr(),
                    o3.as_mut_ptr(),
                    o0.len(),
                    m0.as_ptr(),
                    m1.as_ptr(),
                    m2.as_ptr(),
                    m3.as_ptr(),
                    m0.len(),
                );
            }
        }
        Ok(())
    }
}
