//! The libraries: a folder each, and a line each in the table below.

#[cfg(test)]
mod conformance;
mod null;
mod shared;

use pqlab_primitives::Provider;
use std::sync::Arc;

/// Hands the table of libraries to the macro that is named. A line is a feature and its folder, in which are:
///
/// - `mod.rs` with `providers()`: one for each of the library's code paths that this processor can run
/// - `bare.rs` or `bare/mod.rs`: the library's own calls, with which the benchmark `adapter` compares the adapter
/// - `facts.json`: what is known of the library besides its speed
/// - `timed.md`: its rows in METHODOLOGY's table of what the timed region includes
/// - `gaps.txt`: published vectors that it cannot be asked, if there are any
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
with_libraries!(declare);
