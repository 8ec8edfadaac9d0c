//! Keccak over four states, in 25 vectors of 256 bits. Eight states are two groups of four. AVX2 has only sixteen
//! registers, so some vectors are kept in memory. A rotation takes three instructions, and an operation with three
//! inputs takes two.

use crate::lane_sponge::lane_sponge;
use crate::permutation::permutation;
use crate::sponge::LONGEST_RATE;
use crate::{Function, LANES};
use core::arch::x86_64::*;

/// The word at one position of each of the four states.
type Words = __m256i;

/// Number of states per vector.
const FOUR: usize = 4;

permutation!(__m256i, "avx2", xor = _mm256_xor_si256, rotate = rotate, broadcast = _mm256_set1_epi64x);

lane_sponge!(__m256i, FOUR, "avx2", xor = _mm256_xor_si256, zero = _mm256_setzero_si256);

/// Computes the digests of eight messages, as two groups of four.
///
/// # Safety
/// The processor must support AVX2. All messages must have the same length, and so must all outputs.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn eight(function: Function, messages: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
    for (messages, outs) in messages.as_chunks::<FOUR>().0.iter().zip(outs.as_chunks_mut::<FOUR>().0) {
        // SAFETY: the caller guarantees AVX2 and equal lengths.
        unsafe { digest(function, messages, outs) };
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn rotate<const LEFT: i32>(words: Words) -> Words {
    let right = _mm256_srl_epi64(words, _mm_cvtsi32_si128(64 - LEFT));
    _mm256_or_si256(_mm256_slli_epi64::<LEFT>(words), right)
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor3(a: Words, b: Words, c: Words) -> Words {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

#[target_feature(enable = "avx2")]
#[inline]
fn and_not(a: Words, b: Words, c: Words) -> Words {
    _mm256_xor_si256(a, _mm256_andnot_si256(b, c))
}

/// Loads two consecutive words of each message.
///
/// # Safety
/// Two 64-bit words must be readable at word offset `word` from each pointer.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_two(blocks: &[*const u8; FOUR], word: usize) -> (Words, Words) {
    // SAFETY: the caller guarantees sixteen readable bytes, and unaligned loads are allowed.
    let two = |lane: usize| unsafe { _mm_loadu_si128(blocks[lane].add(8 * word).cast()) };
    let (even, odd) = (_mm256_set_m128i(two(2), two(0)), _mm256_set_m128i(two(3), two(1)));
    (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
}

/// Stores two consecutive words of each state.
///
/// # Safety
/// Two 64-bit words must be writable at word offset `word` from each pointer.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store_two(blocks: &[*mut u8; FOUR], word: usize, first: Words, second: Words) {
    let two = |lane: usize, words: __m128i| {
        // SAFETY: the caller guarantees sixteen writable bytes, and unaligned stores are allowed.
        unsafe { _mm_storeu_si128(blocks[lane].add(8 * word).cast(), words) };
    };
    let (even, odd) = (_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
    two(0, _mm256_castsi256_si128(even));
    two(1, _mm256_castsi256_si128(odd));
    two(2, _mm256_extracti128_si256::<1>(even));
    two(3, _mm256_extracti128_si256::<1>(odd));
}
