//! SHA-3 and SHAKE (FIPS 202), over eight messages of equal length at once ([`Lanes`]) or over one ([`Single`]).
//!
//! Keccak-p\[1600\] has 25 words of 64 bits. The vector code keeps each word in its own register: the same word of
//! eight states in 512 bits, of four states in 256 bits, or of one state in 128 bits. The backend is selected at run
//! time by the processor's features. If the vector code cannot run, the portable backend gives the same results.
//!
//! This crate does not allocate. States and padded blocks live on the stack and are not cleared.
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

/// Number of messages.
pub const LANES: usize = 8;

/// Reason why messages were not digested, or a backend is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A length in bytes differs from the others, or from the digest's.
    #[error("{what} of lane {lane}: {actual} bytes, expected {expected}")]
    Length {
        /// `message` or `output`.
        what: &'static str,
        /// Index of the message; 0 if there is only one.
        lane: usize,
        /// Length of the first, or of the function's digest.
        expected: usize,
        /// Actual length.
        actual: usize,
    },
    /// The processor or the target lacks a feature that the backend needs.
    #[error("{0}")]
    Unavailable(&'static str),
}

/// Implementation of the permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// States in registers, with AVX512F, AVX512DQ and AVX512VL.
    Avx512,
    /// Four states in 256-bit registers, with AVX2. Single messages use the portable code.
    Avx2,
    /// One state at a time, with the crate `keccak`, which uses the SHA-3 instructions of AArch64 if available.
    Portable,
}

impl Backend {
    /// All backends, fastest first.
    pub const ALL: [Backend; 3] = [Backend::Avx512, Backend::Avx2, Backend::Portable];

    /// Returns the user-visible name: `avx512`, `avx2`, `portable`.
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

/// Backend for eight messages that runs on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Checked on creation. The unsafe code below relies on it.
    backend: Backend,
}

impl Lanes {
    /// Selects a backend.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason, if it does not run on this processor.
    pub fn new(backend: Backend) -> Result<Lanes, Error> {
        backend.check().map(|()| Lanes { backend })
    }

    /// Selects the fastest backend that runs on this processor.
    pub fn fastest() -> Lanes {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Lanes::new(backend).ok());
        found.next().unwrap_or(Lanes { backend: Backend::Portable })
    }

    /// Returns the backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of each message to the output with the same index (FIPS 202, sections 4, 6.1 and 6.2). The
    /// output of a XOF fills the buffer.
    ///
    /// # Errors
    /// [`Error::Length`] if messages or outputs differ in length, or if the outputs do not have the length of the
    /// function's digest. Nothing is written then.
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
            // SAFETY: a value with this backend exists only if the instructions were detected. The lengths of messages
            // and of outputs were checked above.
            Backend::Avx512 => unsafe { avx512::eight::digest(function, messages, outs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value with this backend exists only if the instructions were detected. The lengths of messages
            // and of outputs were checked above.
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
