//! Findings about certificates.

use super::AREA;
use crate::recommendation::UseCase;

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Issuing certificates",
        area: AREA,
        operations: &["build"],
        what: "building a certificate and signing it with every key",
        algorithms: |name| name != "X.509-Ed25519",
        ..UseCase::USUAL
    },
    UseCase {
        name: "Certificates",
        area: AREA,
        operations: &["verify"],
        what: "verifying every signature on a certificate",
        algorithms: |name| name != "X.509-Ed25519",
        ..UseCase::USUAL
    },
];
