//! Keccak-p\[1600\] with each word of the state in its own register. AVX-512 provides 32 registers, and the state needs
//! 25. With three-input logical instructions and rotations, a round takes 95 instructions, regardless of the register
//! width. [`eight`] uses 512-bit registers for eight states. [`one`] uses 128-bit registers for a single state, because
//! processors with 256-bit units execute twice as many 128-bit as 512-bit instructions at a time.

/// Truth table of `a ^ b ^ c`, for three-input logical instructions.
const XOR3: i32 = 0x96;

/// Truth table of `a ^ (!b & c)`, for three-input logical instructions.
const CHI: i32 = 0xd2;

pub(crate) mod eight;
pub(crate) mod one;
