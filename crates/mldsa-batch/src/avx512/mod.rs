//! AVX-512 code, which processes sixteen coefficients at a time. Requires AVX512F, AVX512BW, AVX512DQ, AVX512VL and
//! AVX512VBMI, which processors offer since Ice Lake.

mod coding;
mod transform;

use crate::field::{Factor, Q, Q_INVERSE, SCALE, SCALED_ZETA};
use crate::parameters::Gamma2;
use crate::polynomial::{Arithmetic, Hint, Polynomial, Sampled};
use crate::vector::arithmetic;
use core::arch::x86_64::*;

type V = __m512i;

/// Factors for sixteen butterflies.
type LaneFactors = crate::vector::LaneFactors<16>;

/// Arithmetic that uses AVX-512.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    /// Private, so that the value can be created only after detecting the instructions.
    _detected: (),
}

cpufeatures::new!(detection, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi");

impl Avx512 {
    /// Returns a value if the processor supports the instructions and the user does not hide them.
    pub(crate) fn detect() -> Option<Avx512> {
        let found = detection::get() && !pqlab_cpu::is_hidden(pqlab_cpu::Feature::Avx512);
        found.then_some(Avx512 { _detected: () })
    }

    /// Creates the value without detecting the instructions.
    ///
    /// # Safety
    /// [`Avx512::detect`] must have returned `Some` on this processor.
    pub(crate) unsafe fn assume() -> Avx512 {
        Avx512 { _detected: () }
    }
}

impl Arithmetic for Avx512 {
    fn transform(self, polynomial: &mut Polynomial) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { transform::forward(polynomial) }
    }

    fn invert(self, polynomial: &mut Polynomial) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { transform::inverse(polynomial) }
    }

    fn sample(self, bytes: &Sampled, out: &mut Polynomial) -> usize {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { coding::sample(bytes, out) }
    }

    fn unpack_t1(self, bytes: &[u8], out: &mut Polynomial) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { coding::unpack_t1(bytes, out) }
    }

    fn unpack_z(self, bits: usize, bytes: &[u8], out: &mut Polynomial) -> i32 {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe {
            match bits {
                18 => coding::unpack_z::<18>(bytes, out),
                _ => coding::unpack_z::<20>(bytes, out),
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
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { row(matrix, z, challenge, t1, out) }
    }

    fn commit(self, gamma2: Gamma2, polynomial: &Polynomial, hint: &Hint, out: &mut [u8]) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe {
            match gamma2 {
                Gamma2::Q32 => coding::commit_q32(polynomial, hint, out),
                Gamma2::Q88 => coding::commit_q88(polynomial, hint, out),
            }
        }
    }
}

arithmetic!("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi", 16);

#[target_feature(enable = "avx512f")]
#[inline]
fn load(values: &[i32], index: usize) -> V {
    let values: &[i32; 16] = &values.as_chunks().0[index];
    // SAFETY: sixteen values take 64 bytes, and unaligned loads are allowed.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(vector: V, values: &mut [i32], index: usize) {
    let values: &mut [i32; 16] = &mut values.as_chunks_mut().0[index];
    // SAFETY: sixteen values take 64 bytes, and unaligned stores are allowed.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}

/// Defines short names for vector instructions.
macro_rules! instructions {
    ($($name:ident($($operand:ident),*) $call:expr;)*) => { $(
        #[target_feature(enable = "avx512f,avx512dq")]
        #[inline]
        fn $name($($operand: V),*) -> V {
            $call
        }
    )* };
}

instructions! {
    add(a, b) _mm512_add_epi32(a, b);
    sub(a, b) _mm512_sub_epi32(a, b);
    add64(a, b) _mm512_add_epi64(a, b);
    sub64(a, b) _mm512_sub_epi64(a, b);
    mul(a, b) _mm512_mul_epi32(a, b);
    mullo(a, b) _mm512_mullo_epi32(a, b);
    odd(a) _mm512_srli_epi64::<32>(a);
    merge(even, odd) _mm512_mask_shuffle_epi32::<{ _MM_PERM_DDBB }>(odd, 0x5555, even);
    min_unsigned(a, b) _mm512_min_epu32(a, b);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn splat(value: i32) -> V {
    _mm512_set1_epi32(value)
}
