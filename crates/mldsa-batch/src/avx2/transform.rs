//! The number-theoretic transform, in two passes. The first pass computes the butterflies at distances 128, 64 and 32,
//! on eight vectors at a stride of 32 coefficients. The second pass computes the remaining butterflies, on four vectors
//! that contain 32 consecutive coefficients. For distances 4 to 1, the second pass rearranges pairs of vectors into the
//! order of `vector::place`.

use super::*;
use crate::field::ZETAS;
use crate::vector::{lane_factors, layer, reverse_lane_factors};

/// Factors of the butterflies at distances 4, 2 and 1, for each of the sixteen pairs of vectors.
static FACTORS: [[LaneFactors; 3]; 16] = {
    let mut factors = [[lane_factors(1, 0); 3]; 16];
    let mut block = 0;
    while block < 16 {
        factors[block] = [lane_factors(4, block), lane_factors(2, block), lane_factors(1, block)];
        block += 1;
    }
    factors
};

/// Factors of the inverse transform's butterflies at distances 1, 2 and 4, for each pair of vectors.
static REVERSED: [[LaneFactors; 3]; 16] = {
    let mut factors = [[lane_factors(1, 0); 3]; 16];
    let mut block = 0;
    while block < 16 {
        factors[block] =
            [reverse_lane_factors(1, block), reverse_lane_factors(2, block), reverse_lane_factors(4, block)];
        block += 1;
    }
    factors
};

/// Converts a pair of vectors between the orders for distances 8 and 4, by exchanging halves. The order for distance 8
/// is the natural order. This function is its own inverse, and so are the next two functions.
#[target_feature(enable = "avx2")]
#[inline]
fn between_8_and_4((a, b): (V, V)) -> (V, V) {
    (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b))
}

/// Converts a pair of vectors between the orders for distances 4 and 2.
#[target_feature(enable = "avx2")]
#[inline]
fn between_4_and_2((a, b): (V, V)) -> (V, V) {
    (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
}

/// Converts a pair of vectors between the orders for distances 2 and 1.
#[target_feature(enable = "avx2")]
#[inline]
fn between_2_and_1((a, b): (V, V)) -> (V, V) {
    let first = _mm256_blend_epi32::<0xaa>(a, _mm256_slli_epi64::<32>(b));
    (first, _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(a), b))
}

/// Replaces each pair of vectors by the value of an expression.
macro_rules! pairs {
    ($v:ident, $pair:ident => $call:expr) => {
        for pair in $v.as_chunks_mut().0 {
            let $pair: (V, V) = (*pair).into();
            *pair = $call.into();
        }
    };
}

/// Computes a layer of the transform within each pair of vectors. `factors` are those of the first pair.
#[target_feature(enable = "avx2")]
#[inline]
fn inner<const LAYER: usize>(v: &mut [V; 8], factors: &[[LaneFactors; 3]]) {
    for (pair, factors) in v.as_chunks_mut().0.iter_mut().zip(factors) {
        let [a, b] = *pair;
        *pair = lane_butterfly(a, b, &factors[LAYER]).into();
    }
}

/// Computes a layer of the inverse transform within each pair of vectors. `factors` are those of the first pair.
#[target_feature(enable = "avx2")]
#[inline]
fn reverse_inner<const LAYER: usize>(v: &mut [V; 8], factors: &[[LaneFactors; 3]]) {
    for (pair, factors) in v.as_chunks_mut().0.iter_mut().zip(factors) {
        let [a, b] = *pair;
        *pair = reverse_lane_butterfly(a, b, &factors[LAYER]).into();
    }
}

/// Implements [`Arithmetic::transform`]. Loops work on eight vectors at a time, so that the processor always has
/// independent butterflies.
#[target_feature(enable = "avx2")]
pub(super) fn forward(polynomial: &mut Polynomial) {
    for column in 0..4 {
        let mut v = load_some(polynomial, column, 4);
        layer!(v, butterfly: 1 (0 4)(1 5)(2 6)(3 7););
        layer!(v, butterfly: 2 (0 2)(1 3); 3 (4 6)(5 7););
        layer!(v, butterfly: 4 (0 1); 5 (2 3); 6 (4 5); 7 (6 7););
        store_some(v, polynomial, column, 4);
    }
    for block in 0..4 {
        let mut v = load_some(polynomial, 8 * block, 1);
        let [one, other] = [8 + 2 * block, 9 + 2 * block];
        layer!(v, butterfly: one (0 2)(1 3); other (4 6)(5 7););
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|pair| 16 + 4 * block + pair);
        layer!(v, butterfly: first (0 1); second (2 3); third (4 5); fourth (6 7););
        let factors = &FACTORS[4 * block..];
        pairs!(v, pair => between_8_and_4(pair));
        inner::<0>(&mut v, factors);
        pairs!(v, pair => between_4_and_2(pair));
        inner::<1>(&mut v, factors);
        pairs!(v, pair => between_2_and_1(pair));
        inner::<2>(&mut v, factors);
        pairs!(v, pair => between_8_and_4(between_4_and_2(between_2_and_1(pair))));
        store_some(v, polynomial, 8 * block, 1);
    }
}

/// Implements [`Arithmetic::invert`].
#[target_feature(enable = "avx2")]
pub(super) fn inverse(polynomial: &mut Polynomial) {
    for block in 0..4 {
        let mut v = load_some(polynomial, 8 * block, 1);
        let factors = &REVERSED[4 * block..];
        pairs!(v, pair => between_2_and_1(between_4_and_2(between_8_and_4(pair))));
        reverse_inner::<0>(&mut v, factors);
        pairs!(v, pair => between_2_and_1(pair));
        reverse_inner::<1>(&mut v, factors);
        pairs!(v, pair => between_4_and_2(pair));
        reverse_inner::<2>(&mut v, factors);
        pairs!(v, pair => between_8_and_4(pair));
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|pair| 31 - 4 * block - pair);
        layer!(v, reverse_butterfly: first (0 1); second (2 3); third (4 5); fourth (6 7););
        let [one, other] = [15 - 2 * block, 14 - 2 * block];
        layer!(v, reverse_butterfly: one (0 2)(1 3); other (4 6)(5 7););
        store_some(v, polynomial, 8 * block, 1);
    }
    for column in 0..4 {
        let mut v = load_some(polynomial, column, 4);
        layer!(v, reverse_butterfly: 7 (0 1); 6 (2 3); 5 (4 5); 4 (6 7););
        layer!(v, reverse_butterfly: 3 (0 2)(1 3); 2 (4 6)(5 7););
        for index in 0..4 {
            (v[index], v[index + 4]) = last_butterfly(v[index], v[index + 4]);
        }
        store_some(v, polynomial, column, 4);
    }
}

/// Loads eight vectors, starting at index `first`, at a stride of `step` vectors.
#[target_feature(enable = "avx2")]
#[inline]
fn load_some(polynomial: &Polynomial, first: usize, step: usize) -> [V; 8] {
    let mut vectors = [splat(0); 8];
    for (index, vector) in vectors.iter_mut().enumerate() {
        *vector = load(&polynomial.0, first + step * index);
    }
    vectors
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_some(vectors: [V; 8], polynomial: &mut Polynomial, first: usize, step: usize) {
    for (index, vector) in vectors.into_iter().enumerate() {
        store(vector, &mut polynomial.0, first + step * index);
    }
}
