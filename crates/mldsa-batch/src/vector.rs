//! What the vector code of every width has in common.

use crate::field::{Factor, ZETAS};

/// The instructions of one width, over vectors of 32-bit lanes: `montgomery`, `butterfly`, `reverse_butterfly`, `row` and
/// what they are made of. Expects in scope: `V`, `load`, `store`, `splat`, `add`, `sub`, `sub64`, `add64`, `mul` (the even
/// lanes, to 64 bits), `mullo`, `odd` (the odd lanes in place of the even ones), `merge` (the upper halves of the even
/// products and of the odd ones).
macro_rules! arithmetic {
    ($features:literal, $vectors:literal) => {
        /// `a` times `b` over 2^32, strictly between `-q` and `q`, lane by lane: `b` is between `-q/2` and `q/2`, `twisted` is
        /// `b` over `q` modulo 2^32.
        #[target_feature(enable = $features)]
        #[inline]
        fn montgomery(a: V, b: V, twisted: V) -> V {
            let quotient = mullo(a, twisted);
            reduced(mul(a, b), mul(odd(a), odd(b)), quotient)
        }

        /// The same with one factor for all lanes.
        #[target_feature(enable = $features)]
        #[inline]
        fn montgomery_by(a: V, factor: Factor) -> V {
            let b = splat(factor.value);
            let quotient = mullo(a, splat(factor.twisted));
            reduced(mul(a, b), mul(odd(a), b), quotient)
        }

        /// The products less `q` times the quotient, which have 32 zeros below.
        #[target_feature(enable = $features)]
        #[inline]
        fn reduced(even_products: V, odd_products: V, quotient: V) -> V {
            let q = splat(Q);
            merge(sub64(even_products, mul(quotient, q)), sub64(odd_products, mul(odd(quotient), q)))
        }

        /// A butterfly of the transform: grows by less than `q`.
        #[target_feature(enable = $features)]
        #[inline]
        fn butterfly(a: V, b: V, factor: Factor) -> (V, V) {
            let product = montgomery_by(b, factor);
            (add(a, product), sub(a, product))
        }

        /// The same with a factor for each lane.
        #[target_feature(enable = $features)]
        #[inline]
        fn lane_butterfly(a: V, b: V, factors: &LaneFactors) -> (V, V) {
            let product = montgomery(b, load(&factors.values, 0), load(&factors.twisted, 0));
            (add(a, product), sub(a, product))
        }

        /// A butterfly of the inverse transform: at most doubles the sum, the difference is reduced.
        #[target_feature(enable = $features)]
        #[inline]
        fn reverse_butterfly(a: V, b: V, factor: Factor) -> (V, V) {
            (add(a, b), montgomery_by(sub(b, a), factor))
        }

        /// The same with a factor for each lane.
        #[target_feature(enable = $features)]
        #[inline]
        fn reverse_lane_butterfly(a: V, b: V, factors: &LaneFactors) -> (V, V) {
            let product = montgomery(sub(b, a), load(&factors.values, 0), load(&factors.twisted, 0));
            (add(a, b), product)
        }

        /// The representative between 0 and `q - 1` of a number between `-q` and `q - 1`: without a sign the sum is the smaller
        /// one where the number is negative.
        #[target_feature(enable = $features)]
        #[inline]
        fn canonical(a: V) -> V {
            min_unsigned(a, add(a, splat(Q)))
        }

        /// See [`Arithmetic::row`].
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
                // The lower halves of both sums, of which the quotients are the products by the inverse of `q`.
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

/// Butterflies of whole vectors, written out so that the vectors stay in registers.
macro_rules! layer {
    ($v:ident, $butterfly:ident: $($zeta:tt $(($a:literal $b:literal))+;)+) => {
        $($( ($v[$a], $v[$b]) = $butterfly($v[$a], $v[$b], ZETAS[$zeta]); )+)+
    };
}
pub(crate) use layer;

/// The factors of a vector of butterflies, lane by lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LaneFactors<const LANES: usize> {
    pub(crate) values: [i32; LANES],
    pub(crate) twisted: [i32; LANES],
}

/// Where the coefficients of a block of two vectors are while butterflies of distance `length` are done: lane `t` of the first
/// vector has the `t`th of those whose number lacks the bit `length`, the second vector their partners.
pub(crate) const fn place(length: usize, lane: usize) -> usize {
    (lane / length) * 2 * length + lane % length
}

/// The factors of the butterflies of distance `length` within the given block of two vectors, in the order of [`place`].
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

/// The same for the inverse transform, which takes the factors of a layer from the last to the first.
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
