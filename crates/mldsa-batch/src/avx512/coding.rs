//! Decodes packed polynomials, samples polynomials, and encodes the commitment.

use super::*;
use crate::polynomial::SAMPLED;

/// Returns a byte permutation that moves sixteen packed `bits`-bit values to 32-bit lanes, four bytes per lane.
const fn bytes_of(bits: usize) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut index = 0;
    while index < 64 {
        bytes[index] = (index / 4 * bits / 8 + index % 4) as u8;
        index += 1;
    }
    bytes
}

/// Returns the right shifts that move the value in each lane to bit 0.
const fn shifts_of(bits: usize) -> [i32; 16] {
    let mut shifts = [0; 16];
    let mut lane = 0;
    while lane < 16 {
        shifts[lane] = (lane * bits % 8) as i32;
        lane += 1;
    }
    shifts
}

/// Unpacks the first sixteen values in a vector, each of `BITS` bits. `BITS` is at most 24. Four bytes, starting with
/// the byte that contains a value's first bit, always contain the entire value: at most 7 of the 32 bits precede the
/// value, and 25 bits remain.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn values<const BITS: usize>(bytes: V) -> V {
    let places: &'static [u8; 64] = &const { bytes_of(BITS) };
    // SAFETY: the array is 64 bytes long, and unaligned loads are allowed.
    let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
    let words = _mm512_permutexvar_epi8(places, bytes);
    let shifted = _mm512_srlv_epi32(words, load(const { &shifts_of(BITS) }, 0));
    _mm512_and_si512(shifted, splat((1 << BITS) - 1))
}

/// Returns sixteen consecutive coefficients of a polynomial that is packed with `BITS` bits per coefficient.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn sixteen<const BITS: usize>(bytes: &[u8], index: usize) -> V {
    let bytes = &bytes[2 * BITS * index..2 * BITS * (index + 1)];
    // SAFETY: the mask has one bit for each byte of the slice, so nothing beyond the slice is read.
    values::<BITS>(unsafe { _mm512_maskz_loadu_epi8((1 << (2 * BITS)) - 1, bytes.as_ptr().cast()) })
}

/// Implements [`Arithmetic::unpack_t1`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn unpack_t1(bytes: &[u8], out: &mut Polynomial) {
    for index in 0..16 {
        let value = sixteen::<10>(bytes, index);
        store(sub(splat(0), _mm512_slli_epi32::<13>(value)), &mut out.0, index);
    }
}

/// Implements [`Arithmetic::unpack_z`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn unpack_z<const BITS: usize>(bytes: &[u8], out: &mut Polynomial) -> i32 {
    let mut largest = splat(0);
    for index in 0..16 {
        let value = sub(splat(1 << (BITS - 1)), sixteen::<BITS>(bytes, index));
        largest = _mm512_max_epi32(largest, _mm512_abs_epi32(value));
        store(value, &mut out.0, index);
    }
    _mm512_reduce_max_epi32(largest)
}

/// Implements [`Arithmetic::sample`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn sample(bytes: &Sampled, out: &mut Polynomial) -> usize {
    let candidates = |begin: usize| {
        let bytes: &[u8] = &bytes[begin..begin + 64];
        // SAFETY: the slice is 64 bytes long, and unaligned loads are allowed.
        let candidates = values::<24>(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) });
        _mm512_and_si512(candidates, splat((1 << 23) - 1))
    };
    let (mut taken, mut begin) = (0, 0);
    // Process whole vectors while `out` has room for sixteen coefficients and sixteen candidates
    // are left.
    while taken <= 240 && begin + 48 <= SAMPLED {
        let candidates = candidates(begin);
        let below = _mm512_cmplt_epi32_mask(candidates, splat(Q));
        let place: &mut [i32; 16] = out.0[taken..].first_chunk_mut().expect("the loop leaves room for 16");
        // In 98 of 100 cases, all sixteen candidates are accepted.
        if below == 0xffff {
            store(candidates, place, 0);
            taken += 16;
        } else {
            store(_mm512_maskz_compress_epi32(below, candidates), place, 0);
            taken += below.count_ones() as usize;
        }
        begin += 48;
    }
    while taken < 256 && begin < SAMPLED {
        let candidates = candidates(begin);
        // The last eight candidates fill only half a vector.
        let there = if begin + 48 <= SAMPLED { 0xffff } else { 0x00ff };
        let below = _mm512_mask_cmplt_epi32_mask(there, candidates, splat(Q));
        let mut compressed = [0; 16];
        store(_mm512_maskz_compress_epi32(below, candidates), &mut compressed, 0);
        let fitting = (below.count_ones() as usize).min(256 - taken);
        out.0[taken..taken + fitting].copy_from_slice(&compressed[..fitting]);
        taken += fitting;
        begin += 48;
    }
    taken
}

