//! Checks that need no published answers. They generate inputs at run time for each provider, and inspect the secrets
//! in keys and signatures.

mod aead;
mod agreement;
mod ecdsa;
mod ed25519;
mod falcon;
mod hash;
mod mac;
mod ml_dsa;
mod ml_kem;
mod randomness;
mod verification;

use crate::suites::Suite;
pub(crate) use verification::{ML_DSA, NO_REMAINDER, NORM};

/// Tables of the suites.
pub(crate) static SUITES: [&[Suite]; 11] = [
    randomness::SUITES,
    ml_kem::SUITES,
    ml_dsa::SUITES,
    falcon::SUITES,
    verification::SUITES,
    ed25519::SUITES,
    ecdsa::SUITES,
    agreement::SUITES,
    hash::SUITES,
    mac::SUITES,
    aead::SUITES,
];

/// Returns pseudorandom bytes that depend on a label and a number. They are the same in every run and for every
/// provider.
fn bytes(label: &str, number: usize, length: usize) -> Vec<u8> {
    crate::ml_dsa::shake256(&[label.as_bytes(), &number.to_le_bytes()], length)
}
