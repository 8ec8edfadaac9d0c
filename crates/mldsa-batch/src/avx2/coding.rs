//! Decodes packed polynomials, samples polynomials, and encodes the commitment.

use super::*;
use crate::polynomial::SAMPLED;

/// Returns a byte shuffle that unpacks eight consecutive `bits`-bit values, starting at value `first`, to 32-bit lanes.
/// A shuffle selects bytes only within each 128-bit half of a vector. The lower half contains the input from byte `low`
/// on, and the upper half contains the input from byte `high` on.
const fn bytes_of(bits: usize, first: usize, low: usize, high: usize) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut index = 0;
    while index < 32 {
        let (lane, begin) = if index < 16 { (index / 4, low) } else { (index / 4, high) };
        let place = (first + lane) * bits / 8 + index % 4 - begin;
        // A value and the bits before it span at most three bytes. If the fourth byte lies outside
        // the half, it is not needed: 0x80 makes the shuffle write zero.
        bytes[index] = if place < 16 { place as u8 } else { 0x80 };
        index += 1;
    }
    bytes
}

/// Returns the right shifts that move the value in each lane to bit 0.
const fn shifts_of(bits: usize, first: usize) -> [i32; 8] {
    let mut shifts = [0; 8];
    let mut lane = 0;
    while lane < 8 {
        shifts[lane] = ((first + lane) * bits % 8) as i32;
        lane += 1;
    }
    shifts
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_half(bytes: &[u8], begin: usize) -> __m128i {
    let bytes: &[u8] = &bytes[begin..begin + 16];
    // SAFETY: the slice is 16 bytes long, and unaligned loads are allowed.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_bytes(bytes: &[u8; 32]) -> V {
    // SAFETY: the array is 32 bytes long, and unaligned loads are allowed.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Unpacks eight values of `BITS` bits, starting at value `FIRST`. Loads the two halves of the vector from bytes `LOW`
/// and `HIGH` of the input, as [`bytes_of`] expects.
#[target_feature(enable = "avx2")]
#[inline]
fn values<const BITS: usize, const FIRST: usize, const LOW: usize, const HIGH: usize>(bytes: &[u8]) -> V {
    let halves = _mm256_set_m128i(load_half(bytes, HIGH), load_half(bytes, LOW));
    let words = _mm256_shuffle_epi8(halves, load_bytes(const { &bytes_of(BITS, FIRST, LOW, HIGH) }));
    let shifted = _mm256_srlv_epi32(words, load(const { &shifts_of(BITS, FIRST) }, 0));
    _mm256_and_si256(shifted, splat((1 << BITS) - 1))
}

/// Implements [`Arithmetic::unpack_t1`].
#[target_feature(enable = "avx2")]
pub(super) fn unpack_t1(bytes: &[u8], out: &mut Polynomial) {
    for index in 0..16 {
        let sixteen = &bytes[20 * index..20 * (index + 1)];
        let negated = |value: V| sub(splat(0), _mm256_slli_epi32::<13>(value));
        store(negated(values::<10, 0, 0, 0>(sixteen)), &mut out.0, 2 * index);
        store(negated(values::<10, 8, 4, 4>(sixteen)), &mut out.0, 2 * index + 1);
    }
}

/// Implements [`Arithmetic::unpack_z`]. Loads the second half of the vector from byte `SECOND`, so that this half ends
/// with the last value.
#[target_feature(enable = "avx2")]
pub(super) fn unpack_z<const BITS: usize, const SECOND: usize>(bytes: &[u8], out: &mut Polynomial) -> i32 {
    let mut largest = splat(0);
    for index in 0..32 {
        let eight = values::<BITS, 0, 0, SECOND>(&bytes[BITS * index..BITS * (index + 1)]);
        let value = sub(splat(1 << (BITS - 1)), eight);
        largest = _mm256_max_epi32(largest, _mm256_abs_epi32(value));
        store(value, &mut out.0, index);
    }
    let mut lanes = [0; 8];
    store(largest, &mut lanes, 0);
    lanes.into_iter().fold(0, i32::max)
}

/// Indices of the lanes that an 8-bit mask selects, in ascending order, then zeros. The mask is the array index.
static LANES_OF: [[u8; 8]; 256] = {
    let mut lanes_of = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                lanes_of[set][count] = lane;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    lanes_of
};

/// Implements [`Arithmetic::sample`].
#[target_feature(enable = "avx2")]
pub(super) fn sample(bytes: &Sampled, out: &mut Polynomial) -> usize {
    let mut taken = 0;
    for eight in bytes[..SAMPLED].chunks_exact(24) {
        let candidates = _mm256_and_si256(values::<24, 0, 0, 8>(eight), splat((1 << 23) - 1));
        let below = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(splat(Q), candidates))) as usize;
        // In 99 of 100 cases, all eight candidates are accepted.
        if below == 0xff
            && let Some(place) = out.0[taken..].first_chunk_mut::<8>()
        {
            store(candidates, place, 0);
            taken += 8;
            if taken == 256 {
                break;
            }
            continue;
        }
        let lanes = _mm_cvtsi64_si128(i64::from_le_bytes(LANES_OF[below]));
        let compressed = _mm256_permutevar8x32_epi32(candidates, _mm256_cvtepu8_epi32(lanes));
        let found = below.count_ones() as usize;
        if let Some(place) = out.0[taken..].first_chunk_mut::<8>() {
            store(compressed, place, 0);
            taken += found;
        } else {
            let mut last = [0; 8];
            store(compressed, &mut last, 0);
            let fitting = found.min(256 - taken);
            out.0[taken..taken + fitting].copy_from_slice(&last[..fitting]);
            taken += fitting;
        }
        if taken == 256 {
            break;
        }
    }
    taken
}

