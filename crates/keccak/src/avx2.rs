//! Keccak over four states, in 25 vectors of 256 bits. Eight states are two groups of four. A rotation takes three
//! instructions, or one if it moves whole bytes, and an operation with three inputs takes two.
//!
//! AVX2 has only sixteen registers, so the states stay in memory. Each round reads them from one array and writes them
//! to another. Registers contain only the column parities, and the row that is being computed.

use crate::lane_sponge::lane_sponge;
use crate::permutation::ROUND_CONSTANTS;
use crate::sponge::LONGEST_RATE;
use crate::{Function, LANES};
use core::arch::x86_64::*;

/// The word at one position of each of the four states.
type Words = __m256i;

/// Number of states per vector.
const FOUR: usize = 4;

/// Computes Keccak-p\[1600, 24\] (FIPS 202, section 3.3).
#[target_feature(enable = "avx2")]
#[inline]
fn permute(state: [Words; 25]) -> [Words; 25] {
    let mut a = state;
    let mut b = [_mm256_setzero_si256(); 25];
    let parity = |x: usize| xor(xor(xor(a[x], a[x + 5]), xor(a[x + 10], a[x + 15])), a[x + 20]);
    let mut parities = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    for [first, second] in ROUND_CONSTANTS.as_chunks().0 {
        parities = round(&a, &mut b, &parities, *first);
        parities = round(&b, &mut a, &parities, *second);
    }
    a
}

/// Computes one round from `a` to `b`: theta, rho, pi, chi and iota (FIPS 202, section 3.2). Each row of the result
/// reads its words from their positions before pi. `parities` are the column parities of `a`. Returns those of `b`. If
/// the compiler inlined this function, it would move the states through registers.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn round(a: &[Words; 25], b: &mut [Words; 25], parities: &[Words; 5], constant: u64) -> [Words; 5] {
    let effect = |x: usize| xor(parities[(x + 4) % 5], rotate::<1>(parities[(x + 1) % 5]));
    let effects = [effect(0), effect(1), effect(2), effect(3), effect(4)];
    let theta = |word: usize| xor(a[word], effects[word % 5]);

    let mut row = chi([
        theta(0),
        rotate::<44>(theta(6)),
        rotate::<43>(theta(12)),
        rotate::<21>(theta(18)),
        rotate::<14>(theta(24)),
    ]);
    row[0] = xor(row[0], _mm256_set1_epi64x(constant.cast_signed()));
    b[..5].copy_from_slice(&row);
    let mut columns = row;
    let mut write = |y: usize, row: [Words; 5]| {
        b[5 * y..5 * y + 5].copy_from_slice(&row);
        columns = [0, 1, 2, 3, 4].map(|x| xor(columns[x], row[x]));
    };
    write(
        1,
        chi([
            rotate::<28>(theta(3)),
            rotate::<20>(theta(9)),
            rotate::<3>(theta(10)),
            rotate::<45>(theta(16)),
            rotate::<61>(theta(22)),
        ]),
    );
    write(
        2,
        chi([
            rotate::<1>(theta(1)),
            rotate::<6>(theta(7)),
            rotate::<25>(theta(13)),
            rotate::<8>(theta(19)),
            rotate::<18>(theta(20)),
        ]),
    );
    write(
        3,
        chi([
            rotate::<27>(theta(4)),
            rotate::<36>(theta(5)),
            rotate::<10>(theta(11)),
            rotate::<15>(theta(17)),
            rotate::<56>(theta(23)),
        ]),
    );
    write(
        4,
        chi([
            rotate::<62>(theta(2)),
            rotate::<55>(theta(8)),
            rotate::<39>(theta(14)),
            rotate::<41>(theta(15)),
            rotate::<2>(theta(21)),
        ]),
    );
    columns
}

/// Applies chi to a row: combines each word with the next two.
#[target_feature(enable = "avx2")]
#[inline]
fn chi([a, b, c, d, e]: [Words; 5]) -> [Words; 5] {
    let and_not = |a: Words, b: Words, c: Words| xor(a, _mm256_andnot_si256(b, c));
    [and_not(a, b, c), and_not(b, c, d), and_not(c, d, e), and_not(d, e, a), and_not(e, a, b)]
}

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
    // Byte `i` of the result is byte `i - LEFT / 8` of its word.
    if LEFT % 8 == 0 {
        let [low, high] = [0, 8].map(|word: i64| {
            (0..8).fold(0_i64, |order, byte| order | (word + (byte - i64::from(LEFT) / 8).rem_euclid(8)) << (8 * byte))
        });
        return _mm256_shuffle_epi8(words, _mm256_set_epi64x(high, low, high, low));
    }
    let right = _mm256_srl_epi64(words, _mm_cvtsi32_si128(64 - LEFT));
    _mm256_or_si256(_mm256_slli_epi64::<LEFT>(words), right)
}

/// Adds two vectors of words in GF(2).
#[target_feature(enable = "avx2")]
#[inline]
fn xor(a: Words, b: Words) -> Words {
    _mm256_xor_si256(a, b)
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
