//! Findings on certificates.

use super::AREA;
use crate::recommendation::UseCase;

/// The use cases of the area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Issuing certificates",
        area: AREA,
        operations: &["build"],
        what: "a certificate built and signed by every key",
        algorithms: |name| name != "X.509-Ed25519",
        ..UseCase::USUAL
    },
    UseCase {
        name: "Certificates",
        area: AREA,
        operations: &["verify"],
        what: "verifying every signature of a certificate",
        algorithms: |name| name != "X.509-Ed25519",
        ..UseCase::USUAL
    },
];
