//! Adapters for the measured libraries. Each library has a folder and a line in the table below.

#[cfg(test)]
mod conformance;
mod null;
mod shared;

use pqlab_primitives::Provider;
use std::sync::Arc;

/// Passes the table of libraries to the `$expand` macro. Each line names a feature and the folder of a library. The
/// folder contains:
///
/// - `mod.rs` with `providers()`, which returns a provider for each of the library's code paths
/// - `bare.rs` or `bare/mod.rs`: direct calls to the library, which the `adapter` benchmark compares with the adapter
/// - `facts.json`: facts about the library other than its speed
/// - `timed.md`: the library's rows of the table in docs/explanation/timed-region.md
/// - `gaps.txt`, if needed: published test vectors that cannot be run through the library's interface
#[macro_export]
macro_rules! with_libraries {
    ($expand:ident) => {
        $expand! {
            "aws-lc" => aws_lc,
            "cryptogams" => cryptogams,
            "fips" => fips,
            "fn-dsa" => fn_dsa,
            "graviola" => graviola,
            "keccak" => keccak,
            "libcrux" => libcrux,
            "liboqs" => liboqs,
            "libsecp256k1" => libsecp256k1,
            "mldsa-batch" => mldsa_batch,
            "openssl" => openssl,
            "rustcrypto" => rustcrypto,
        }
    };
}

macro_rules! declare {
    ($($feature:literal => $module:ident,)*) => {
        $(#[cfg(feature = $feature)] mod $module;)*

        /// Feature names of the libraries in this build.
        pub const LIBRARIES: &[&str] = &[$(#[cfg(feature = $feature)] $feature,)*];

        /// Returns every provider in this build. The `null` provider, which does no work, comes last.
        pub fn providers() -> Vec<Arc<Provider>> {
            let all: Vec<Vec<Provider>> =
                vec![$(#[cfg(feature = $feature)] $module::providers(),)* null::providers()];
            all.into_iter().flatten().map(Arc::new).collect()
        }
    };
}
with_libraries!(declare);
