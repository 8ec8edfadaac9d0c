//! SHA-3 and SHAKE (FIPS 202), for eight messages of equal length in parallel ([`Lanes`]) or for one message
//! ([`Single`]).
//!
//! Keccak-p\[1600\] has 25 words of 64 bits. The vector code keeps each word in its own register. A register contains
//! the same word from each state: eight states in 512 bits, four in 256 bits, or one in 128 bits. The backend is
//! selected at run time according to the processor's features. The portable backend runs everywhere and gives the same
//! results.
//!
//! This crate does not allocate. States and padded blocks are kept on the stack and are not wiped.
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

/// Number of messages that [`Lanes`] processes in parallel.
pub const LANES: usize = 8;

/// Error from computing digests or selecting a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A message or an output has the wrong length, in bytes.
    #[error("{what} in lane {lane}: {actual} bytes, expected {expected}")]
    Length {
        /// `message` or `output`.
        what: &'static str,
        /// Index of the message; 0 if there is only one message.
        lane: usize,
        /// Length of the first message or output, or of the function's digest, in bytes.
        expected: usize,
        /// Actual length, in bytes.
        actual: usize,
    },
    /// The processor or the target does not support the backend.
    #[error("{0}")]
    Unavailable(&'static str),
}

/// Implementation of the permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// AVX512F, AVX512DQ and AVX512VL, with states in registers.
    Avx512,
    /// AVX2, with four states in 256-bit registers. Single messages use the portable code.
    Avx2,
    /// The `keccak` crate, one state at a time. It uses the SHA-3 instructions of AArch64 if available.
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

/// A backend that runs on this processor and computes the digests of eight messages in parallel.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Backend that this processor supports, as checked on creation. The unsafe code relies on this check.
    backend: Backend,
}

impl Lanes {
    /// Selects a backend.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason, if the backend does not run on this processor.
    pub fn new(backend: Backend) -> Result<Lanes, Error> {
        backend.check().map(|()| Lanes { backend })
    }

    /// Selects the fastest backend available on this processor.
    pub fn fastest() -> Lanes {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Lanes::new(backend).ok());
        found.next().unwrap_or(Lanes { backend: Backend::Portable })
    }

    /// Returns the backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of each message to the output with the same index (FIPS 202, sections 4, 6.1 and 6.2). For a
    /// XOF, fills each output.
    ///
    /// # Errors
    /// [`Error::Length`] if messages or outputs differ in length, or if the outputs are not as long as the function's
    /// digest. In that case, nothing is written.
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
            // SAFETY: values with this backend exist only on processors that support the instructions. The lengths of
            // messages and outputs were checked above.
            Backend::Avx512 => unsafe { avx512::eight::digest(function, messages, outs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: values with this backend exist only on processors that support the instructions. The lengths of
            // messages and outputs were checked above.
            Backend::Avx2 => unsafe { avx2::digest(function, messages, outs) },
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 | Backend::Avx2 => unreachable!("`check` rejects these backends here"),
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
