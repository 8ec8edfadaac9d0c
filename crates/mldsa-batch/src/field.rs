//! Integers modulo `q`, with Montgomery reduction by 2^32.

/// The modulus (FIPS 204, table 1).
pub(crate) const Q: i32 = 8_380_417;

/// Inverse of `q` modulo 2^32.
pub(crate) const Q_INVERSE: i32 = 58_728_449;

/// Constant factor `f` of a Montgomery multiplication, which also divides by 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    /// `f * 2^32` modulo `q`, between `-q/2` and `q/2`.
    pub(crate) value: i32,
    /// `value` times the inverse of `q`, modulo 2^32.
    pub(crate) twisted: i32,
}

impl Factor {
    /// Creates a factor from its [`value`](Factor::value), which must be between `-q/2` and `q/2`.
    const fn new(value: i32) -> Factor {
        Factor { value, twisted: value.wrapping_mul(Q_INVERSE) }
    }
}

/// Returns the representative modulo `q` that is between `-q/2` and `q/2`.
const fn centred(value: u64) -> i32 {
    let value = (value % Q as u64) as i32;
    if value > Q / 2 { value - Q } else { value }
}

/// Powers of 1753, in the order in which the transform uses them (FIPS 204, appendix B).
pub(crate) const ZETAS: [Factor; 256] = {
    let mut zetas = [Factor::new(0); 256];
    let mut index = 0;
    while index < 256 {
        let mut power = (1 << 32) % Q as u64;
        let mut exponent = (index as u8).reverse_bits();
        while exponent > 0 {
            power = power * 1753 % Q as u64;
            exponent -= 1;
        }
        zetas[index] = Factor::new(centred(power));
        index += 1;
    }
    zetas
};

/// The factor 2^32 / 256, for the end of the inverse transform. It divides by the number of coefficients, and cancels
/// the division by 2^32 in the products that the input contains.
pub(crate) const SCALE: Factor = Factor::new(centred(((1_u128 << 56) % Q as u128) as u64));

/// [`SCALE`] times the factor of the inverse transform's last layer.
pub(crate) const SCALED_ZETA: Factor = Factor::new(centred((ZETAS[1].value.rem_euclid(Q) as u64) << 24));

/// Montgomery reduction: divides a product by 2^32, modulo `q`. The result is strictly between `-q` and `q` if the
/// product is between `-2^31 q` and `2^31 q - 1`.
pub(crate) fn reduce(product: i64) -> i32 {
    let quotient = (product as i32).wrapping_mul(Q_INVERSE);
    ((product - i64::from(quotient) * i64::from(Q)) >> 32) as i32
}

/// Returns `a` times `factor`, modulo `q`. The result is strictly between `-q` and `q` for every `a`.
pub(crate) fn multiply(a: i32, factor: Factor) -> i32 {
    reduce(i64::from(a) * i64::from(factor.value))
}

/// Maps a number between `-q` and `q - 1` to the representative modulo `q` between 0 and `q - 1`.
pub(crate) fn canonical(a: i32) -> i32 {
    a + ((a >> 31) & Q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an upper bound on the magnitude of the result of [`reduce`], for products of magnitude up to
    /// `magnitude`.
    fn reduced(magnitude: i128) -> i128 {
        (magnitude + (1_i128 << 31) * i128::from(Q)) / (1 << 32) + 1
    }

    #[test]
    fn constants_match_their_definitions() {
        assert_eq!(Q.wrapping_mul(Q_INVERSE), 1);
        for factor in ZETAS.iter().chain([&SCALE, &SCALED_ZETA]) {
            assert!(factor.value.abs() <= Q / 2);
            assert_eq!(factor.twisted.wrapping_mul(Q), factor.value);
        }
        // First and last values in FIPS 204, appendix B.
        let plain = ZETAS.map(|zeta| reduce(i64::from(zeta.value)).rem_euclid(Q));
        assert_eq!(plain[..5], [1, 4_808_194, 3_765_607, 3_761_513, 5_178_923]);
        assert_eq!(plain[255], 7_648_983);
        let product = i64::from(ZETAS[1].value) * i64::from(SCALE.value);
        assert_eq!(reduce(product).rem_euclid(Q), SCALED_ZETA.value.rem_euclid(Q));
    }

    #[test]
    fn products_are_exact_for_every_number_and_at_the_ends() {
        let check = |a: i32, factor: Factor| {
            let product = multiply(a, factor);
            let expected = i64::from(a) * i64::from(factor.value);
            assert!(product.abs() < Q);
            assert_eq!((i64::from(product) << 32).wrapping_sub(expected) % i64::from(Q), 0);
        };
        for a in 1 - Q..Q {
            check(a, ZETAS[1]);
            check(a, SCALE);
        }
        for factor in ZETAS {
            for a in [i32::MIN, i32::MIN + 1, -256 * Q, -9 * Q, 0, 9 * Q, 256 * Q, i32::MAX] {
                check(a, factor);
            }
        }
        for a in 1 - Q..Q {
            assert_eq!(canonical(a), a.rem_euclid(Q));
        }
    }

    /// Checks that no layer overflows 32 bits, and that no sum of products exceeds the input range of the reduction.
    #[test]
    fn bounds_hold_at_each_step() {
        let (q, half) = (i128::from(Q), i128::from(Q / 2));
        let limit = i128::from(i32::MAX);
        let transformed = |bound: i128| {
            (0..8).fold(bound, |bound, _| {
                let product = reduced(bound * half);
                assert!(product <= q && bound + product <= limit);
                bound + product
            })
        };
        let (z, challenge, t1) = (transformed(1 << 19), transformed(1), transformed(1 << 23));
        let sum = 7 * (q - 1) * z + challenge * t1;
        assert!(sum < (1 << 31) * q && reduced(sum) <= q);
        // Each of the inverse transform's eight layers doubles the bound on sums, and on
        // differences before their multiplication.
        let mut bound = q - 1;
        for _ in 0..8 {
            bound *= 2;
            assert!(bound <= limit && reduced(bound * half) <= q);
        }
        assert!(reduced(bound * half) <= q);
    }
}
