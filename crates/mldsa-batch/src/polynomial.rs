//! Polynomials with 256 coefficients, and arithmetic on them.

use crate::parameters::Gamma2;

/// Coefficients of a polynomial, or the values of its transform in the standard's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Polynomial(pub(crate) [i32; 256]);

impl Polynomial {
    pub(crate) const ZERO: Polynomial = Polynomial([0; 256]);
}

/// Hint bits of a polynomial: bit `i` of word `j` belongs to coefficient `16 j + i`.
pub(crate) type Hint = [u16; 16];

/// Number of SHAKE128 output bytes from which a polynomial of the matrix is sampled: five blocks, which contain 280
/// candidates for 256 coefficients. One candidate in a thousand is rejected.
pub(crate) const SAMPLED: usize = 5 * 168;

/// Sampled bytes, padded so that vector loads may start anywhere within them.
pub(crate) type Sampled = [u8; 896];

/// Arithmetic on polynomials with one instruction set. Transformed polynomials are always in the standard's order, so
/// different implementations can be combined.
pub(crate) trait Arithmetic: Copy {
    /// Transforms a polynomial (FIPS 204, algorithm 41). Each of the eight layers increases the magnitude of a
    /// coefficient by less than `q`, so coefficients must be below `2^31 - 8q` at the start.
    fn transform(self, polynomial: &mut Polynomial);

    /// Inverts the transform (FIPS 204, algorithm 42) and multiplies by 2^32. Input values must be strictly between
    /// `-q` and `q`; the resulting coefficients are between 0 and `q - 1`. Each of the eight layers at most doubles a
    /// magnitude, and `256 q` is below 2^31.
    fn invert(self, polynomial: &mut Polynomial);

    /// Samples a polynomial of the matrix (FIPS 204, algorithm 30) by accepting the candidates below `q`. Returns the
    /// number of coefficients obtained.
    fn sample(self, bytes: &Sampled, out: &mut Polynomial) -> usize;

    /// Decodes a polynomial of `-2^13 t1` from 320 bytes. Coefficients are between `-2^23` and 0.
    fn unpack_t1(self, bytes: &[u8], out: &mut Polynomial);

    /// Decodes a polynomial of `z` (FIPS 204, algorithm 19) from `32 * bits` bytes. `bits` must be 18 or 20. Returns
    /// the largest magnitude of a coefficient.
    fn unpack_z(self, bits: usize, bytes: &[u8], out: &mut Polynomial) -> i32;

    /// Multiplies a matrix row by `z` and the challenge by `t1`, adds all products, and divides the sum by 2^32.
    /// Results are strictly between `-q` and `q`.
    ///
    /// Matrix values must be below `q`, `z` below `2^19 + 8q`, the challenge below `1 + 8q` and `t1` below `2^23 + 8q`.
    /// With seven columns, the sum is then below `131 q^2`. It must not reach `2^31 q`, which is above `256 q^2`.
    fn row(self, row: &[Polynomial], z: &[Polynomial], challenge: &Polynomial, t1: &Polynomial, out: &mut Polynomial);

    /// Applies the hint to coefficients between 0 and `q - 1` (FIPS 204, algorithm 40) and encodes the resulting high
    /// parts (algorithm 28). Writes 128 bytes for [`Gamma2::Q32`], or 192 for [`Gamma2::Q88`].
    fn commit(self, gamma2: Gamma2, polynomial: &Polynomial, hint: &Hint, out: &mut [u8]);
}
