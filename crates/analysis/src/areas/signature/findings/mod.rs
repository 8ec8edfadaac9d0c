//! Findings about signatures.

pub(crate) mod batches;
pub(crate) mod lengths;
pub(crate) mod luck;
pub(crate) mod sizes;

use super::AREA;
use crate::recommendation::{Against, Smallest, UseCase};

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "High-volume signing",
        area: AREA,
        operations: &["sign"],
        what: "one signature, with a prepared key",
        ..UseCase::USUAL
    },
    UseCase {
        name: "High-volume verification",
        area: AREA,
        operations: &["verify"],
        what: "one verification, with a prepared key",
        ..UseCase::USUAL
    },
];

/// Comparisons with classical algorithms.
pub(crate) const AGAINST: &[Against] = &[
    ("Signing", AREA, &["sign"], "ML-DSA-65", "Ed25519"),
    ("Verifying", AREA, &["verify"], "ML-DSA-65", "Ed25519"),
    ("Verifying", AREA, &["verify"], "ML-DSA-65", "ECDSA-P-256"),
    ("Verifying", AREA, &["verify"], "Falcon-512", "Ed25519"),
];

/// Recommendation for the smallest public key and signature.
pub(crate) const SMALLEST: Smallest =
    (AREA, "verify", "Smallest key and signature", "public key plus longest signature");
