//! The RustCrypto and dalek crates as a single provider in pure Rust.
//!
//! As in a deployment, secret keys are wiped on drop. For ML-KEM, ML-DSA and SLH-DSA, the crates' `zeroize` feature
//! does this. X25519, Ed25519 and ECDSA keys are wiped by default.

mod ecdsa;
mod ed25519;
mod ed25519_batch;
mod hash;
mod ml_dsa;
mod ml_kem;
mod prehash;
mod slh_dsa;
mod symmetric;
#[cfg(test)]
mod tests;
mod x25519;

use self::x25519::Dalek;
use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::draw::SYSTEM_GENERATOR;
use crate::shared::x25519::{kem, key_agreement};
use pqlab_primitives::{BuildInfo, Error, Provider, Result, Unsupported};

pub(crate) fn providers() -> Vec<Provider> {
    let mut provider = Provider::new("rustcrypto", build_info());
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    provider.kems = [ml_kem::kems(), vec![kem::<Dalek>()]].concat();
    provider.signatures =
        [ml_dsa::signatures(), slh_dsa::signatures(), vec![ed25519::signature()], ecdsa::signatures()].concat();
    provider.batch_verifiers = vec![ed25519_batch::batch_verifier()];
    provider.key_agreements = vec![key_agreement::<Dalek>()];
    provider.hashes = hash::hashes();
    provider.xofs = hash::xofs();
    provider.macs = symmetric::macs();
    provider.kdfs = symmetric::kdfs();
    provider.aeads = symmetric::aeads();
    provider.stream_ciphers = symmetric::stream_ciphers();
    provider.unsupported = vec![Unsupported {
        algorithm: "RSA-2048".to_owned(),
        reason: "the `rsa` crate is a release candidate, and the timing advisory RUSTSEC-2023-0071 is open".to_owned(),
    }];
    vec![provider]
}

fn build_info() -> BuildInfo {
    let crates = [
        "ml-kem",
        "ml-dsa",
        "slh-dsa",
        "x25519-dalek",
        "ed25519-dalek",
        "curve25519-dalek",
        "k256",
        "p256",
        "p384",
        "sha3",
        "shake",
        "keccak",
        "sha2",
        "hmac",
        "hkdf",
        "aes-gcm",
        "ctr",
    ];
    BuildInfo {
        version: crate_versions(&crates),
        build: format!(
            "{}; sha2, aes, polyval and curve25519-dalek choose their code at run time; Keccak: {}; secret keys are zeroized",
            compiled(),
            keccak_path()
        ),
    }
}

/// Returns a description of the code that the `keccak` crate selects at run time.
fn keccak_path() -> &'static str {
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha3") {
        return "the instructions for SHA-3 (FEAT_SHA3)";
    }
    "portable code"
}

/// Converts `bytes` to the crates' array reference type. Returns an error unless the length is `expected`.
fn sized<'a, T>(what: &'static str, expected: usize, bytes: &'a [u8]) -> Result<&'a T>
where
    T: ?Sized,
    &'a T: TryFrom<&'a [u8]>,
{
    bytes.try_into().map_err(|_| Error::Length { what, expected, actual: bytes.len() })
}
