//! Keccak over one state, in the lower halves of 25 registers of 128 bits.

use super::{CHI, XOR3};
use crate::permutation::permutation;
use crate::sponge::{Permutation, State};
use core::arch::x86_64::*;

permutation!(__m128i, "avx512f,avx512vl", xor = _mm_xor_si128, rotate = _mm_rol_epi64, broadcast = _mm_set1_epi64x);

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_ternarylogic_epi64::<XOR3>(a, b, c)
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn and_not(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_ternarylogic_epi64::<CHI>(a, b, c)
}

/// Keccak-p\[1600\] with AVX512F and AVX512VL.
pub(crate) struct Avx512 {
    /// Private, so that only code that detected the instructions can create the value.
    _detected: (),
}

impl Avx512 {
    /// Creates the value without detecting the instructions.
    ///
    /// # Safety
    /// The processor must support AVX512F and AVX512VL.
    pub(crate) unsafe fn assume() -> Avx512 {
        Avx512 { _detected: () }
    }
}

impl Permutation for Avx512 {
    fn permute(&self, state: &mut State) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe { permute_in_memory(state) };
    }

    fn absorb(&self, state: &mut State, rate: usize, blocks: &[u8]) {
        // SAFETY: `Avx512` values exist only on processors that support the instructions.
        unsafe {
            match rate / 8 {
                9 => absorb::<9>(state, blocks),
                13 => absorb::<13>(state, blocks),
                17 => absorb::<17>(state, blocks),
                18 => absorb::<18>(state, blocks),
                _ => absorb::<21>(state, blocks),
            }
        }
    }
}

/// Absorbs blocks of `WORDS` words: adds each block to the state, then permutes. The state stays in registers between
/// blocks.
#[target_feature(enable = "avx512f,avx512vl")]
fn absorb<const WORDS: usize>(state: &mut State, blocks: &[u8]) {
    let mut words = load(state);
    for block in blocks.as_chunks::<8>().0.as_chunks::<WORDS>().0 {
        for (word, bytes) in words.iter_mut().zip(block) {
            *word = _mm_xor_si128(*word, _mm_cvtsi64_si128(i64::from_le_bytes(*bytes)));
        }
        permute(&mut words);
    }
    store(words, state);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn permute_in_memory(state: &mut State) {
    let mut words = load(state);
    permute(&mut words);
    store(words, state);
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn load(state: &State) -> [__m128i; 25] {
    let mut words = [_mm_setzero_si128(); 25];
    for (word, value) in words.iter_mut().zip(state) {
        *word = _mm_cvtsi64_si128(value.cast_signed());
    }
    words
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn store(words: [__m128i; 25], state: &mut State) {
    for (value, word) in state.iter_mut().zip(words) {
        *value = _mm_cvtsi128_si64(word).cast_unsigned();
    }
}
