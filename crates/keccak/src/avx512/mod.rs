//! Keccak-p\[1600\] with each word of the state in its own register: 25 of the 32 that AVX-512 provides. With
//! three-input logical instructions and rotations, a round takes 95 instructions of any width. [`eight`] uses 512 bits
//! for the words of eight states. [`one`] uses 128 bits for a single state, as processors with 256-bit units execute
//! twice as many such instructions at a time.

/// Truth table of `a ^ b ^ c` for three-input logical instructions.
const XOR3: i32 = 0x96;

/// Truth table of `a ^ (!b & c)`.
const CHI: i32 = 0xd2;

pub(crate) mod eight;
pub(crate) mod one;
