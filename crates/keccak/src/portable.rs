//! One state after the other, with the permutation of the crate `keccak`.

use crate::{Function, LANES};
use keccak::Keccak;

pub(crate) fn digest(function: Function, messages: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
    Keccak::new().with_f1600(|permute| {
        for (message, out) in messages.iter().zip(outs) {
            sponge(permute, function.rate(), function.suffix(), message, out);
        }
    });
}

fn sponge(permute: fn(&mut [u64; 25]), rate: usize, suffix: u8, message: &[u8], out: &mut [u8]) {
    let mut state = [0; 25];
    let mut blocks = message.chunks_exact(rate);
    for block in &mut blocks {
        absorb(&mut state, block);
        permute(&mut state);
    }
    let rest = blocks.remainder();
    let mut last = [0; 168];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = suffix;
    last[rate - 1] |= 0x80;
    absorb(&mut state, &last[..rate]);
    for block in out.chunks_mut(rate) {
        permute(&mut state);
        for (bytes, word) in block.chunks_mut(8).zip(&state) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
    }
}

fn absorb(state: &mut [u64; 25], block: &[u8]) {
    for (word, bytes) in state.iter_mut().zip(block.chunks_exact(8)) {
        *word ^= u64::from_le_bytes(bytes.try_into().expect("chunks of eight"));
    }
}
