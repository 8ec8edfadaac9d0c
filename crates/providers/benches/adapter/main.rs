//! What the traits cost: a library through its adapter against a bare loop over the library's own call, interleaved.

#![allow(clippy::print_stdout)]

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod floor;
mod hash;
#[path = "../interleaved/mod.rs"]
mod interleaved;

use interleaved::Comparison;

/// Makes a comparison.
type Build = fn() -> Comparison;

/// The comparisons by name.
const ALL: &[(&str, Build)] = &[
    ("floor", floor::batched),
    #[cfg(feature = "aws-lc")]
    ("aws-lc-decapsulate", aws_lc::decapsulate),
    #[cfg(feature = "rustcrypto")]
    ("rustcrypto-sha3", hash::rustcrypto),
    #[cfg(feature = "openssl")]
    ("openssl-sha3", hash::openssl),
];

fn main() {
    let names = || ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    interleaved::compare(names, |name| {
        let found = ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, build)| build()).expect("a known comparison")
    });
}
