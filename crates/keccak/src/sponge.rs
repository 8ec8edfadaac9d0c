//! The sponge construction over one state (FIPS 202, section 4), for any permutation.

use crate::Function;

/// State of Keccak-p\[1600\]: word `A[x, y]` has index `x + 5y` (FIPS 202, section 3.1.2).
pub(crate) type State = [u64; 25];

/// Largest rate of all functions, in bytes (SHAKE128).
pub(crate) const LONGEST_RATE: usize = 168;

/// Implementation of Keccak-p\[1600, 24\].
pub(crate) trait Permutation {
    /// Permutes the state.
    fn permute(&self, state: &mut State);

    /// Absorbs blocks of `rate` bytes: adds each block to the state, then permutes. Ignores bytes after the last whole
    /// block.
    fn absorb(&self, state: &mut State, rate: usize, blocks: &[u8]);
}

/// Absorbs and pads the message. Returns the permuted state, from which the first block can be squeezed.
pub(crate) fn absorbed(permutation: &impl Permutation, function: Function, message: &[u8]) -> State {
    let rate = function.rate();
    let mut state = [0; 25];
    let whole = message.len() - message.len() % rate;
    let (blocks, rest) = message.split_at(whole);
    if !blocks.is_empty() {
        permutation.absorb(&mut state, rate, blocks);
    }
    let mut last = [0; LONGEST_RATE];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = function.suffix();
    last[rate - 1] |= 0x80;
    permutation.absorb(&mut state, rate, &last[..rate]);
    state
}

/// Writes the digest of the message to `out`, or fills `out` for a XOF.
pub(crate) fn digest(permutation: &impl Permutation, function: Function, message: &[u8], out: &mut [u8]) {
    let mut state = absorbed(permutation, function, message);
    let mut blocks = out.chunks_mut(function.rate()).peekable();
    while let Some(block) = blocks.next() {
        write(&state, 0, block);
        if blocks.peek().is_some() {
            permutation.permute(&mut state);
        }
    }
}

/// Writes the bytes of the state to `out`, starting at byte `from` of the state.
pub(crate) fn write(state: &State, from: usize, out: &mut [u8]) {
    let (mut out, mut from) = (out, from);
    while !out.is_empty() {
        let bytes = state[from / 8].to_le_bytes();
        let bytes = &bytes[from % 8..];
        let (now, later) = out.split_at_mut(bytes.len().min(out.len()));
        now.copy_from_slice(&bytes[..now.len()]);
        from += now.len();
        out = later;
    }
}
