//! Computes one digest at a time, with the permutation from the `keccak` crate.

use crate::sponge::{Permutation, State};
use keccak::Keccak;

/// Keccak-p\[1600\] from the `keccak` crate, which uses the SHA-3 instructions of AArch64 if available.
pub(crate) struct Portable;

impl Permutation for Portable {
    fn permute(&self, state: &mut State) {
        Keccak::new().with_f1600(|permute| permute(state));
    }

    fn absorb(&self, state: &mut State, rate: usize, blocks: &[u8]) {
        Keccak::new().with_f1600(|permute| {
            for block in blocks.chunks_exact(rate) {
                for (word, bytes) in state.iter_mut().zip(block.as_chunks().0) {
                    *word ^= u64::from_le_bytes(*bytes);
                }
                permute(state);
            }
        });
    }
}
