//! AVX2 code, which processes eight coefficients at a time.

mod coding;
mod transform;

use crate::field::{Factor, Q, Q_INVERSE, SCALE, SCALED_ZETA};
use crate::parameters::Gamma2;
use crate::polynomial::{Arithmetic, Hint, Polynomial, Sampled};
use crate::vector::arithmetic;
use core::arch::x86_64::*;

type V = __m256i;

/// Factors for eight butterflies.
type LaneFactors = crate::vector::LaneFactors<8>;

/// Arithmetic that uses AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2 {
    /// Private, so that the value can be created only after detecting the instructions.
    _detected: (),
}

cpufeatures::new!(detection, "avx2");

impl Avx2 {
    /// Returns a value if the processor supports the instructions and the user does not hide them.
    pub(crate) fn detect() -> Option<Avx2> {
        let found = detection::get() && !pqlab_cpu::is_hidden(pqlab_cpu::Feature::Avx2);
        found.then_some(Avx2 { _detected: () })
    }

    /// Creates the value without detecting the instructions.
    ///
    /// # Safety
    /// [`Avx2::detect`] must have returned `Some` on this processor.
    pub(crate) unsafe fn assume() -> Avx2 {
        Avx2 { _detected: () }
    }
}

impl Arithmetic for Avx2 {
    fn transform(self, polynomial: &mut Polynomial) {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe { transform::forward(polynomial) }
    }

    fn invert(self, polynomial: &mut Polynomial) {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe { transform::inverse(polynomial) }
    }

    fn sample(self, bytes: &Sampled, out: &mut Polynomial) -> usize {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe { coding::sample(bytes, out) }
    }

    fn unpack_t1(self, bytes: &[u8], out: &mut Polynomial) {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe { coding::unpack_t1(bytes, out) }
    }

    fn unpack_z(self, bits: usize, bytes: &[u8], out: &mut Polynomial) -> i32 {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe {
            match bits {
                18 => coding::unpack_z::<18, 2>(bytes, out),
                _ => coding::unpack_z::<20, 4>(bytes, out),
            }
        }
    }

    fn row(
        self,
        matrix: &[Polynomial],
        z: &[Polynomial],
        challenge: &Polynomial,
        t1: &Polynomial,
        out: &mut Polynomial,
    ) {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe { row(matrix, z, challenge, t1, out) }
    }

    fn commit(self, gamma2: Gamma2, polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
        // SAFETY: `Avx2` values exist only on processors that support the instructions.
        unsafe {
            match gamma2 {
                Gamma2::Q32 => coding::commit_q32(polynomial, hint, out),
                Gamma2::Q88 => coding::commit_q88(polynomial, hint, out),
            }
        }
    }
}

arithmetic!("avx2", 32);

#[target_feature(enable = "avx2")]
#[inline]
fn load(values: &[i32], index: usize) -> V {
    let values: &[i32; 8] = &values.as_chunks().0[index];
    // SAFETY: eight values take 32 bytes, and unaligned loads are allowed.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(vector: V, values: &mut [i32], index: usize) {
    let values: &mut [i32; 8] = &mut values.as_chunks_mut().0[index];
    // SAFETY: eight values take 32 bytes, and unaligned stores are allowed.
    unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), vector) }
}

/// Defines short names for vector instructions.
macro_rules! instructions {
    ($($name:ident($($operand:ident),*) $call:expr;)*) => { $(
        #[target_feature(enable = "avx2")]
        #[inline]
        fn $name($($operand: V),*) -> V {
            $call
        }
    )* };
}

instructions! {
    add(a, b) _mm256_add_epi32(a, b);
    sub(a, b) _mm256_sub_epi32(a, b);
    add64(a, b) _mm256_add_epi64(a, b);
    sub64(a, b) _mm256_sub_epi64(a, b);
    mul(a, b) _mm256_mul_epi32(a, b);
    mullo(a, b) _mm256_mullo_epi32(a, b);
    odd(a) _mm256_srli_epi64::<32>(a);
    merge(even, odd) _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd);
    min_unsigned(a, b) _mm256_min_epu32(a, b);
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat(value: i32) -> V {
    _mm256_set1_epi32(value)
}
