//! Polynomials of degree 255, and what is computed with them.

use crate::parameters::Gamma2;

/// The coefficients, or the values of the transform in the standard's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Polynomial(pub(crate) [i32; 256]);

impl Polynomial {
    pub(crate) const ZERO: Polynomial = Polynomial([0; 256]);
}

/// The coefficients of a polynomial of the hint that are 1: bit `i` of word `j` is that of coefficient `16 j + i`.
pub(crate) type Hint = [u16; 16];

/// The output of SHAKE128 from which a polynomial of the matrix is sampled, in bytes: five blocks, which hold 280 candidates
/// for 256 coefficients. One candidate of a thousand is not taken.
pub(crate) const SAMPLED: usize = 5 * 168;

/// The same with room behind it, so that vectors may be loaded that begin within.
pub(crate) type Sampled = [u8; 896];

/// Arithmetic on polynomials by one kind of instructions. Polynomials in the form of the transform are in the standard's
/// order everywhere, so that each can work on what another one made.
pub(crate) trait Arithmetic: Copy {
    /// The transform (FIPS 204, algorithm 41). Each of its eight layers adds less than `q` to the magnitude of a
    /// coefficient: it must be below `2^31 - 8q`.
    fn transform(self, polynomial: &mut Polynomial);

    /// The inverse transform (FIPS 204, algorithm 42) of a polynomial with values strictly between `-q` and `q`, times 2^32;
    /// coefficients are between 0 and `q - 1`. Each of eight layers at most doubles a magnitude, and `256 q` is below 2^31.
    fn invert(self, polynomial: &mut Polynomial);

    /// A polynomial of the matrix (FIPS 204, algorithm 30): the candidates of so many bytes that are below `q`. Returns how
    /// many coefficients they gave.
    fn sample(self, bytes: &Sampled, out: &mut Polynomial) -> usize;

    /// `-2^13 t1` from 320 bytes: coefficients are between `-2^23` and 0.
    fn unpack_t1(self, bytes: &[u8], out: &mut Polynomial);

    /// A polynomial of `z` (FIPS 204, algorithm 19) from `32 bits` bytes, and the largest magnitude of its coefficients.
    /// `bits` is 18 or 20.
    fn unpack_z(self, bits: usize, bytes: &[u8], out: &mut Polynomial) -> i32;

    /// The sum of the products of values of a row of the matrix and of `z`, and of challenge and `t1`, over 2^32, strictly
    /// between `-q` and `q`.
    ///
    /// The matrix is below `q`, `z` below `2^19 + 8q`, the challenge `1 + 8q`, `t1` `2^23 + 8q`: with seven columns the sum is
    /// below `131 q^2`, and `2^31 q`, which it must not reach, is above `256 q^2`.
    fn row(self, row: &[Polynomial], z: &[Polynomial], challenge: &Polynomial, t1: &Polynomial, out: &mut Polynomial);

    /// The high parts with the hint (FIPS 204, algorithm 40), encoded (algorithm 28), of coefficients between 0 and `q - 1`.
    /// 128 bytes for [`Gamma2::Q32`], 192 for [`Gamma2::Q88`].
    fn commit(self, gamma2: Gamma2, polynomial: &Polynomial, hint: &Hint, out: &mut [u8]);
}
