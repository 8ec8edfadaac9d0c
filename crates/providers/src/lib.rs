//! The libraries: one file or folder each, one line each in the table below.

#[cfg(test)]
mod conformance;
mod null;
mod shared;

use pqlab_primitives::Provider;
use std::sync::Arc;

/// A line is a feature and the module that stands behind it, whose `providers()` are those of the library: one for each
/// of its code paths that this processor can run.
macro_rules! libraries {
    ($($feature:literal => $module:ident,)*) => {
        $(#[cfg(feature = $feature)] mod $module;)*

        /// The libraries that this build contains.
        pub const LIBRARIES: &[&str] = &[$(#[cfg(feature = $feature)] $feature,)*];

        /// Every provider that this build contains, the one that does nothing last.
        pub fn providers() -> Vec<Arc<Provider>> {
            let all: Vec<Vec<Provider>> =
                vec![$(#[cfg(feature = $feature)] $module::providers(),)* null::providers()];
            all.into_iter().flatten().map(Arc::new).collect()
        }
    };
}

libraries! {
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
