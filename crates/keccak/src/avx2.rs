//! Keccak over eight states, in two groups of four. A group is 25 vectors of 256 bits, each with the same word of four
//! states. A rotation takes three instructions, or one if it moves whole bytes, and an operation with three inputs takes
//! two.
//!
//! AVX2 has only sixteen registers, so the states stay in memory. Each round reads them from one array and writes them
//! to another. The two groups take turns after each round: while the processor waits for the results of one group, it
//! already works on the other.

use crate::lane_sponge::lane_sponge;
use crate::permutation::ROUND_CONSTANTS;
use crate::sponge::LONGEST_RATE;
use crate::{Function, LANES};
use core::arch::x86_64::*;
use core::hint::black_box;

/// The word at one position of each of the eight states.
type Words = [__m256i; 2];

/// Computes Keccak-p\[1600, 24\] (FIPS 202, section 3.3).
#[target_feature(enable = "avx2")]
#[inline]
fn permute(state: &mut [Words; 25]) {
    let mut between = [zero(); 25];
    for [first, second] in ROUND_CONSTANTS.as_chunks().0 {
        round::<0>(state, &mut between, *first);
        round::<1>(state, &mut between, *first);
        round::<0>(&between, state, *second);
        round::<1>(&between, state, *second);
    }
}

/// Computes one round of a group from `a` to `b`: theta, rho, pi, chi and iota (FIPS 202, section 3.2). Each row of the
/// result reads its words from their positions before pi. If the compiler inlined this function, it would move the
/// states through registers.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn round<const GROUP: usize>(a: &[Words; 25], b: &mut [Words; 25], constant: u64) {
    let parity = |x: usize| {
        let word = |y: usize| a[x + 5 * y][GROUP];
        xor(xor(xor(word(0), word(1)), xor(word(2), word(3))), word(4))
    };
    let parities = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    let effect = |x: usize| xor(parities[(x + 4) % 5], rotate::<1>(parities[(x + 1) % 5]));
    let effects = [effect(0), effect(1), effect(2), effect(3), effect(4)];
    // Without `black_box`, the compiler would keep the words from the parities for theta, and run out of registers.
    let a = black_box(a);
    let theta = |word: usize| xor(a[word][GROUP], effects[word % 5]);
    let mut write = |y: usize, row: [__m256i; 5]| {
        for (x, word) in row.into_iter().enumerate() {
            b[5 * y + x][GROUP] = word;
        }
    };

    let [e0, e1, e2, e3, e4] = chi([
        theta(0),
        rotate::<44>(theta(6)),
        rotate::<43>(theta(12)),
        rotate::<21>(theta(18)),
        rotate::<14>(theta(24)),
    ]);
    write(0, [xor(e0, _mm256_set1_epi64x(constant.cast_signed())), e1, e2, e3, e4]);
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
}

/// Applies chi to a row: combines each word with the next two.
#[target_feature(enable = "avx2")]
#[inline]
fn chi([a, b, c, d, e]: [__m256i; 5]) -> [__m256i; 5] {
    let and_not = |a: __m256i, b: __m256i, c: __m256i| xor(a, _mm256_andnot_si256(b, c));
    [and_not(a, b, c), and_not(b, c, d), and_not(c, d, e), and_not(d, e, a), and_not(e, a, b)]
}

lane_sponge!(Words, LANES, "avx2", xor = xor_both, zero = zero);

#[target_feature(enable = "avx2")]
#[inline]
fn rotate<const LEFT: i32>(words: __m256i) -> __m256i {
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
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor_both(a: Words, b: Words) -> Words {
    [xor(a[0], b[0]), xor(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn zero() -> Words {
    [_mm256_setzero_si256(); 2]
}

/// Loads two consecutive words of each message.
///
/// # Safety
/// Two 64-bit words must be readable at word offset `word` from each pointer.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_two(blocks: &[*const u8; LANES], word: usize) -> (Words, Words) {
    // SAFETY: the caller guarantees sixteen readable bytes, and unaligned loads are allowed.
    let two = |lane: usize| unsafe { _mm_loadu_si128(blocks[lane].add(8 * word).cast()) };
    let four = |lane: usize| {
        let (even, odd) = (_mm256_set_m128i(two(lane + 2), two(lane)), _mm256_set_m128i(two(lane + 3), two(lane + 1)));
        (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
    };
    let ((first, second), (third, fourth)) = (four(0), four(4));
    ([first, third], [second, fourth])
}

/// Stores four consecutive words of each state.
///
/// # Safety
/// Four 64-bit words must be writable at word offset `word` from each pointer.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store_four(blocks: &[*mut u8; LANES], word: usize, [a, b, c, d]: [Words; 4]) {
    let store = |lane: usize, words: __m256i| {
        // SAFETY: the caller guarantees 32 writable bytes, and unaligned stores are allowed.
        unsafe { _mm256_storeu_si256(blocks[lane].add(8 * word).cast(), words) };
    };
    for group in 0..2 {
        let [a, b, c, d] = [a[group], b[group], c[group], d[group]];
        let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (next_even, next_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        store(4 * group, _mm256_permute2x128_si256::<0x20>(even, next_even));
        store(4 * group + 1, _mm256_permute2x128_si256::<0x20>(odd, next_odd));
        store(4 * group + 2, _mm256_permute2x128_si256::<0x31>(even, next_even));
        store(4 * group + 3, _mm256_permute2x128_si256::<0x31>(odd, next_odd));
    }
}
