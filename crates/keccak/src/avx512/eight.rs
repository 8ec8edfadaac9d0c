//! Eight states in 25 registers: lane `i` of register `x + 5y` is word `A[x, y]` (FIPS 202, section 3.1.2) of state `i`.
//!
//! A block is brought into this order two words at a time: sixteen bytes of four messages fill a register by broadcasts
//! under a mask, which go through the load ports, and one pair of unpacks makes two registers of words of eight messages.

use crate::sponge::LONGEST_RATE;
use crate::{Function, LANES};
use std::arch::x86_64::*;

/// One word of each state.
type Words = __m512i;

permutation!(
    __m512i,
    "avx512f,avx512dq",
    xor = _mm512_xor_si512,
    logic = _mm512_ternarylogic_epi64,
    rotate = _mm512_rol_epi64,
    broadcast = _mm512_set1_epi64
);

/// # Safety
/// The processor has AVX512F and AVX512DQ; all messages are of one length, and so are all outputs.
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) unsafe fn digest(function: Function, messages: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
    let suffix = function.suffix();
    // SAFETY: the caller's promise; the numbers of words are those of the rates.
    unsafe {
        match function.rate() / 8 {
            9 => sponge::<9>(suffix, messages, outs),
            13 => sponge::<13>(suffix, messages, outs),
            17 => sponge::<17>(suffix, messages, outs),
            18 => sponge::<18>(suffix, messages, outs),
            _ => sponge::<21>(suffix, messages, outs),
        }
    }
}

/// The sponge (FIPS 202, section 4) with a rate of so many words.
///
/// # Safety
/// All messages are of one length, and so are all outputs.
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn sponge<const WORDS: usize>(suffix: u8, messages: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
    let rate = 8 * WORDS;
    let mut state = [_mm512_setzero_si512(); 25];
    let blocks = messages.map(|message| message.as_ptr());
    let count = messages[0].len() / rate;
    let left = messages[0].len() % rate;
    // SAFETY: each message has so many whole blocks.
    unsafe { absorb::<WORDS>(&mut state, blocks, count) };

    let mut last = [[0_u8; LONGEST_RATE]; LANES];
    for (block, message) in last.iter_mut().zip(messages) {
        block[..left].copy_from_slice(&message[message.len() - left..]);
        block[left] = suffix;
        block[rate - 1] |= 0x80;
    }
    // SAFETY: each of the blocks is as long as the longest rate.
    unsafe { absorb::<WORDS>(&mut state, last.each_ref().map(|block| block.as_ptr()), 1) };

    let length = outs[0].len();
    let mut done = 0;
    while length - done >= rate {
        let places = outs.each_mut().map(|out| out[done..].as_mut_ptr());
        // SAFETY: each output has room for a block from here on.
        unsafe { squeeze::<WORDS>(&state, &places) };
        done += rate;
        if done < length {
            state = permute(state);
        }
    }
    if done < length {
        // SAFETY: each of the blocks is as long as the longest rate.
        unsafe { squeeze::<WORDS>(&state, &last.each_mut().map(|block| block.as_mut_ptr())) };
        for (out, block) in outs.iter_mut().zip(&last) {
            out[done..].copy_from_slice(&block[..length - done]);
        }
    }
}

/// Adds `count` blocks of each message to the states, each followed by the permutation. The states stay in registers from
/// block to block.
///
/// # Safety
/// So many blocks of so many words can be read from each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn absorb<const WORDS: usize>(state: &mut [Words; 25], blocks: [*const u8; LANES], count: usize) {
    let (mut words, mut blocks) = (*state, blocks);
    for _ in 0..count {
        // SAFETY: the caller's promise; each pointer is moved by a block at a time.
        unsafe { add::<WORDS>(&mut words, &blocks) };
        words = permute(words);
        blocks = blocks.map(|block| block.wrapping_add(8 * WORDS));
    }
    *state = words;
}

/// Adds a block of each message to the states. Written out, for otherwise the states are kept in memory.
///
/// # Safety
/// So many words can be read from each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn add<const WORDS: usize>(state: &mut [Words; 25], blocks: &[*const u8; LANES]) {
    macro_rules! pairs {
        ($($word:literal)*) => { $(
            if $word + 1 < WORDS {
                // SAFETY: the second word is within the block.
                let (first, second) = unsafe { load_two(blocks, $word) };
                state[$word] = _mm512_xor_si512(state[$word], first);
                state[$word + 1] = _mm512_xor_si512(state[$word + 1], second);
            }
        )* };
    }
    pairs!(0 2 4 6 8 10 12 14 16 18);
    if WORDS % 2 == 1 {
        // SAFETY: from the last word but one, so that nothing beyond the block is read.
        let (_, last) = unsafe { load_two(blocks, WORDS - 2) };
        state[WORDS - 1] = _mm512_xor_si512(state[WORDS - 1], last);
    }
}

/// Two words that follow each other of each message.
///
/// # Safety
/// Both can be read from each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn load_two(blocks: &[*const u8; LANES], word: usize) -> (Words, Words) {
    // SAFETY: the caller's promise, of sixteen bytes; the load may be unaligned.
    let two = |lane: usize| unsafe { _mm_loadu_si128(blocks[lane].add(8 * word).cast()) };
    let four = |lane: usize| {
        let words = _mm512_castsi128_si512(two(lane));
        let words = _mm512_mask_broadcast_i64x2(words, 0b0000_1100, two(lane + 2));
        let words = _mm512_mask_broadcast_i64x2(words, 0b0011_0000, two(lane + 4));
        _mm512_mask_broadcast_i64x2(words, 0b1100_0000, two(lane + 6))
    };
    let (even, odd) = (four(0), four(1));
    (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd))
}

/// Writes a block of each state.
///
/// # Safety
/// So many words can be written to each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn squeeze<const WORDS: usize>(state: &[Words; 25], blocks: &[*mut u8; LANES]) {
    for word in (0..WORDS - 1).step_by(2) {
        // SAFETY: the second word is within the block.
        unsafe { store_two(blocks, word, state[word], state[word + 1]) };
    }
    if WORDS % 2 == 1 {
        // SAFETY: the last word but one is written once more, so that nothing beyond the block is.
        unsafe { store_two(blocks, WORDS - 2, state[WORDS - 2], state[WORDS - 1]) };
    }
}

/// Writes two words that follow each other of each state.
///
/// # Safety
/// Both can be written to each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn store_two(blocks: &[*mut u8; LANES], word: usize, first: Words, second: Words) {
    let four = |lane: usize, words: Words| {
        let parts = [
            _mm512_extracti64x2_epi64::<0>(words),
            _mm512_extracti64x2_epi64::<1>(words),
            _mm512_extracti64x2_epi64::<2>(words),
            _mm512_extracti64x2_epi64::<3>(words),
        ];
        for (step, part) in parts.into_iter().enumerate() {
            // SAFETY: the caller's promise, of sixteen bytes; the store may be unaligned.
            unsafe { _mm_storeu_si128(blocks[lane + 2 * step].add(8 * word).cast(), part) };
        }
    };
    four(0, _mm512_unpacklo_epi64(first, second));
    four(1, _mm512_unpackhi_epi64(first, second));
}
