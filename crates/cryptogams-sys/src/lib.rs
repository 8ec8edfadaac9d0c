//! CRYPTOGAMS' Keccak in assembly, by Andy Polyakov: the files `keccak1600-*.pl` of OpenSSL's source, each under a name of
//! its own. OpenSSL builds only the scalar one for x86-64, whatever the processor.
//!
//! A [`Sponge`] is what FIPS 202 says, with the permutation, the absorbing and the squeezing of one of the files: of a
//! [`Code`], which is a [`Backend`] that runs here. The files differ in the order in which they keep the words of a
//! state: a state is never handed from one to another.
//!
//! Nothing here allocates; a state is not cleared when it is dropped.

mod code;

pub use code::{Backend, Code, Unavailable};

/// The version of the source that the assembly is generated from.
pub const VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");

/// The bytes of a state.
const STATE: usize = 200;

/// A state, in the order of one of the files.
type State = [u64; STATE / 8];

/// A function of FIPS 202, by what tells one from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bytes that one permutation absorbs or squeezes: a multiple of 8 from 72 to 168.
    rate: usize,
    /// The bits after the message and the first bit of the padding (FIPS 202, appendix B.2).
    suffix: u8,
}

impl Parameters {
    /// SHA3-224.
    pub const SHA3_224: Parameters = Parameters { rate: 144, suffix: 0x06 };
    /// SHA3-256.
    pub const SHA3_256: Parameters = Parameters { rate: 136, suffix: 0x06 };
    /// SHA3-384.
    pub const SHA3_384: Parameters = Parameters { rate: 104, suffix: 0x06 };
    /// SHA3-512.
    pub const SHA3_512: Parameters = Parameters { rate: 72, suffix: 0x06 };
    /// SHAKE128.
    pub const SHAKE128: Parameters = Parameters { rate: 168, suffix: 0x1f };
    /// SHAKE256.
    pub const SHAKE256: Parameters = Parameters { rate: 136, suffix: 0x1f };
}

/// A state that has absorbed its message.
#[derive(Clone)]
pub struct Sponge {
    code: Code,
    rate: usize,
    /// In the order of the backend's file.
    state: State,
    /// The block squeezed last, of which the first `used` bytes are given away.
    block: [u8; STATE],
    used: usize,
    /// Whether the state has been squeezed since it was permuted.
    spent: bool,
}

impl Sponge {
    /// Absorbs the whole message and pads it.
    pub fn absorb(code: Code, parameters: Parameters, message: &[u8]) -> Sponge {
        let state = absorbed(code, parameters, message);
        Sponge { code, rate: parameters.rate, state, block: [0; STATE], used: parameters.rate, spent: false }
    }

    /// The next bytes of the output.
    pub fn squeeze(&mut self, out: &mut [u8]) {
        let ready = out.len().min(self.rate - self.used);
        let (front, out) = out.split_at_mut(ready);
        front.copy_from_slice(&self.block[self.used..self.used + ready]);
        self.used += ready;
        let (blocks, rest) = out.split_at_mut(out.len() - out.len() % self.rate);
        if !blocks.is_empty() {
            self.blocks(blocks);
        }
        if !rest.is_empty() {
            let mut block = [0; STATE];
            self.blocks(&mut block[..self.rate]);
            rest.copy_from_slice(&block[..rest.len()]);
            self.block = block;
            self.used = rest.len();
        }
    }

    /// Whole blocks. Most of the files permute between blocks of one call only, not before the first: a block of zeros
    /// that is absorbed permutes the state too.
    fn blocks(&mut self, out: &mut [u8]) {
        if self.spent {
            self.code.absorb(&mut self.state, &[0; STATE][..self.rate], self.rate);
        }
        self.code.squeeze(&mut self.state, out, self.rate);
        self.spent = true;
    }
}

/// Writes the digest of the message, or so much output as there is room for.
pub fn digest(code: Code, parameters: Parameters, message: &[u8], out: &mut [u8]) {
    let mut state = absorbed(code, parameters, message);
    if !out.is_empty() {
        code.squeeze(&mut state, out, parameters.rate);
    }
}

/// The state after the message and its padding.
fn absorbed(code: Code, Parameters { rate, suffix }: Parameters, message: &[u8]) -> State {
    let mut state = [0; STATE / 8];
    let left = if message.len() < rate { message.len() } else { code.absorb(&mut state, message, rate) };
    let mut last = [0; STATE];
    last[..left].copy_from_slice(&message[message.len() - left..]);
    last[left] = suffix;
    last[rate - 1] |= 0x80;
    code.absorb(&mut state, &last[..rate], rate);
    state
}
