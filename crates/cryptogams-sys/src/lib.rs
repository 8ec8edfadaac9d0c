//! CRYPTOGAMS' Keccak assembly by Andy Polyakov: the files `keccak1600-*.pl` in OpenSSL's source, each with unique
//! symbol names. OpenSSL itself builds only the scalar file for x86-64, regardless of the processor.
//!
//! A [`Sponge`] implements FIPS 202 with the permutation, absorbing and squeezing of one file. [`Code`] contains the
//! functions of one [`Backend`], and exists only for backends that run on this processor. The order of the words in a
//! state depends on the file, so a state must not be passed from one file to another.
//!
//! This crate does not allocate. States are not wiped on drop.

mod code;

pub use code::{Backend, Code, Unavailable};

/// Version of the OpenSSL source from which the assembly is generated.
pub const VERSION: &str = env!("PQLAB_OPENSSL_SRC_VERSION");

/// Length of a state in bytes.
const STATE: usize = 200;

/// State, with the words in the order of one file.
type State = [u64; STATE / 8];

/// Parameters of a function in FIPS 202.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Number of bytes that one permutation absorbs or squeezes: a multiple of 8, from 72 to 168.
    rate: usize,
    /// Suffix bits that follow the message, and the first padding bit (FIPS 202, appendix B.2).
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

/// A state that has absorbed a message and yields output.
#[derive(Clone)]
pub struct Sponge {
    code: Code,
    rate: usize,
    /// State, with the words in the order of the backend's file.
    state: State,
    /// The last squeezed block. The first `used` bytes have already been returned.
    block: [u8; STATE],
    used: usize,
    /// Whether the state has been squeezed since the last permutation.
    spent: bool,
}

impl Sponge {
    /// Absorbs and pads a whole message.
    pub fn absorb(code: Code, parameters: Parameters, message: &[u8]) -> Sponge {
        let state = absorbed(code, parameters, message);
        Sponge { code, rate: parameters.rate, state, block: [0; STATE], used: parameters.rate, spent: false }
    }

    /// Fills `out` with the next bytes of the output.
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

    /// Squeezes whole blocks. A call permutes between blocks, but in most files not before the first one. After an
    /// earlier call, this method therefore permutes first, by absorbing a block of zeros.
    fn blocks(&mut self, out: &mut [u8]) {
        if self.spent {
            self.code.absorb(&mut self.state, &[0; STATE][..self.rate], self.rate);
        }
        self.code.squeeze(&mut self.state, out, self.rate);
        self.spent = true;
    }
}

/// Writes the digest of the message to `out`, or fills `out` for a XOF.
pub fn digest(code: Code, parameters: Parameters, message: &[u8], out: &mut [u8]) {
    let mut state = absorbed(code, parameters, message);
    if !out.is_empty() {
        code.squeeze(&mut state, out, parameters.rate);
    }
}

/// Returns the state after absorbing the message and its padding.
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
