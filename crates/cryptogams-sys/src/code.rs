use crate::State;
#[cfg(cryptogams = "x86_64")]
use pqlab_cpu::{Feature, is_hidden};

/// A file, or one of the two code paths of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// `keccak1600-x86_64.pl`: the general registers.
    Scalar,
    /// `keccak1600-avx2.pl`.
    Avx2,
    /// `keccak1600-avx512.pl`: registers of 512 bits.
    Avx512,
    /// `keccak1600-avx512vl.pl`: the instructions of AVX-512 on registers of 256 bits.
    Avx512Vl,
    /// `keccak1600-armv8.pl`: the general registers.
    Armv8,
    /// `keccak1600-armv8.pl`: the instructions for SHA-3 (FEAT_SHA3).
    Armv8Sha3,
}

/// Why a backend does not run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub &'static str);

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 6] =
        [Backend::Scalar, Backend::Avx2, Backend::Avx512, Backend::Avx512Vl, Backend::Armv8, Backend::Armv8Sha3];

    /// The name that a user sees.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Scalar => "scalar",
            Backend::Avx2 => "avx2",
            Backend::Avx512 => "avx512",
            Backend::Avx512Vl => "avx512vl",
            Backend::Armv8 => "armv8",
            Backend::Armv8Sha3 => "armv8-sha3",
        }
    }

    /// The file of OpenSSL's source, in `crypto/sha/asm`.
    pub const fn file(self) -> &'static str {
        match self {
            Backend::Scalar => "keccak1600-x86_64.pl",
            Backend::Avx2 => "keccak1600-avx2.pl",
            Backend::Avx512 => "keccak1600-avx512.pl",
            Backend::Avx512Vl => "keccak1600-avx512vl.pl",
            Backend::Armv8 | Backend::Armv8Sha3 => "keccak1600-armv8.pl",
        }
    }
}

/// `SHA3_absorb(A, inp, len, r)`: absorbs whole blocks, returns how many bytes are left over.
type Absorb = unsafe extern "C" fn(*mut State, *const u8, usize, usize) -> usize;

/// `SHA3_squeeze(A, out, len, r, next)`: permutes between blocks, and where `next` is 1, before the first. The files for
/// AVX2 and AVX-512, and the path for FEAT_SHA3, do not read `next`: it is always 0 here. None takes a length of 0.
type Squeeze = unsafe extern "C" fn(*mut State, *mut u8, usize, usize, i32);

/// A backend that runs on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    absorb: Absorb,
    squeeze: Squeeze,
}

#[cfg_attr(not(any(cryptogams = "x86_64", cryptogams = "aarch64")), allow(unused_macros))]
macro_rules! code {
    ($absorb:ident, $squeeze:ident) => {{
        unsafe extern "C" {
            fn $absorb(state: *mut State, input: *const u8, length: usize, rate: usize) -> usize;
            fn $squeeze(state: *mut State, output: *mut u8, length: usize, rate: usize, next: i32);
        }
        Ok(Code { absorb: $absorb, squeeze: $squeeze })
    }};
}

impl Code {
    /// The code of a backend, if it is built and this processor runs it.
    ///
    /// # Errors
    /// [`Unavailable`], with the reason.
    #[cfg(cryptogams = "x86_64")]
    pub fn new(backend: Backend) -> Result<Code, Unavailable> {
        use std::arch::is_x86_feature_detected as has;
        let needed = match backend {
            Backend::Avx2 => Some(Feature::Avx2),
            Backend::Avx512 | Backend::Avx512Vl => Some(Feature::Avx512),
            Backend::Scalar | Backend::Armv8 | Backend::Armv8Sha3 => None,
        };
        if let Some(feature) = needed.filter(|feature| is_hidden(*feature)) {
            return Err(Unavailable(feature.hidden_reason()));
        }
        match backend {
            Backend::Scalar => code!(pqlab_keccak1600_x86_64_absorb, pqlab_keccak1600_x86_64_squeeze),
            Backend::Avx2 if !has!("avx2") => Err(Unavailable("the processor lacks AVX2")),
            Backend::Avx2 => code!(pqlab_keccak1600_avx2_absorb, pqlab_keccak1600_avx2_squeeze),
            Backend::Avx512 if !has!("avx512f") => Err(Unavailable("the processor lacks AVX512F")),
            Backend::Avx512 => code!(pqlab_keccak1600_avx512_absorb, pqlab_keccak1600_avx512_squeeze),
            Backend::Avx512Vl if !(has!("avx512f") && has!("avx512vl")) => {
                Err(Unavailable("the processor lacks AVX512VL"))
            }
            Backend::Avx512Vl => code!(pqlab_keccak1600_avx512vl_absorb, pqlab_keccak1600_avx512vl_squeeze),
            Backend::Armv8 | Backend::Armv8Sha3 => Err(Unavailable("code for AArch64")),
        }
    }

    /// The code of a backend, if it is built and this processor runs it.
    ///
    /// # Errors
    /// [`Unavailable`], with the reason.
    #[cfg(cryptogams = "aarch64")]
    pub fn new(backend: Backend) -> Result<Code, Unavailable> {
        match backend {
            Backend::Armv8 => code!(pqlab_keccak1600_armv8_absorb, pqlab_keccak1600_armv8_squeeze),
            Backend::Armv8Sha3 if !std::arch::is_aarch64_feature_detected!("sha3") => {
                Err(Unavailable("the processor lacks the instructions for SHA-3 (FEAT_SHA3)"))
            }
            Backend::Armv8Sha3 => code!(pqlab_keccak1600_armv8_absorb_cext, pqlab_keccak1600_armv8_squeeze_cext),
            Backend::Scalar | Backend::Avx2 | Backend::Avx512 | Backend::Avx512Vl => {
                Err(Unavailable("code for x86-64"))
            }
        }
    }

    /// The code of a backend, if it is built and this processor runs it.
    ///
    /// # Errors
    /// [`Unavailable`], with the reason.
    #[cfg(not(any(cryptogams = "x86_64", cryptogams = "aarch64")))]
    pub fn new(_backend: Backend) -> Result<Code, Unavailable> {
        Err(Unavailable("the assembly is built for x86-64 and AArch64 with ELF only"))
    }

    /// Absorbs as many whole blocks as `input` has, and returns the number of bytes after them.
    pub(crate) fn absorb(self, state: &mut State, input: &[u8], rate: usize) -> usize {
        // SAFETY: the processor runs the code; a state has 200 bytes; the rate is one of FIPS 202's, so that a block has
        // the four words at least that all files read; the input is read within its length.
        let left = unsafe { (self.absorb)(state, input.as_ptr(), input.len(), rate) };
        debug_assert_eq!(left, input.len() % rate);
        left
    }

    /// Squeezes, permuting between blocks and not before the first.
    pub(crate) fn squeeze(self, state: &mut State, out: &mut [u8], rate: usize) {
        assert!(!out.is_empty(), "none of the files takes a length of 0");
        // SAFETY: as for `absorb`; the output is written within its length, which is not 0.
        unsafe { (self.squeeze)(state, out.as_mut_ptr(), out.len(), rate, 0) };
    }
}
