//! liboqs, built from source and called through `oqs-sys`.
//!
//! The library has no key objects. Every call takes an encoded key, decodes and expands the key, and checks the key
//! if the standard requires a check. A prepared key therefore saves only the copying. A malformed key of the right
//! length fails on first use, not on loading.
//!
//! The provider creates one liboqs object per algorithm at the start. The object is an immutable
//! table of functions and lengths, so all keys and threads share it. The library selects the code
//! path behind each function from the CPU's features.

mod fips202;
mod hash;
mod kem;
mod lanes;
mod signature;
#[cfg(test)]
mod tests;

use crate::shared::compiled::crate_version;
use oqs_sys::common::{self as oqs, OQS_CPU_EXT as Extension};
use oqs_sys::rand;
use pqlab_adapters::{FillRandom, OqsGenerator};
use pqlab_primitives::{BuildInfo, Error, Provider, Result, SignatureParameters, Unsupported};
use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

/// Returns a provider with every algorithm that both pqlab and liboqs support. The provider lists algorithms that are
/// not enabled in this build of liboqs as unsupported.
pub(crate) fn providers() -> Vec<Provider> {
    // SAFETY: `OQS_init` may be called at any time and repeatedly. It only detects the CPU's
    // features.
    unsafe { oqs::OQS_init() };
    let mut provider = Provider::new("liboqs", build_info());
    provider.generator = Some("OQS_randombytes (the operating system, on each call)".to_owned());
    provider.replaceable_generator = Some(Arc::new(generator()));
    for algorithm in kem::ALGORITHMS {
        match kem::MlKem::new(algorithm) {
            Ok(kem) => provider.kems.push(Arc::new(kem)),
            Err(error) => provider.unsupported.push(unsupported(algorithm, &error.to_string())),
        }
    }
    for algorithm in signature::ALGORITHMS {
        match signature::Scheme::new(algorithm) {
            Ok(scheme) => provider.signatures.push(Arc::new(scheme)),
            Err(error) => provider.unsupported.push(unsupported(algorithm, &error.to_string())),
        }
    }
    provider.hashes = hash::hashes();
    provider.xofs = hash::xofs();
    provider.lane_hashes = lanes::lane_hashes();
    provider.unsupported.push(unsupported("SHA3-224", "liboqs does not offer SHA3-224"));
    provider.unsupported.extend(SignatureParameters::of_standard("FIPS 205").map(|set| {
        unsupported(
            set,
            "liboqs 0.13 does not offer FIPS 205; it offers SPHINCS+ from round 3.1 under a different name",
        )
    }));
    vec![provider]
}

fn generator() -> OqsGenerator {
    unsafe extern "C" fn set(generator: Option<FillRandom>) {
        // SAFETY: the caller passes a function that lives as long as the process.
        unsafe { rand::OQS_randombytes_custom_algorithm(generator) };
    }
    unsafe extern "C" fn switch(name: *const c_char) -> c_int {
        // SAFETY: the caller passes a name that ends with NUL.
        let status = unsafe { rand::OQS_randombytes_switch_algorithm(name) };
        c_int::from(status != rand::OQS_STATUS::OQS_SUCCESS)
    }
    OqsGenerator { set, switch }
}

fn unsupported(algorithm: &str, reason: &str) -> Unsupported {
    Unsupported { algorithm: algorithm.to_owned(), reason: reason.to_owned() }
}

fn build_info() -> BuildInfo {
    // SAFETY: the version string lives as long as the library.
    let version = unsafe { CStr::from_ptr(oqs::OQS_version()) }.to_string_lossy().into_owned();
    let extensions: Vec<&str> = EXTENSIONS.iter().filter(|(_, ext)| has(*ext)).map(|(name, _)| *name).collect();
    let extensions = if extensions.is_empty() { "none".to_owned() } else { extensions.join(" ") };
    let dispatch = if oqs::OQS_DIST_BUILD == 1 { "chosen at run time" } else { "fixed" };
    BuildInfo {
        version,
        build: format!(
            "oqs-sys {}; Release build (-O3) for a {} CPU, vector code {dispatch} (OQS_DIST_BUILD={}); CPU extensions \
             found: {extensions}; without OpenSSL: SHA-2, SHA-3 and AES are the library's own; Keccak over four messages: {}",
            crate_version("oqs-sys"),
            String::from_utf8_lossy(oqs::OQS_OPT_TARGET).trim_end_matches('\0'),
            oqs::OQS_DIST_BUILD,
            four_messages(),
        ),
    }
}

/// Returns a description of the Keccak code that hashes four messages. The library selects one of two implementations.
fn four_messages() -> &'static str {
    let vector = cfg!(target_arch = "x86_64") && has(Extension::OQS_CPU_EXT_AVX2);
    if vector { "four states in AVX2 registers" } else { "one state at a time" }
}

/// CPU extensions that the library checks before using vector code.
const EXTENSIONS: [(&str, Extension); 13] = [
    ("avx", Extension::OQS_CPU_EXT_AVX),
    ("avx2", Extension::OQS_CPU_EXT_AVX2),
    ("avx512", Extension::OQS_CPU_EXT_AVX512),
    ("aes", Extension::OQS_CPU_EXT_AES),
    ("adx", Extension::OQS_CPU_EXT_ADX),
    ("bmi1", Extension::OQS_CPU_EXT_BMI1),
    ("bmi2", Extension::OQS_CPU_EXT_BMI2),
    ("pclmulqdq", Extension::OQS_CPU_EXT_PCLMULQDQ),
    ("popcnt", Extension::OQS_CPU_EXT_POPCNT),
    ("arm-neon", Extension::OQS_CPU_EXT_ARM_NEON),
    ("arm-aes", Extension::OQS_CPU_EXT_ARM_AES),
    ("arm-sha2", Extension::OQS_CPU_EXT_ARM_SHA2),
    ("arm-sha3", Extension::OQS_CPU_EXT_ARM_SHA3),
];

fn has(extension: Extension) -> bool {
    // SAFETY: the function accepts every value of the enumeration.
    unsafe { oqs::OQS_CPU_has_extension(extension) == 1 }
}

/// Returns `Ok` if the status means success, otherwise `fault`. The library reports failures without a reason.
fn check(status: oqs::OQS_STATUS, fault: Error) -> Result<()> {
    if status == oqs::OQS_STATUS::OQS_SUCCESS { Ok(()) } else { Err(fault) }
}

fn library(call: &'static str) -> Error {
    Error::Library { call, detail: String::new() }
}
