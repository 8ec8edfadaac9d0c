//! AWS-LC, through aws-lc-sys. pqlab does not use aws-lc-rs, because only the lower layer offers deterministic
//! functions.
//!
//! The adapter calls public functions wherever they exist, as users of the library do. `ffi.rs` lists the exceptions
//! and the reasons for them. A key object contains the library's key and a pool of contexts for this key. The library
//! does not expand keys in advance. Every ML-KEM and ML-DSA call decodes the key and expands the matrix, and every
//! ML-KEM call checks the key (FIPS 203, sections 7.2 and 7.3). A prepared key therefore saves only the copying of the
//! key and the creation of a context.

mod ecdsa;
mod ed25519;
mod error;
mod ffi;
mod handle;
mod hash;
mod hpke;
mod ml_dsa;
mod ml_kem;
mod pkey;
mod rsa;
mod symmetric;
#[cfg(test)]
mod tests;
mod x25519;

use crate::shared::compiled::crate_version;
#[cfg(target_arch = "x86_64")]
use crate::shared::cpu::hide_in;
use aws_lc_sys as aws;
use pqlab_primitives::{BuildInfo, Provider, SignatureParameters, Unsupported};
use std::ffi::CStr;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::Ordering;

/// Returns a single provider, because the library selects the code path from the CPU features and gives callers no
/// choice.
pub(crate) fn providers() -> Vec<Provider> {
    let mut provider = Provider::new("aws-lc", build_info());
    provider.generator = Some("RAND_bytes (the library's CTR_DRBG, one per thread)".to_owned());
    provider.kems = ml_kem::kems().chain(x25519::kem()).collect();
    provider.signatures =
        ml_dsa::schemes().chain(ed25519::scheme()).chain(ecdsa::schemes()).chain(rsa::scheme()).collect();
    provider.key_agreements = vec![x25519::key_agreement()];
    provider.hashes = hash::hashes().collect();
    provider.xofs = hash::xofs().collect();
    provider.macs = vec![symmetric::hmac()];
    provider.kdfs = vec![symmetric::hkdf()];
    provider.aeads = vec![symmetric::aes_gcm()];
    provider.stream_ciphers = vec![symmetric::aes_ctr()];
    provider.hpke = hpke::all().collect();
    provider.unsupported = slh_dsa().collect();
    vec![provider]
}

fn build_info() -> BuildInfo {
    // SAFETY: `CRYPTO_library_init` may be called repeatedly. The other calls only read constants
    // of the library.
    let (version, assembly, fips) = unsafe {
        aws::CRYPTO_library_init();
        let version = CStr::from_ptr(aws::OpenSSL_version(aws::OPENSSL_VERSION));
        (version.to_string_lossy(), aws::CRYPTO_has_asm() == 1, aws::FIPS_mode() == 1)
    };
    let fips = if fips { "FIPS module" } else { "no FIPS module" };
    let assembly = if assembly { "assembly" } else { "no assembly" };
    let features = cpu_features();
    let features = if features.is_empty() { "not reported".to_owned() } else { features.join(" ") };
    BuildInfo {
        // The version string is "AWS-LC 5.12.0" or "AWS-LC FIPS 5.12.0".
        version: version.rsplit(' ').next().unwrap_or(&version).to_owned(),
        build: format!(
            "aws-lc-sys {}, {fips}, {assembly}, CPU features in use: {features}",
            crate_version("aws-lc-sys")
        ),
    }
}

/// Hides from the library the CPU features that the user disabled. Returns the CPU features that the library uses.
#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    // Name of a feature, index of a word in the library's table, and the bits that must all be set
    // in this word. The bits come from the library's header.
    const FEATURES: [(&str, usize, u32); 13] = [
        ("ssse3", 1, 1 << 9),
        ("sse4.1", 1, 1 << 19),
        ("pclmulqdq", 1, 1 << 1),
        ("aes", 1, 1 << 25),
        ("avx", 1, 1 << 28),
        ("avx2", 2, 1 << 5),
        ("bmi2", 2, 1 << 8),
        ("adx", 2, 1 << 19),
        ("sha", 2, 1 << 29),
        ("avx512", 2, 0xC003_0000),
        ("avx512ifma", 2, 0xC023_0000),
        ("vaes", 3, 1 << 9),
        ("vpclmulqdq", 3, 1 << 10),
    ];
    // SAFETY: `build_info` has initialized the library. Initialization filled the table, and the
    // library now only reads it.
    let words = unsafe { &ffi::OPENSSL_ia32cap_P };
    hide_in(words);
    let has = |word: usize, bits: u32| words[word].load(Ordering::Relaxed) & bits == bits;
    FEATURES.iter().filter(|(_, word, bits)| has(*word, *bits)).map(|(name, ..)| *name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

fn slh_dsa() -> impl Iterator<Item = Unsupported> {
    SignatureParameters::of_standard("FIPS 205").map(|algorithm| Unsupported {
        algorithm: algorithm.to_owned(),
        reason: "AWS-LC does not implement SLH-DSA (FIPS 205)".to_owned(),
    })
}
