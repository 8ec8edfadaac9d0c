//! The libraries: one file each, one line each in [`providers`].

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod compiled;
#[cfg(any(feature = "aws-lc", feature = "openssl"))]
mod contexts;
#[cfg(feature = "cryptogams")]
mod cryptogams;
#[cfg(feature = "fips")]
mod fips;
#[cfg(feature = "fn-dsa")]
mod fn_dsa;
#[cfg(feature = "keccak")]
mod keccak;
#[cfg(any(feature = "keccak", feature = "libcrux", feature = "liboqs"))]
mod lanes;
#[cfg(feature = "libcrux")]
mod libcrux;
#[cfg(feature = "liboqs")]
mod liboqs;
#[cfg(feature = "libsecp256k1")]
mod libsecp256k1;
#[allow(dead_code, reason = "the providers that ask depend on the features")]
mod messages;
#[cfg(any(feature = "fips", feature = "libcrux", feature = "rustcrypto"))]
mod ml_kem;
mod null;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;

#[cfg(test)]
mod testing;

use pqlab_primitives::Provider;
use std::sync::Arc;

/// What libraries ask that have no generator of their own.
#[allow(dead_code, reason = "the providers that ask depend on the features")]
const SYSTEM_GENERATOR: &str = "getrandom: the operating system, on each call";

/// Every provider that this build contains, one line each; a library with several code paths contributes one a path.
pub fn providers() -> Vec<Arc<Provider>> {
    let all: Vec<Vec<Provider>> = vec![
        #[cfg(feature = "aws-lc")]
        aws_lc::providers(),
        #[cfg(feature = "cryptogams")]
        cryptogams::providers(),
        #[cfg(feature = "fips")]
        fips::providers(),
        #[cfg(feature = "fn-dsa")]
        fn_dsa::providers(),
        #[cfg(feature = "keccak")]
        keccak::providers(),
        #[cfg(feature = "libcrux")]
        libcrux::providers(),
        #[cfg(feature = "liboqs")]
        liboqs::providers(),
        #[cfg(feature = "libsecp256k1")]
        libsecp256k1::providers(),
        #[cfg(feature = "openssl")]
        openssl::providers(),
        #[cfg(feature = "rustcrypto")]
        rustcrypto::providers(),
        null::providers(),
    ];
    all.into_iter().flatten().map(Arc::new).collect()
}
