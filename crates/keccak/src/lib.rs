//! SHA-3 and SHAKE (FIPS 202), over eight messages of one length at once ([`Lanes`]) and over one ([`Single`]).
//!
//! Keccak-p\[1600\] is 25 words of 64 bits. The vector code keeps each word in a register of its own: the same word of all
//! eight states in one of 512 bits, one message a lane, or of four states in one of 256, or the word of one state in one of
//! 128 bits. Its backend is chosen by what the processor has when the program runs; where it cannot run, the portable one
//! gives the same answers.
//!
//! Nothing here allocates. States and padded blocks live on the stack and are not cleared afterwards.
//!
//! ```
//! use pqlab_keccak::{Function, LANES, Lanes};
//!
//! let messages = [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7"].map(|message| message.as_slice());
//! let mut digests = [[0; 32]; LANES];
//! Lanes::fastest().digest(Function::Sha3_256, &messages, &mut digests.each_mut().map(|digest| digest.as_mut_slice()))?;
//! assert_ne!(digests[0], digests[1]);
//! # Ok::<(), pqlab_keccak::Error>(())
//! ```

#![no_std]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod function;
#[cfg(target_arch = "x86_64")]
mod lane_sponge;
#[cfg(target_arch = "x86_64")]
mod permutation;
mod portable;
mod single;
mod sponge;

pub use function::Function;
pub use single::{Output, Single};

use pqlab_cpu::{Feature, is_hidden};

/// The number of messages.
pub const LANES: usize = 8;

/// Why messages were not digested, or a backend not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A length, in bytes, is not that of the others or not that of the digest.
    #[error("{what} of lane {lane}: {actual} bytes where {expected} are needed")]
    Length {
        /// `message` or `output`.
        what: &'static str,
        /// Which of the eight; 0 where there is one.
        lane: usize,
        /// The length that the first has, or that the function's digest has.
        expected: usize,
        /// The length that was given.
        actual: usize,
    },
    /// The processor, or the target, lacks what the backend needs.
    #[error("{0}")]
    Unavailable(&'static str),
}

/// The code that does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The states in registers, by the instructions AVX512F, AVX512DQ and AVX512VL.
    Avx512,
    /// Four states in registers of 256 bits, by AVX2; a single one as the portable backend has it.
    Avx2,
    /// One state after the other, by the crate `keccak`, which takes the instructions for SHA-3 of an AArch64 that has
    /// them.
    Portable,
}

impl Backend {
    /// All backends, the fastest first.
    pub const ALL: [Backend; 3] = [Backend::Avx512, Backend::Avx2, Backend::Portable];

    /// The name that a user sees: `avx512`, `avx2`, `portable`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Avx512 => "avx512",
            Backend::Avx2 => "avx2",
            Backend::Portable => "portable",
        }
    }

    fn check(self) -> Result<(), Error> {
        match self {
            Backend::Avx512 if cfg!(not(target_arch = "x86_64")) => {
                Err(Error::Unavailable("AVX-512 is an extension of x86-64"))
            }
            Backend::Avx512 if is_hidden(Feature::Avx512) => Err(Error::Unavailable(Feature::Avx512.hidden_reason())),
            Backend::Avx512 if !avx512_detected() => {
                Err(Error::Unavailable("the processor or the operating system lacks AVX512F, AVX512DQ or AVX512VL"))
            }
            Backend::Avx2 if cfg!(not(target_arch = "x86_64")) => {
                Err(Error::Unavailable("AVX2 is an extension of x86-64"))
            }
            Backend::Avx2 if is_hidden(Feature::Avx2) => Err(Error::Unavailable(Feature::Avx2.hidden_reason())),
            Backend::Avx2 if !avx2_detected() => {
                Err(Error::Unavailable("the processor or the operating system lacks AVX2"))
            }
            Backend::Avx512 | Backend::Avx2 | Backend::Portable => Ok(()),
        }
    }
}

/// A backend that runs here, ready to digest.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Checked when the value was made; what is unsafe below rests on it.
    backend: Backend,
}

impl Lanes {
    /// The backend, if it runs on this processor.
    ///
    /// # Errors
    /// [`Error::Unavailable`], with the reason.
    pub fn new(backend: Backend) -> Result<Lanes, Error> {
        backend.check().map(|()| Lanes { backend })
    }

    /// The fastest backend that runs on this processor.
    pub fn fastest() -> Lanes {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Lanes::new(backend).ok());
        found.next().unwrap_or(Lanes { backend: Backend::Portable })
    }

    /// Which one it is.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of each message to the output of the same index, or, of a XOF, as much output as there is room
    /// for (FIPS 202, sections 4, 6.1 and 6.2).
    ///
    /// # Errors
    /// [`Error::Length`] where messages or outputs differ in length, or outputs of a hash function have not the length
    /// of its digest. Nothing is written then.
    pub fn digest(
        self,
        function: Function,
        messages: &[&[u8]; LANES],
        outs: &mut [&mut [u8]; LANES],
    ) -> Result<(), Error> {
        let expected = function.digest_length().unwrap_or(outs[0].len());
        same_length("message", messages[0].len(), messages.iter().map(|message| message.len()))?;
        same_length("output", expected, outs.iter().map(|out| out.len()))?;
        match self.backend {
            Backend::Portable => {
                for (message, out) in messages.iter().zip(outs) {
                    sponge::digest(&portable::Portable, function, message, out);
                }
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value with this backend is made only where the instructions were detected; messages are of one
            // length, and so are outputs.
            Backend::Avx512 => unsafe { avx512::eight::digest(function, messages, outs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Backend::Avx2 => unsafe { avx2::eight(function, messages, outs) },
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 | Backend::Avx2 => unreachable!("`check` refuses it on this architecture"),
        }
        Ok(())
    }
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(detected_avx512, "avx512f", "avx512dq", "avx512vl");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(detected_avx2, "avx2");

fn avx512_detected() -> bool {
    #[cfg(target_arch = "x86_64")]
    return detected_avx512::get();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

fn avx2_detected() -> bool {
    #[cfg(target_arch = "x86_64")]
    return detected_avx2::get();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

fn same_length(what: &'static str, expected: usize, lengths: impl Iterator<Item = usize>) -> Result<(), Error> {
    for (lane, actual) in lengths.enumerate() {
        if actual != expected {
            return Err(Error::Length { what, lane, expected, actual });
        }
    }
    Ok(())
}