/// Applies the hint to numbers `r` between 0 and `q - 1`, and returns their high parts. The high part is the index,
/// modulo `COUNT`, of the multiple of `2 gamma2` nearest to `r`. The hint moves the index up or down by one.
///
/// Without the hint, the high part is `(r + 127) / 128 * FACTOR / 2^SHIFT`, rounded. A test shows that this is exact
/// for all numbers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn use_hint<const FACTOR: i32, const SHIFT: u32, const COUNT: i32>(r: V, hint: u16) -> V {
    let parts = _mm512_srli_epi32::<7>(add(r, splat(127)));
    let rounded = add(mullo(parts, splat(FACTOR)), splat(1 << (SHIFT - 1)));
    let high = below_count::<COUNT>(_mm512_srli_epi32::<SHIFT>(rounded));
    // `low` is between -gamma2 and gamma2, unless `high` wrapped around to 0. In that case, `low` is a negative number
    // plus `q`, which is above `q / 2`.
    let low = sub(r, mullo(high, splat((Q - 1) / COUNT)));
    // As an unsigned number, `low - 1` is below `q / 2` only if `low` is positive.
    let up = _mm512_mask_cmplt_epu32_mask(hint, sub(low, splat(1)), splat(Q / 2));
    let down = hint & !up;
    let moved = _mm512_mask_add_epi32(high, up, high, splat(1));
    below_count::<COUNT>(_mm512_mask_add_epi32(moved, down, moved, splat(COUNT - 1)))
}

/// Reduces numbers between 0 and `2 COUNT - 1` modulo `COUNT`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn below_count<const COUNT: i32>(high: V) -> V {
    if COUNT.count_ones() == 1 {
        _mm512_and_si512(high, splat(COUNT - 1))
    } else {
        // If a number is below `COUNT`, the difference is larger when both are read as unsigned numbers.
        min_unsigned(high, sub(high, splat(COUNT)))
    }
}

/// Implements [`Arithmetic::commit`] for [`Gamma2::Q32`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn commit_q32(polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
    for ((index, hint), out) in hint.iter().enumerate().zip(out.as_chunks_mut::<8>().0) {
        let high = use_hint::<1025, 22, 16>(load(&polynomial.0, index), *hint);
        let bytes = _mm512_cvtepi32_epi8(high);
        // Pack two 4-bit values per byte.
        let pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x1001));
        *out = _mm_cvtsi128_si64(_mm_cvtepi16_epi8(pairs)).to_le_bytes();
    }
}

/// Implements [`Arithmetic::commit`] for [`Gamma2::Q88`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn commit_q88(polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
    // Concatenates the low three bytes of each word.
    let order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    for ((index, hint), out) in hint.iter().enumerate().zip(out.as_chunks_mut::<12>().0) {
        let high = use_hint::<11275, 24, 44>(load(&polynomial.0, index), *hint);
        let bytes = _mm512_cvtepi32_epi8(high);
        // Pack four 6-bit values into three bytes.
        let pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x4001));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x1000_0001));
        let packed = _mm_shuffle_epi8(fours, order);
        out[..8].copy_from_slice(&_mm_cvtsi128_si64(packed).to_le_bytes());
        out[8..].copy_from_slice(&_mm_extract_epi32::<2>(packed).to_le_bytes());
    }
}
