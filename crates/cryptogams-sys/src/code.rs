use crate::State;
#[cfg(cryptogams = "x86_64")]
use pqlab_cpu::{Feature, is_hidden};

/// A code path in OpenSSL's Keccak assembly. On x86-64, each file is one code path. The file for AArch64 contains two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// `keccak1600-x86_64.pl`: general-purpose registers.
    Scalar,
    /// `keccak1600-avx2.pl`.
    Avx2,
    /// `keccak1600-avx512.pl`: 512-bit registers.
    Avx512,
    /// `keccak1600-avx512vl.pl`: AVX-512 instructions on 256-bit registers.
    Avx512Vl,
    /// `keccak1600-armv8.pl`: general-purpose registers.
    Armv8,
    /// `keccak1600-armv8.pl`: SHA-3 instructions (FEAT_SHA3).
    Armv8Sha3,
}

/// Reason why a backend is not available here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub &'static str);

impl Backend {
    /// All backends.
    pub const ALL: [Backend; 6] =
        [Backend::Scalar, Backend::Avx2, Backend::Avx512, Backend::Avx512Vl, Backend::Armv8, Backend::Armv8Sha3];

    /// Returns the backend's user-visible name.
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

    /// Returns the name of the file in `crypto/sha/asm` in OpenSSL's source.
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

/// `SHA3_absorb(A, inp, len, r)`: absorbs whole blocks and returns the number of bytes left over.
type Absorb = unsafe extern "C" fn(*mut State, *const u8, usize, usize) -> usize;

/// `SHA3_squeeze(A, out, len, r, next)`: permutes between blocks and, if `next` is 1, also before the first block.
/// pqlab always passes 0, because the files for AVX2, AVX-512 and FEAT_SHA3 ignore `next`. No file accepts a length of
/// 0.
type Squeeze = unsafe extern "C" fn(*mut State, *mut u8, usize, usize, i32);

/// The functions of a backend that this processor supports.
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
    /// Returns the functions of a backend.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, if the backend is not built or does not run on this processor.
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
            Backend::Armv8 | Backend::Armv8Sha3 => Err(Unavailable("the code requires AArch64")),
        }
    }

    /// Returns the functions of a backend.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, if the backend is not built or does not run on this processor.
    #[cfg(cryptogams = "aarch64")]
    pub fn new(backend: Backend) -> Result<Code, Unavailable> {
        match backend {
            Backend::Armv8 => code!(pqlab_keccak1600_armv8_absorb, pqlab_keccak1600_armv8_squeeze),
            Backend::Armv8Sha3 if !std::arch::is_aarch64_feature_detected!("sha3") => {
                Err(Unavailable("the processor lacks the instructions for SHA-3 (FEAT_SHA3)"))
            }
            Backend::Armv8Sha3 => code!(pqlab_keccak1600_armv8_absorb_cext, pqlab_keccak1600_armv8_squeeze_cext),
            Backend::Scalar | Backend::Avx2 | Backend::Avx512 | Backend::Avx512Vl => {
                Err(Unavailable("the code requires x86-64"))
            }
        }
    }

    /// Returns the functions of a backend.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, if the backend is not built or does not run on this processor.
    #[cfg(not(any(cryptogams = "x86_64", cryptogams = "aarch64")))]
    pub fn new(_backend: Backend) -> Result<Code, Unavailable> {
        Err(Unavailable("the assembly is built only for x86-64 and AArch64 with ELF"))
    }

    /// Absorbs the whole blocks in `input` and returns the number of bytes left over.
    pub(crate) fn absorb(self, state: &mut State, input: &[u8], rate: usize) -> usize {
        // SAFETY: `Code` values exist only on processors that run the code. A state has 200 bytes. Some code reads the
        // start of a block unconditionally, but fewer than nine words, the smallest rate in FIPS 202. Otherwise, the
        // code reads only whole blocks within the length of the input.
        let left = unsafe { (self.absorb)(state, input.as_ptr(), input.len(), rate) };
        debug_assert_eq!(left, input.len() % rate);
        left
    }

    /// Squeezes output, permuting between blocks but not before the first block.
    pub(crate) fn squeeze(self, state: &mut State, out: &mut [u8], rate: usize) {
        assert!(!out.is_empty(), "the output must not be empty: no file accepts a length of 0");
        // SAFETY: `Code` values exist only on processors that run the code. A state has 200 bytes,
        // and the rate is one from FIPS 202. The code writes at most `out.len()` bytes, and
        // `out` is not empty.
        unsafe { (self.squeeze)(state, out.as_mut_ptr(), out.len(), rate, 0) };
    }
}
