//! Findings about circuit handshakes.

use super::AREA;
use crate::recommendation::{Against, UseCase};

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Circuit handshakes",
        area: AREA,
        operations: &["handshake"],
        what: "a whole handshake that authenticates the relay",
        algorithms: |name| name.starts_with("ntor-"),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Circuit handshakes, relay side",
        area: AREA,
        operations: &["reply"],
        what: "one reply from an authenticated relay",
        algorithms: |name| name.starts_with("ntor-"),
        ..UseCase::USUAL
    },
];

/// Comparisons with classical algorithms.
pub(crate) const AGAINST: &[Against] = &[
    ("Circuit handshake", AREA, &["handshake"], "ntor-x25519-mlkem512", "ntor-v1"),
    ("Circuit handshake, relay not authenticated", AREA, &["handshake"], "kem-only-mlkem512", "ntor-v1"),
];
