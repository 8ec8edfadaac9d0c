//! The number-theoretic transform, with the polynomial in sixteen registers. Butterflies at distances 128 to 16 combine
//! whole vectors. For distances 8 to 1, pairs of vectors are rearranged into the order of [`place`]. Moving from one
//! distance to the next takes one permutation per vector.

use super::*;
use crate::field::ZETAS;
use crate::vector::{lane_factors, layer, place, reverse_lane_factors};

/// Factors of the butterflies at distances 8, 4, 2 and 1, for each of the eight pairs of vectors.
static FACTORS: [[LaneFactors; 4]; 8] = {
    let mut factors = [[lane_factors(1, 0); 4]; 8];
    let mut block = 0;
    while block < 8 {
        factors[block] =
            [lane_factors(8, block), lane_factors(4, block), lane_factors(2, block), lane_factors(1, block)];
        block += 1;
    }
    factors
};

/// Factors of the inverse transform's butterflies at distances 1, 2, 4 and 8, for each pair of vectors.
static REVERSED: [[LaneFactors; 4]; 8] = {
    let mut factors = [[lane_factors(1, 0); 4]; 8];
    let mut block = 0;
    while block < 8 {
        factors[block] = [
            reverse_lane_factors(1, block),
            reverse_lane_factors(2, block),
            reverse_lane_factors(4, block),
            reverse_lane_factors(8, block),
        ];
        block += 1;
    }
    factors
};

/// Permutations that rearrange a pair of vectors from the order for one distance to the order for another distance.
/// Each permutation produces one vector of the pair, and lists the source lane of every coefficient, from 0 to 31. The
/// order for distance 16 is the natural order.
struct Move {
    first: [i32; 16],
    second: [i32; 16],
}

const fn between(from: usize, to: usize) -> Move {
    let mut moved = Move { first: [0; 16], second: [0; 16] };
    let mut lane = 0;
    while lane < 16 {
        moved.first[lane] = source(from, place(to, lane));
        moved.second[lane] = source(from, place(to, lane) + to);
        lane += 1;
    }
    moved
}

/// Returns the lane, from 0 to 31 in a pair of vectors, that contains a coefficient in the order for distance `length`.
const fn source(length: usize, coefficient: usize) -> i32 {
    let lane = coefficient / (2 * length) * length + coefficient % length;
    (if coefficient & length == 0 { lane } else { 16 + lane }) as i32
}

static TO_8: Move = between(16, 8);
static TO_4: Move = between(8, 4);
static TO_2: Move = between(4, 2);
static TO_1: Move = between(2, 1);
static TO_NATURAL: Move = between(1, 16);
static FROM_NATURAL: Move = between(16, 1);
static BACK_TO_2: Move = between(1, 2);
static BACK_TO_4: Move = between(2, 4);
static BACK_TO_8: Move = between(4, 8);
static FROM_8: Move = between(8, 16);

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn moved(pair: (V, V), by: &Move) -> (V, V) {
    (
        _mm512_permutex2var_epi32(pair.0, load(&by.first, 0), pair.1),
        _mm512_permutex2var_epi32(pair.0, load(&by.second, 0), pair.1),
    )
}

/// Rearranges every pair of vectors.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn move_all(v: &mut [V; 16], by: &Move) {
    for pair in v.as_chunks_mut().0 {
        let [a, b] = *pair;
        *pair = moved((a, b), by).into();
    }
}

/// Computes a layer of the transform within each pair of vectors, in the order that `by` creates.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn inner<const LAYER: usize>(v: &mut [V; 16], by: &Move) {
    move_all(v, by);
    for (pair, factors) in v.as_chunks_mut().0.iter_mut().zip(&FACTORS) {
        let [a, b] = *pair;
        *pair = lane_butterfly(a, b, &factors[LAYER]).into();
    }
}

/// Computes a layer of the inverse transform within each pair of vectors, in the order that `by` creates.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn reverse_inner<const LAYER: usize>(v: &mut [V; 16], by: &Move) {
    move_all(v, by);
    for (pair, factors) in v.as_chunks_mut().0.iter_mut().zip(&REVERSED) {
        let [a, b] = *pair;
        *pair = reverse_lane_butterfly(a, b, &factors[LAYER]).into();
    }
}

/// Implements [`Arithmetic::transform`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn forward(polynomial: &mut Polynomial) {
    let mut v = load_all(polynomial);
    layer!(v, butterfly: 1 (0 8)(1 9)(2 10)(3 11)(4 12)(5 13)(6 14)(7 15););
    layer!(v, butterfly: 2 (0 4)(1 5)(2 6)(3 7); 3 (8 12)(9 13)(10 14)(11 15););
    layer!(v, butterfly: 4 (0 2)(1 3); 5 (4 6)(5 7); 6 (8 10)(9 11); 7 (12 14)(13 15););
    layer!(v, butterfly: 8 (0 1); 9 (2 3); 10 (4 5); 11 (6 7); 12 (8 9); 13 (10 11); 14 (12 13); 15 (14 15););
    inner::<0>(&mut v, &TO_8);
    inner::<1>(&mut v, &TO_4);
    inner::<2>(&mut v, &TO_2);
    inner::<3>(&mut v, &TO_1);
    move_all(&mut v, &TO_NATURAL);
    store_all(v, polynomial);
}

/// Implements [`Arithmetic::invert`]. Each layer uses the transform's factors in reverse order and negated. The
/// negation costs nothing, because butterflies subtract in the opposite order.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn inverse(polynomial: &mut Polynomial) {
    let mut v = load_all(polynomial);
    reverse_inner::<0>(&mut v, &FROM_NATURAL);
    reverse_inner::<1>(&mut v, &BACK_TO_2);
    reverse_inner::<2>(&mut v, &BACK_TO_4);
    reverse_inner::<3>(&mut v, &BACK_TO_8);
    move_all(&mut v, &FROM_8);
    layer!(v, reverse_butterfly:
        15 (0 1); 14 (2 3); 13 (4 5); 12 (6 7); 11 (8 9); 10 (10 11); 9 (12 13); 8 (14 15););
    layer!(v, reverse_butterfly: 7 (0 2)(1 3); 6 (4 6)(5 7); 5 (8 10)(9 11); 4 (12 14)(13 15););
    layer!(v, reverse_butterfly: 3 (0 4)(1 5)(2 6)(3 7); 2 (8 12)(9 13)(10 14)(11 15););
    for index in 0..8 {
        (v[index], v[index + 8]) = last_butterfly(v[index], v[index + 8]);
    }
    store_all(v, polynomial);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn load_all(polynomial: &Polynomial) -> [V; 16] {
    let mut vectors = [splat(0); 16];
    for (index, vector) in vectors.iter_mut().enumerate() {
        *vector = load(&polynomial.0, index);
    }
    vectors
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
#[inline]
fn store_all(vectors: [V; 16], polynomial: &mut Polynomial) {
    for (index, vector) in vectors.into_iter().enumerate() {
        store(vector, &mut polynomial.0, index);
    }
}
