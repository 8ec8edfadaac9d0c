//! Portable code, which follows the standard and processes one coefficient at a time.

use crate::field::{self, Q, SCALE, ZETAS};
use crate::parameters::Gamma2;
use crate::polynomial::{Arithmetic, Hint, Polynomial, SAMPLED, Sampled};

/// Arithmetic without vector instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Arithmetic for Portable {
    fn transform(self, polynomial: &mut Polynomial) {
        let mut zetas = ZETAS[1..].iter();
        for length in [128, 64, 32, 16, 8, 4, 2, 1] {
            for (block, zeta) in polynomial.0.chunks_exact_mut(2 * length).zip(&mut zetas) {
                let (low, high) = block.split_at_mut(length);
                for (a, b) in low.iter_mut().zip(high) {
                    let product = field::multiply(*b, *zeta);
                    *b = *a - product;
                    *a += product;
                }
            }
        }
    }

    fn invert(self, polynomial: &mut Polynomial) {
        for length in [1, 2, 4, 8, 16, 32, 64, 128] {
            // FIPS 204 multiplies `a - b` by negated factors, in reverse order. Here, `b - a`
            // absorbs the sign.
            let zetas = ZETAS[128 / length..256 / length].iter().rev();
            for (block, zeta) in polynomial.0.chunks_exact_mut(2 * length).zip(zetas) {
                let (low, high) = block.split_at_mut(length);
                for (a, b) in low.iter_mut().zip(high) {
                    let difference = *b - *a;
                    *a += *b;
                    *b = field::multiply(difference, *zeta);
                }
            }
        }
        for coefficient in &mut polynomial.0 {
            *coefficient = field::canonical(field::multiply(*coefficient, SCALE));
        }
    }

    fn sample(self, bytes: &Sampled, out: &mut Polynomial) -> usize {
        take(&bytes[..SAMPLED], &mut out.0)
    }

    fn unpack_t1(self, bytes: &[u8], out: &mut Polynomial) {
        unpack(10, bytes, out, |value| -(value << 13));
    }

    fn unpack_z(self, bits: usize, bytes: &[u8], out: &mut Polynomial) -> i32 {
        unpack(bits, bytes, out, |value| (1 << (bits - 1)) - value);
        out.0.iter().fold(0, |largest, coefficient| largest.max(coefficient.abs()))
    }

    fn row(self, row: &[Polynomial], z: &[Polynomial], challenge: &Polynomial, t1: &Polynomial, out: &mut Polynomial) {
        let product = |a: &Polynomial, b: &Polynomial, at: usize| i64::from(a.0[at]) * i64::from(b.0[at]);
        for (at, value) in out.0.iter_mut().enumerate() {
            let sum: i64 = row.iter().zip(z).map(|(a, z)| product(a, z, at)).sum();
            *value = field::reduce(sum + product(challenge, t1, at));
        }
    }

    fn commit(self, gamma2: Gamma2, polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
        let high = |at: usize| {
            let hinted = hint[at / 16] >> (at % 16) & 1 == 1;
            use_hint(gamma2, hinted, polynomial.0[at])
        };
        match gamma2 {
            Gamma2::Q32 => {
                for (index, byte) in out.iter_mut().enumerate() {
                    *byte = (high(2 * index) | high(2 * index + 1) << 4) as u8;
                }
            }
            Gamma2::Q88 => {
                for (index, bytes) in out.chunks_exact_mut(3).enumerate() {
                    let four = (0..4).fold(0, |word, step| word | high(4 * index + step) << (6 * step));
                    bytes.copy_from_slice(&four.to_le_bytes()[..3]);
                }
            }
        }
    }
}

/// Decodes three-byte candidates, and accepts candidates below `q` until `out` is full. Returns the number of accepted
/// coefficients.
pub(crate) fn take(bytes: &[u8], out: &mut [i32]) -> usize {
    let mut taken = 0;
    for three in bytes.as_chunks::<3>().0 {
        if taken == out.len() {
            break;
        }
        let candidate = i32::from_le_bytes([three[0], three[1], three[2] & 0x7f, 0]);
        if candidate < Q {
            out[taken] = candidate;
            taken += 1;
        }
    }
    taken
}

/// Unpacks consecutive coefficients of up to 20 bits each.
fn unpack(bits: usize, bytes: &[u8], out: &mut Polynomial, convert: impl Fn(i32) -> i32) {
    let (mut word, mut held, mut bytes) = (0_u32, 0, bytes.iter());
    for coefficient in &mut out.0 {
        while held < bits {
            word |= u32::from(*bytes.next().expect("the input must match the coefficients")) << held;
            held += 8;
        }
        *coefficient = convert((word & ((1 << bits) - 1)).cast_signed());
        word >>= bits;
        held -= bits;
    }
}

/// Computes UseHint (FIPS 204, algorithm 40).
fn use_hint(gamma2: Gamma2, hinted: bool, r: i32) -> i32 {
    let (high, low) = decompose(gamma2, r);
    let count = match gamma2 {
        Gamma2::Q88 => 44,
        Gamma2::Q32 => 16,
    };
    match (hinted, low > 0) {
        (false, _) => high,
        (true, true) => (high + 1) % count,
        (true, false) => (high + count - 1) % count,
    }
}

/// Computes Decompose (FIPS 204, algorithm 36) for a number between 0 and `q - 1`.
fn decompose(gamma2: Gamma2, r: i32) -> (i32, i32) {
    let range = match gamma2 {
        Gamma2::Q88 => (Q - 1) / 44,
        Gamma2::Q32 => (Q - 1) / 16,
    };
    let mut low = r % range;
    if low > range / 2 {
        low -= range;
    }
    if r - low == Q - 1 { (0, low - 1) } else { ((r - low) / range, low) }
}

#[cfg(test)]
mod tests;
