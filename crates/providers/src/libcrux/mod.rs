//! libcrux: formally verified code, with one crate per family of algorithms. Each code path is a separate provider,
//! which calls the module for this code path (`portable`, `avx2`, `neon`). The providers do not use the crates'
//! run-time dispatch.
//!
//! The crates take all randomness as arguments. For [`Coins::Internal`], the provider gets random bytes from the
//! operating system, as the crates' `rand` interfaces would with the operating system's generator.

mod hash;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod ml_dsa;
mod ml_kem;
#[cfg(test)]
mod tests;

use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::draw::SYSTEM_GENERATOR;
#[cfg(target_arch = "x86_64")]
use pqlab_cpu::{Feature, is_hidden};
use pqlab_primitives::{Backend, BuildInfo, Provider, Unsupported};

/// Returns a provider for the portable code path. If this CPU can run a vector code path, also returns a provider for
/// that.
pub(crate) fn providers() -> Vec<Provider> {
    let mut portable = provider("portable");
    portable.kems = ml_kem::portable::kems();
    portable.signatures = ml_dsa::portable();
    portable.hashes = hash::hashes();
    portable.xofs = hash::xofs();

    let mut providers = vec![portable];
    providers.extend(vectorised());
    if providers.len() == 1 {
        providers[0].build_info.build.push_str("; this CPU cannot run the crates' vector code");
    }
    providers
}

#[cfg(target_arch = "x86_64")]
fn vectorised() -> Option<Provider> {
    if !is_x86_feature_detected!("avx2") || is_hidden(Feature::Avx2) {
        return None;
    }
    let mut provider = provider("avx2");
    provider.kems = ml_kem::avx2::kems();
    provider.signatures = ml_dsa::avx2();
    provider.lane_hashes = lanes::lane_hashes();
    provider.unsupported = one_message_at_a_time(
        "the AVX2 code hashes four messages concurrently, and SHAKE256 is its only function for messages of any length",
    );
    Some(provider)
}

/// Returns a provider for the NEON code path, which every AArch64 CPU can run.
#[cfg(target_arch = "aarch64")]
fn vectorised() -> Option<Provider> {
    let mut provider = provider("neon");
    provider.kems = ml_kem::neon::kems();
    provider.signatures = ml_dsa::neon();
    provider.lane_hashes = lanes::lane_hashes();
    provider.unsupported = one_message_at_a_time(
        "the NEON code hashes two messages concurrently, and SHAKE256 is its only function for messages of any length",
    );
    Some(provider)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn vectorised() -> Option<Provider> {
    None
}

fn provider(backend: &str) -> Provider {
    let build_info = BuildInfo {
        version: crate_versions(&["libcrux-ml-kem", "libcrux-ml-dsa", "libcrux-sha3"]),
        build: format!(
            "{}; {backend} code; generated ML-KEM keys are kept unpacked; the crates do not wipe their keys",
            compiled()
        ),
    };
    let mut provider = Provider::new("libcrux", build_info);
    provider.backend = Some(Backend(backend.to_owned()));
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    provider
}

/// Lists the functions that the vector code does not offer for single messages, with the reason.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn one_message_at_a_time(reason: &str) -> Vec<Unsupported> {
    ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHAKE128"]
        .into_iter()
        .map(|algorithm| Unsupported {
            algorithm: algorithm.to_owned(),
            reason: format!("{reason}; single messages use the portable code"),
        })
        .collect()
}
