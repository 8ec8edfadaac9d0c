//! Code that all vector widths share.

use crate::field::{Factor, ZETAS};

/// Defines arithmetic on 32-bit lanes for one vector width: `montgomery`, `butterfly`, `reverse_butterfly`, `row` and
/// their helpers. The caller must define `V`, `load`, `store`, `splat`, `add`, `sub`, `sub64`, `add64`, `mullo` and
/// `min_unsigned`. It must also define `mul` (multiplies even lanes to 64 bits), `odd` (moves odd lanes to even
/// positions) and `merge` (combines the upper halves of the even and odd products).
macro_rules! arithmetic {
    ($features:literal, $vectors:literal) => {
        /// Multiplies the lanes of `a` and `b` and divides by 2^32. Results are strictly between `-q` and `q`. `b` must
        /// be between `-q/2` and `q/2`, and `twisted` must be `b` times the inverse of `q`, modulo 2^32.
        #[target_feature(enable = $features)]
        #[inline]
        fn montgomery(a: V, b: V, twisted: V) -> V {
            let quotient = mullo(a, twisted);
            reduced(mul(a, b), mul(odd(a), odd(b)), quotient)
        }

        /// Like `montgomery`, with the same factor for all lanes.
        #[target_feature(enable = $features)]
        #[inline]
        fn montgomery_by(a: V, factor: Factor) -> V {
            let b = splat(factor.value);
            let quotient = mullo(a, splat(factor.twisted));
            reduced(mul(a, b), mul(odd(a), b), quotient)
        }

        /// Subtracts `q` times the quotient from the products, so that their lower 32 bits become zero.
        #[target_feature(enable = $features)]
        #[inline]
        fn reduced(even_products: V, odd_products: V, quotient: V) -> V {
            let q = splat(Q);
            merge(sub64(even_products, mul(quotient, q)), sub64(odd_products, mul(odd(quotient), q)))
        }

        /// Computes a butterfly of the transform. Magnitudes grow by less than `q`.
        #[target_feature(enable = $features)]
        #[inline]
        fn butterfly(a: V, b: V, factor: Factor) -> (V, V) {
            let product = montgomery_by(b, factor);
            (add(a, product), sub(a, product))
        }

        /// Like `butterfly`, with a separate factor for each lane.
        #[target_feature(enable = $features)]
        #[inline]
        fn lane_butterfly(a: V, b: V, factors: &LaneFactors) -> (V, V) {
            let product = montgomery(b, load(&factors.values, 0), load(&factors.twisted, 0));
            (add(a, product), sub(a, product))
        }

        /// Computes a butterfly of the inverse transform. The sum at most doubles; the difference is reduced.
        #[target_feature(enable = $features)]
        #[inline]
        fn reverse_butterfly(a: V, b: V, factor: Factor) -> (V, V) {
            (add(a, b), montgomery_by(sub(b, a), factor))
        }

        /// Like `reverse_butterfly`, with a separate factor for each lane.
        #[target_feature(enable = $features)]
        #[inline]
        fn reverse_lane_butterfly(a: V, b: V, factors: &LaneFactors) -> (V, V) {
            let product = montgomery(sub(b, a), load(&factors.values, 0), load(&factors.twisted, 0));
            (add(a, b), product)
        }

        /// Computes a butterfly of the inverse transform's last layer, multiplies by [`SCALE`], and maps both results to
        /// representatives between 0 and `q - 1`.
        #[target_feature(enable = $features)]
        #[inline]
        fn last_butterfly(a: V, b: V) -> (V, V) {
            (canonical(montgomery_by(add(a, b), SCALE)), canonical(montgomery_by(sub(b, a), SCALED_ZETA)))
        }

        /// Maps a number between `-q` and `q - 1` to the representative modulo `q` between 0 and `q - 1`. Returns the
        /// unsigned minimum of `a` and `a + q`. If `a` is negative, `a` is the larger of the two when both are read as
        /// unsigned numbers.
        #[target_feature(enable = $features)]
        #[inline]
        fn canonical(a: V) -> V {
            min_unsigned(a, add(a, splat(Q)))
        }

        /// Implements [`Arithmetic::row`].
        #[target_feature(enable = $features)]
        fn row(row: &[Polynomial], z: &[Polynomial], challenge: &Polynomial, t1: &Polynomial, out: &mut Polynomial) {
            for index in 0..$vectors {
                let (a, b) = (load(&challenge.0, index), load(&t1.0, index));
                let (mut even_sum, mut odd_sum) = (mul(a, b), mul(odd(a), odd(b)));
                for (a, z) in row.iter().zip(z) {
                    let (a, z) = (load(&a.0, index), load(&z.0, index));
                    even_sum = add64(even_sum, mul(a, z));
                    odd_sum = add64(odd_sum, mul(odd(a), odd(z)));
                }
                // Montgomery reduction: a quotient is the low half of a sum times the inverse of
                // `q`.
                let (inverse, q) = (splat(Q_INVERSE), splat(Q));
                let even_quotient = mul(even_sum, inverse);
                let odd_quotient = mul(odd_sum, inverse);
                let even_rest = sub64(even_sum, mul(even_quotient, q));
                let odd_rest = sub64(odd_sum, mul(odd_quotient, q));
                store(merge(even_rest, odd_rest), &mut out.0, index);
            }
        }
    };
}
pub(crate) use arithmetic;

/// Computes butterflies on whole vectors, unrolled so that the vectors stay in registers.
macro_rules! layer {
    ($v:ident, $butterfly:ident: $($zeta:tt $(($a:literal $b:literal))+;)+) => {
        $($( ($v[$a], $v[$b]) = $butterfly($v[$a], $v[$b], ZETAS[$zeta]); )+)+
    };
}
pub(crate) use layer;

/// Factors for a vector of butterflies, one per lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LaneFactors<const LANES: usize> {
    pub(crate) values: [i32; LANES],
    pub(crate) twisted: [i32; LANES],
}

/// Returns the index, within a block of two vectors, of the coefficient in lane `lane` of the first vector. The vectors
/// are in the order for butterflies at distance `length`: the first vector contains, in ascending order, the
/// coefficients with indices in which the bit `length` is clear. The same lane of the second vector contains the other
/// coefficient of the butterfly.
pub(crate) const fn place(length: usize, lane: usize) -> usize {
    (lane / length) * 2 * length + lane % length
}

/// Returns the factors for butterflies at distance `length` within a block of two vectors, in the order of [`place`].
pub(crate) const fn lane_factors<const LANES: usize>(length: usize, block: usize) -> LaneFactors<LANES> {
    let mut factors = LaneFactors { values: [0; LANES], twisted: [0; LANES] };
    let mut lane = 0;
    while lane < LANES {
        let butterflies = (2 * LANES * block + place(length, lane)) / (2 * length);
        let Factor { value, twisted } = ZETAS[128 / length + butterflies];
        factors.values[lane] = value;
        factors.twisted[lane] = twisted;
        lane += 1;
    }
    factors
}

/// Like [`lane_factors`], for the inverse transform, which uses each layer's factors in reverse order.
pub(crate) const fn reverse_lane_factors<const LANES: usize>(length: usize, block: usize) -> LaneFactors<LANES> {
    let mut factors = LaneFactors { values: [0; LANES], twisted: [0; LANES] };
    let mut lane = 0;
    while lane < LANES {
        let butterflies = (2 * LANES * block + place(length, lane)) / (2 * length);
        let Factor { value, twisted } = ZETAS[256 / length - 1 - butterflies];
        factors.values[lane] = value;
        factors.twisted[lane] = twisted;
        lane += 1;
    }
    factors
}
