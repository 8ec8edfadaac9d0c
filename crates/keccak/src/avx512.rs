//! Eight states in 25 registers: lane `i` of register `x + 5y` is word `A[x, y]` (FIPS 202, section 3.1.2) of state `i`.
//!
//! A block is brought into this order two words at a time: sixteen bytes of four messages fill a register by broadcasts
//! under a mask, which go through the load ports, and one pair of unpacks makes two registers of words of eight messages.

use crate::{Function, LANES};
use std::arch::x86_64::*;

/// One word of each state.
type Words = __m512i;

/// The longest rate, in bytes.
const LONGEST_RATE: usize = 168;

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
    let mut blocks = messages.map(|message| message.as_ptr());
    let mut left = messages[0].len();
    while left >= rate {
        // SAFETY: each message has `left` bytes from here on, at least a block.
        unsafe { absorb::<WORDS>(&mut state, &blocks) };
        permute(&mut state);
        // SAFETY: not beyond the end of the message.
        blocks = blocks.map(|block| unsafe { block.add(rate) });
        left -= rate;
    }

    let mut last = [[0_u8; LONGEST_RATE]; LANES];
    for (block, message) in last.iter_mut().zip(messages) {
        block[..left].copy_from_slice(&message[message.len() - left..]);
        block[left] = suffix;
        block[rate - 1] |= 0x80;
    }
    // SAFETY: each of the blocks is as long as the longest rate.
    unsafe { absorb::<WORDS>(&mut state, &last.each_ref().map(|block| block.as_ptr())) };

    let length = outs[0].len();
    let mut done = 0;
    while length - done >= rate {
        permute(&mut state);
        let places = outs.each_mut().map(|out| out[done..].as_mut_ptr());
        // SAFETY: each output has room for a block from here on.
        unsafe { squeeze::<WORDS>(&state, &places) };
        done += rate;
    }
    if done < length {
        permute(&mut state);
        // SAFETY: each of the blocks is as long as the longest rate.
        unsafe { squeeze::<WORDS>(&state, &last.each_mut().map(|block| block.as_mut_ptr())) };
        for (out, block) in outs.iter_mut().zip(&last) {
            out[done..].copy_from_slice(&block[..length - done]);
        }
    }
}

/// Adds a block of each message to the states.
///
/// # Safety
/// So many words can be read from each of the pointers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
unsafe fn absorb<const WORDS: usize>(state: &mut [Words; 25], blocks: &[*const u8; LANES]) {
    for word in (0..WORDS - 1).step_by(2) {
        // SAFETY: the second word is within the block.
        let (first, second) = unsafe { load_two(blocks, word) };
        state[word] = _mm512_xor_si512(state[word], first);
        state[word + 1] = _mm512_xor_si512(state[word + 1], second);
    }
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

/// The constants of iota (FIPS 202, section 3.2.5).
const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Keccak-p\[1600, 24\] on all states (FIPS 202, section 3.3).
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn permute(state: &mut [Words; 25]) {
    let mut a = *state;
    for constant in ROUND_CONSTANTS {
        a = round(&a, constant);
    }
    *state = a;
}

/// Theta, rho, pi, chi and iota (FIPS 202, section 3.2). Each row of the result gathers its words where pi says that they
/// come from, so that nothing is moved. To add both parities of theta to each word in one instruction takes fewer
/// instructions and yet more time: ten parities are then alive beside 25 words, and there are 32 registers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn round(a: &[Words; 25], constant: u64) -> [Words; 25] {
    let parity = |x: usize| xor3(xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
    let parities = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    let turned = parities.map(|parity| _mm512_rol_epi64::<1>(parity));
    let effect = |x: usize| _mm512_xor_si512(parities[(x + 4) % 5], turned[(x + 1) % 5]);
    let effects = [effect(0), effect(1), effect(2), effect(3), effect(4)];
    let theta = |word: usize| _mm512_xor_si512(a[word], effects[word % 5]);

    let [e0, e1, e2, e3, e4] = chi([
        theta(0),
        _mm512_rol_epi64::<44>(theta(6)),
        _mm512_rol_epi64::<43>(theta(12)),
        _mm512_rol_epi64::<21>(theta(18)),
        _mm512_rol_epi64::<14>(theta(24)),
    ]);
    let [e5, e6, e7, e8, e9] = chi([
        _mm512_rol_epi64::<28>(theta(3)),
        _mm512_rol_epi64::<20>(theta(9)),
        _mm512_rol_epi64::<3>(theta(10)),
        _mm512_rol_epi64::<45>(theta(16)),
        _mm512_rol_epi64::<61>(theta(22)),
    ]);
    let [e10, e11, e12, e13, e14] = chi([
        _mm512_rol_epi64::<1>(theta(1)),
        _mm512_rol_epi64::<6>(theta(7)),
        _mm512_rol_epi64::<25>(theta(13)),
        _mm512_rol_epi64::<8>(theta(19)),
        _mm512_rol_epi64::<18>(theta(20)),
    ]);
    let [e15, e16, e17, e18, e19] = chi([
        _mm512_rol_epi64::<27>(theta(4)),
        _mm512_rol_epi64::<36>(theta(5)),
        _mm512_rol_epi64::<10>(theta(11)),
        _mm512_rol_epi64::<15>(theta(17)),
        _mm512_rol_epi64::<56>(theta(23)),
    ]);
    let [e20, e21, e22, e23, e24] = chi([
        _mm512_rol_epi64::<62>(theta(2)),
        _mm512_rol_epi64::<55>(theta(8)),
        _mm512_rol_epi64::<39>(theta(14)),
        _mm512_rol_epi64::<41>(theta(15)),
        _mm512_rol_epi64::<2>(theta(21)),
    ]);
    let e0 = _mm512_xor_si512(e0, _mm512_set1_epi64(constant.cast_signed()));
    [e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18, e19, e20, e21, e22, e23, e24]
}

/// `a ^ b ^ c`.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn xor3(a: Words, b: Words, c: Words) -> Words {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

/// `a ^ (!b & c)` for each word of a row and the two that follow it.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn chi(row: [Words; 5]) -> [Words; 5] {
    let [a, b, c, d, e] = row;
    [
        _mm512_ternarylogic_epi64::<0xd2>(a, b, c),
        _mm512_ternarylogic_epi64::<0xd2>(b, c, d),
        _mm512_ternarylogic_epi64::<0xd2>(c, d, e),
        _mm512_ternarylogic_epi64::<0xd2>(d, e, a),
        _mm512_ternarylogic_epi64::<0xd2>(e, a, b),
    ]
}
