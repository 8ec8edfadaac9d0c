//! Findings about key encapsulation.

use super::AREA;
use crate::recommendation::{Against, Smallest, UseCase};

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[UseCase {
    name: "Key exchange",
    area: AREA,
    operations: &["keygen", "encapsulate", "decapsulate"],
    what: "keygen, encapsulate and decapsulate, one after the other",
    ..UseCase::USUAL
}];

/// Comparisons with classical algorithms.
pub(crate) const AGAINST: &[Against] =
    &[("Key exchange", AREA, &["keygen", "encapsulate", "decapsulate"], "ML-KEM-768", "X25519")];

/// Recommendation for the smallest key and ciphertext.
pub(crate) const SMALLEST: Smallest =
    (AREA, "encapsulate", "Smallest key and ciphertext", "public key and ciphertext together");
