//! Compares the vector code with the portable code, for inputs inside the allowed ranges and at their ends.

use crate::field::Q;
use crate::parameters::{Gamma2, MOST_COLUMNS};
use crate::polynomial::{Arithmetic, Polynomial, SAMPLED};
use crate::portable::Portable;

/// Generates reproducible pseudorandom numbers (SplitMix64).
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a polynomial with coefficients from `-bound` to `bound`. In some polynomials, every coefficient is one
    /// of the two ends of this range.
    fn polynomial(&mut self, bound: i32) -> Polynomial {
        let ends_only = self.next().is_multiple_of(4);
        Polynomial(core::array::from_fn(|_| {
            let random = self.next();
            match (ends_only, random % 8) {
                (true, 0..4) | (false, 0) => bound,
                (true, _) | (false, 1) => -bound,
                _ => ((random >> 8) % (2 * bound as u64 + 1)) as i32 - bound,
            }
        }))
    }
}

/// Checks that a code path gives the same results as the portable code.
fn agrees(arithmetic: impl Arithmetic) {
    let mut generator = Generator(1);
    transforms(arithmetic, &mut generator);
    rows(arithmetic, &mut generator);
    commitments(arithmetic);
    encodings(arithmetic, &mut generator);
    samples(arithmetic, &mut generator);
}

fn transforms(arithmetic: impl Arithmetic, generator: &mut Generator) {
    for _ in 0..2000 {
        // Bounds for the inputs of the transform: challenge, `z` and `t1`.
        for bound in [1, 1 << 17, 1 << 19, 1 << 23] {
            let mut expected = generator.polynomial(bound);
            let mut polynomial = expected;
            Portable.transform(&mut expected);
            arithmetic.transform(&mut polynomial);
            assert_eq!(polynomial, expected);
            assert!(expected.0.iter().all(|value| value.abs() < bound + 8 * Q));
        }
        let mut expected = generator.polynomial(Q - 1);
        let mut polynomial = expected;
        Portable.invert(&mut expected);
        arithmetic.invert(&mut polynomial);
        assert_eq!(polynomial, expected);
        assert!(expected.0.iter().all(|value| (0..Q).contains(value)));
    }
}

fn rows(arithmetic: impl Arithmetic, generator: &mut Generator) {
    let (mut expected, mut out) = (Polynomial::ZERO, Polynomial::ZERO);
    for round in 0..2000 {
        let columns = 4 + round % (MOST_COLUMNS - 3);
        let mut polynomial = |bound| generator.polynomial(bound);
        let row = core::array::from_fn::<_, MOST_COLUMNS, _>(|_| Polynomial(polynomial(Q - 1).0.map(i32::abs)));
        let z = core::array::from_fn::<_, MOST_COLUMNS, _>(|_| polynomial((1 << 19) + 8 * Q));
        let (challenge, t1) = (polynomial(1 + 8 * Q), polynomial((1 << 23) + 8 * Q));
        Portable.row(&row[..columns], &z[..columns], &challenge, &t1, &mut expected);
        arithmetic.row(&row[..columns], &z[..columns], &challenge, &t1, &mut out);
        assert_eq!(out, expected);
        assert!(expected.0.iter().all(|value| value.abs() < Q));
    }
    // Multiply every value modulo `q` by factors at the ends of the range.
    for factor in [1, -1, Q / 2, -Q / 2, (1 << 19) + 8 * Q, -(1 << 19) - 8 * Q] {
        let z = [Polynomial([factor; 256])];
        for begin in (0..Q).step_by(256) {
            let row = [Polynomial(core::array::from_fn(|index| (begin + index as i32).min(Q - 1)))];
            Portable.row(&row, &z, &Polynomial::ZERO, &Polynomial::ZERO, &mut expected);
            arithmetic.row(&row, &z, &Polynomial::ZERO, &Polynomial::ZERO, &mut out);
            assert_eq!(out, expected);
        }
    }
}

/// Tests `commit` for every possible coefficient, with and without a hint.
fn commitments(arithmetic: impl Arithmetic) {
    for (gamma2, length) in [(Gamma2::Q88, 192), (Gamma2::Q32, 128)] {
        for begin in (0..Q).step_by(256) {
            let polynomial = Polynomial(core::array::from_fn(|index| (begin + index as i32).min(Q - 1)));
            for hint in [[0; 16], [0xffff; 16], [0x5a1e; 16]] {
                let (mut expected, mut out) = ([0; 192], [0; 192]);
                Portable.commit(gamma2, &polynomial, &hint, &mut expected[..length]);
                arithmetic.commit(gamma2, &polynomial, &hint, &mut out[..length]);
                assert_eq!(out, expected, "coefficients from {begin}");
            }
        }
    }
}

fn encodings(arithmetic: impl Arithmetic, generator: &mut Generator) {
    let (mut expected, mut out) = (Polynomial::ZERO, Polynomial::ZERO);
    for round in 0..2000 {
        let bytes: [u8; 640] = core::array::from_fn(|_| match round {
            0 => 0,
            1 => 0xff,
            _ => generator.next() as u8,
        });
        Portable.unpack_t1(&bytes[..320], &mut expected);
        arithmetic.unpack_t1(&bytes[..320], &mut out);
        assert_eq!(out, expected);
        for bits in [18, 20] {
            let bytes = &bytes[..32 * bits];
            let largest = Portable.unpack_z(bits, bytes, &mut expected);
            assert_eq!(arithmetic.unpack_z(bits, bytes, &mut out), largest);
            assert_eq!(out, expected);
        }
    }
}

fn samples(arithmetic: impl Arithmetic, generator: &mut Generator) {
    for round in 0..4000_u64 {
        let mut bytes = [0; _];
        for byte in &mut bytes {
            *byte = generator.next() as u8;
        }
        // Replace a varying share of candidates with rejected ones, so that sampling ends early,
        // late, or not at all.
        for candidate in bytes[..SAMPLED].as_chunks_mut::<3>().0 {
            if generator.next() % 64 < round % 32 {
                let large = (Q as u32 + (generator.next() as u32 % (8192 - 1))).to_le_bytes();
                *candidate = [large[0], large[1], large[2]];
            }
        }
        let (mut expected, mut out) = (Polynomial::ZERO, Polynomial::ZERO);
        let taken = Portable.sample(&bytes, &mut expected);
        assert_eq!(arithmetic.sample(&bytes, &mut out), taken);
        assert_eq!(out.0[..taken], expected.0[..taken]);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx512_agrees_with_portable_code() {
    use pqlab_testing::{Need, require};
    agrees(require!(crate::avx512::Avx512::detect(), Need::Machine("AVX-512")));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_agrees_with_portable_code() {
    use pqlab_testing::{Need, require};
    agrees(require!(crate::avx2::Avx2::detect(), Need::Machine("AVX2")));
}

/// Checks that the transform, followed by its inverse, only multiplies by 2^32.
#[test]
fn inverse_transform_inverts_the_transform() {
    let mut generator = Generator(2);
    agrees(Portable);
    for _ in 0..1000 {
        let original = generator.polynomial(Q - 1);
        let mut polynomial = original;
        Portable.transform(&mut polynomial);
        polynomial.0 = polynomial.0.map(|value| crate::field::reduce(i64::from(value)));
        Portable.invert(&mut polynomial);
        assert_eq!(polynomial.0, original.0.map(|value| value.rem_euclid(Q)));
    }
}
