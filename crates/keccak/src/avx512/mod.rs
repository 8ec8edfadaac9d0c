//! Keccak-p\[1600\] with each word of the state in its own register: AVX-512 provides 32 registers, and 25 are needed.
//! With three-input logical instructions and rotations, a round takes 95 instructions, whatever the register width.
//! [`eight`] uses 512 bits for words from eight states. [`one`] uses 128 bits for a single state, because processors
//! with 256-bit units execute twice as many such instructions at a time.

/// Truth table of `a ^ b ^ c`, for three-input logical instructions.
const XOR3: i32 = 0x96;

/// Truth table of `a ^ (!b & c)`, for three-input logical instructions.
const CHI: i32 = 0xd2;

pub(crate) mod eight;
pub(crate) mod one;
