//! Keccak-p\[1600\] with a word of the state in a register of its own: 25 of the 32 that AVX-512 gives. With three inputs to
//! a logical instruction and rotation in one, a round takes 95 instructions, of any width: of 512 bits for the words of
//! eight states ([`eight`]), of 128 bits for one ([`one`]), where a processor that has units of 256 bits does twice as
//! many at a time.

/// `a ^ b ^ c`, as the table of the logical instructions with three inputs.
const XOR3: i32 = 0x96;

/// `a ^ (!b & c)`.
const CHI: i32 = 0xd2;

pub(crate) mod eight;
pub(crate) mod one;