/// Applies the hint to numbers `r` between 0 and `q - 1`, and returns their high parts. The high part is the index,
/// modulo `COUNT`, of the multiple of `2 gamma2` nearest to `r`. The hint moves the index up or down by one.
///
/// Without the hint, the high part is `(r + 127) / 128 * FACTOR / 2^SHIFT`, rounded. A test shows that this is exact
/// for all numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn use_hint<const FACTOR: i32, const SHIFT: i32, const COUNT: i32>(r: V, hint: u8) -> V {
    let parts = _mm256_srli_epi32::<7>(add(r, splat(127)));
    let rounded = add(mullo(parts, splat(FACTOR)), splat(1 << (SHIFT - 1)));
    let high = within::<COUNT>(_mm256_srli_epi32::<SHIFT>(rounded));
    // `low` is between -gamma2 and gamma2, unless `high` wrapped around to 0. In that case, `low` is a negative number
    // plus `q`, which is above `q / 2`.
    let low = sub(r, mullo(high, splat((Q - 1) / COUNT)));
    let negative = _mm256_or_si256(_mm256_cmpgt_epi32(splat(1), low), _mm256_cmpgt_epi32(low, splat(Q / 2)));
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let hinted = _mm256_cmpeq_epi32(_mm256_and_si256(splat(i32::from(hint)), bits), bits);
    // The step is 1, or -1 if the low part is not positive.
    let step = _mm256_or_si256(negative, splat(1));
    let moved = within::<COUNT>(add(high, _mm256_and_si256(step, hinted)));
    // Map -1, the only negative value here, to `COUNT - 1`.
    _mm256_add_epi32(moved, _mm256_and_si256(_mm256_srai_epi32::<31>(moved), splat(COUNT)))
}

/// Maps `COUNT` to 0. Smaller values stay the same.
#[target_feature(enable = "avx2")]
#[inline]
fn within<const COUNT: i32>(value: V) -> V {
    _mm256_and_si256(value, _mm256_cmpgt_epi32(splat(COUNT), value))
}

/// Applies the hint to sixteen coefficients and returns their high parts, one byte per coefficient.
#[target_feature(enable = "avx2")]
#[inline]
fn sixteen<const FACTOR: i32, const SHIFT: i32, const COUNT: i32>(
    polynomial: &Polynomial,
    index: usize,
    hint: u16,
) -> __m128i {
    let [low, high] = hint.to_le_bytes();
    let first = use_hint::<FACTOR, SHIFT, COUNT>(load(&polynomial.0, 2 * index), low);
    let second = use_hint::<FACTOR, SHIFT, COUNT>(load(&polynomial.0, 2 * index + 1), high);
    // `packs` works within 128-bit halves and yields values 0-3, 8-11, 4-7 and 12-15 in this order.
    let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(first, second));
    _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words))
}

/// Implements [`Arithmetic::commit`] for [`Gamma2::Q32`].
#[target_feature(enable = "avx2")]
pub(super) fn commit_q32(polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
    for ((index, hint), out) in hint.iter().enumerate().zip(out.as_chunks_mut::<8>().0) {
        let bytes = sixteen::<1025, 22, 16>(polynomial, index, *hint);
        // Pack two 4-bit values per byte.
        let pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x1001));
        *out = _mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs)).to_le_bytes();
    }
}

/// Implements [`Arithmetic::commit`] for [`Gamma2::Q88`].
#[target_feature(enable = "avx2")]
pub(super) fn commit_q88(polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
    // Concatenates the low three bytes of each word.
    let order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    for ((index, hint), out) in hint.iter().enumerate().zip(out.as_chunks_mut::<12>().0) {
        let bytes = sixteen::<11275, 24, 44>(polynomial, index, *hint);
        // Pack four 6-bit values into three bytes.
        let pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x4001));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x1000_0001));
        let packed = _mm_shuffle_epi8(fours, order);
        out[..8].copy_from_slice(&_mm_cvtsi128_si64(packed).to_le_bytes());
        out[8..].copy_from_slice(&_mm_extract_epi32::<2>(packed).to_le_bytes());
    }
}
