//! Keccak over eight states in 25 registers: lane `i` of register `x + 5y` contains word `A[x, y]` of state `i` (FIPS
//! 202, section 3.1.2).
//!
//! Blocks are rearranged into this order two words at a time. Masked broadcasts, which use the load ports, fill a
//! register with sixteen bytes from each of four messages. Two unpack instructions then rearrange two such registers,
//! so that each result contains one word from each of the eight messages.

use super::{CHI, XOR3};
use crate::lane_sponge::lane_sponge;
use crate::permutation::permutation;
use crate::sponge::LONGEST_RATE;
use crate::{Function, LANES};
use core::arch::x86_64::*;

/// The word at one position of each of the eight states.
type Words = __m512i;

permutation!(
    __m512i,
    "avx512f,avx512dq",
    xor = _mm512_xor_si512,
    rotate = _mm512_rol_epi64,
    broadcast = _mm512_set1_epi64
);

lane_sponge!(__m512i, LANES, "avx512f,avx512dq", xor = _mm512_xor_si512, zero = _mm512_setzero_si512);

#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn xor3(a: Words, b: Words, c: Words) -> Words {
    _mm512_ternarylogic_epi64::<XOR3>(a, b, c)
}

#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn and_not(a: Words, b: Words, c: Words) -> Words {
    _mm512_ternarylogic_epi64::<CHI>(a, b, c)
}

/// Loads two consecutive words of each message.
///
/// # Safety
/// Two 64-bit words must be readable at word offset `word` from each pointer.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn load_two(blocks: &[*const u8; LANES], word: usize) -> (Words, Words) {
    // SAFETY: the caller guarantees sixteen readable bytes, and unaligned loads are allowed.
    let two = |lane: usize| unsafe { _mm_loadu_si128(blocks[lane].add(8 * word).cast()) };
    let four = |lane: usize| {
        let words = _mm512_castsi128_si512(two(lane));
        let words = _mm512_mask_broadcast_i64x2(words, 0b0000_1100, two(lane + 2));
        let words = _mm512_mask_broadcast_i64x2(words, 0b0011_0000, two(lane + 4));
        _mm512_mask_broadcast_i64x2(words, 0b1100_0000, two(lane + 6))
    };
    let (even, odd) = (four(0), four(1));
    (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd))
}

/// Stores two consecutive words of each state.
///
/// # Safety
/// Two 64-bit words must be writable at word offset `word` from each pointer.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn store_two(blocks: &[*mut u8; LANES], word: usize, first: Words, second: Words) {
    let four = |lane: usize, words: Words| {
        let parts = [
            _mm512_extracti64x2_epi64::<0>(words),
            _mm512_extracti64x2_epi64::<1>(words),
            _mm512_extracti64x2_epi64::<2>(words),
            _mm512_extracti64x2_epi64::<3>(words),
        ];
        for (step, part) in parts.into_iter().enumerate() {
            // SAFETY: the caller guarantees sixteen writable bytes, and unaligned stores are allowed.
            unsafe { _mm_storeu_si128(blocks[lane + 2 * step].add(8 * word).cast(), part) };
        }
    };
    four(0, _mm512_unpacklo_epi64(first, second));
    four(1, _mm512_unpackhi_epi64(first, second));
}
