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

/// Stores four consecutive words of each state.
///
/// # Safety
/// Four 64-bit words must be writable at word offset `word` from each pointer.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn store_four(blocks: &[*mut u8; LANES], word: usize, [a, b, c, d]: [Words; 4]) {
    let store = |lane: usize, words: __m256i| {
        // SAFETY: the caller guarantees 32 writable bytes, and unaligned stores are allowed.
        unsafe { _mm256_storeu_si256(blocks[lane].add(8 * word).cast(), words) };
    };
    // Each register holds pairs of words of lanes 0, 2, 4 and 6, or of lanes 1, 3, 5 and 7.
    let pairs = [
        (_mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d)),
        (_mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d)),
    ];
    for (lane, (first, second)) in pairs.into_iter().enumerate() {
        let low = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second);
        let high = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), second);
        store(lane, _mm512_castsi512_si256(low));
        store(lane + 2, _mm512_extracti64x4_epi64::<1>(low));
        store(lane + 4, _mm512_castsi512_si256(high));
        store(lane + 6, _mm512_extracti64x4_epi64::<1>(high));
    }
}
