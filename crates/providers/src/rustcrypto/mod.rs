//! The RustCrypto crates and the dalek crates: one provider, pure Rust, nothing linked.
//!
//! ML-KEM, ML-DSA and SLH-DSA keep secret keys that clear themselves when they are dropped (the crates' feature
//! `zeroize`), as a deployment would. X25519, Ed25519 and the curves do so by default.

mod ecdsa;
mod ed25519;
mod hash;
mod ml_dsa;
mod ml_kem;
mod prehash;
mod slh_dsa;
mod symmetric;
#[cfg(test)]
mod tests;
mod x25519;

use crate::SYSTEM_GENERATOR;
use crate::compiled::{compiled, crate_versions};
use pqlab_primitives::{BuildInfo, Error, Provider, Result, Unsupported};

pub(crate) fn providers() -> Vec<Provider> {
    let mut provider = Provider::new("rustcrypto", build_info());
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    provider.kems = [ml_kem::kems(), vec![x25519::kem()]].concat();
    provider.signatures =
        [ml_dsa::signatures(), slh_dsa::signatures(), vec![ed25519::signature()], ecdsa::signatures()].concat();
    provider.key_agreements = vec![x25519::key_agreement()];
    provider.hashes = hash::hashes();
    provider.xofs = hash::xofs();
    provider.macs = symmetric::macs();
    provider.kdfs = symmetric::kdfs();
    provider.aeads = symmetric::aeads();
    provider.unsupported = vec![Unsupported {
        algorithm: "RSA-2048".to_owned(),
        reason: "the `rsa` crate is a release candidate and its timing advisory RUSTSEC-2023-0071 is open".to_owned(),
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

/// What the crate `keccak` chooses at run time.
fn keccak_path() -> &'static str {
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha3") {
        return "the instructions for SHA-3 (FEAT_SHA3)";
    }
    "portable code"
}

/// Fills `out`, which must have exactly the length of `bytes`.
fn fill(what: &'static str, out: &mut [u8], bytes: &[u8]) -> Result<()> {
    Error::check_length(what, bytes.len(), out.len())?;
    out.copy_from_slice(bytes);
    Ok(())
}

/// Writes `bytes` to the front of `out` and returns their number.
fn write(what: &'static str, out: &mut [u8], bytes: &[u8]) -> Result<usize> {
    let actual = out.len();
    let front = out.get_mut(..bytes.len()).ok_or(Error::Length { what, expected: bytes.len(), actual })?;
    front.copy_from_slice(bytes);
    Ok(bytes.len())
}

/// The bytes as an array reference of the type that the crates take, if the length is right.
fn sized<'a, T>(what: &'static str, expected: usize, bytes: &'a [u8]) -> Result<&'a T>
where
    T: ?Sized,
    &'a T: TryFrom<&'a [u8]>,
{
    bytes.try_into().map_err(|_| Error::Length { what, expected, actual: bytes.len() })
}

/// Draws `out` from the operating system, as the crates do through `SysRng`.
fn draw(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Library { call: "getrandom::fill", detail: error.to_string() })
}

/// A context string goes into one length byte (FIPS 204, section 5.2; FIPS 205, section 10.2).
fn check_context(context: &[u8]) -> Result<()> {
    if context.len() > 255 {
        return Err(Error::Length { what: "context", expected: 255, actual: context.len() });
    }
    Ok(())
}

/// Schemes that standardise no context take the empty one alone.
fn no_context(context: &[u8]) -> Result<()> {
    if context.is_empty() { Ok(()) } else { Err(Error::Unsupported("the scheme has no context string")) }
}

/// Schemes that draw nothing when they sign are served by both kinds of coins, as long as none are given.
fn no_signing_coins(coins: pqlab_primitives::Coins) -> Result<()> {
    match coins {
        pqlab_primitives::Coins::Exact(bytes) => Error::check_length("coins", 0, bytes.len()),
        pqlab_primitives::Coins::Internal => Ok(()),
    }
}
