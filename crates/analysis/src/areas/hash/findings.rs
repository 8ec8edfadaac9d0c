//! Findings about hash functions.

use super::AREA;
use crate::recommendation::UseCase;

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Hashing",
        area: AREA,
        operations: &["digest"],
        what: "one SHA3-256 digest",
        algorithms: |name| name == "SHA3-256",
        by_the_byte: true,
        ..UseCase::USUAL
    },
    UseCase {
        name: "Extendable output",
        area: AREA,
        operations: &["digest"],
        what: "one SHAKE128 output",
        algorithms: |name| name == "SHAKE128",
        by_the_byte: true,
        ..UseCase::USUAL
    },
];
