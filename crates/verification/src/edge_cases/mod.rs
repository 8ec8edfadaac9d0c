//! Ed25519 edge cases: signatures that the standards allow verifiers to accept or reject, and invalid signatures that
//! some libraries accept. These edge cases neither pass nor fail. If one library accepts a signature that another
//! rejects, an attacker can make two parties disagree. Users should know about such differences before they mix
//! libraries.

mod make;

use crate::tally::caught;
use make::{EdgeCase, Flag};
use pqlab_primitives::{Provider, SignatureScheme};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Algorithm that the edge cases test.
pub const EDGE_CASES_OF: &str = "Ed25519";
/// Name of the edge cases in a selection.
pub const EDGE_CASES: &str = "CCTV Ed25519 edge cases";

/// Edge cases that a provider accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeCases {
    /// Id of the provider.
    pub provider: String,
    /// Counts for each class. All providers list all classes in the same order.
    pub classes: Vec<EdgeClass>,
    /// One bit per edge case, in hexadecimal: set if the provider accepts the case. The first case is the lowest bit of
    /// the first byte.
    pub accepted: String,
}

/// Counts for one class of edge cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeClass {
    /// Property that all cases in the class share.
    pub class: String,
    /// Number of cases in the class.
    pub cases: u64,
    /// Number of cases in the class that the provider accepts.
    pub accepted: u64,
}

impl EdgeClass {
    fn named(class: &str) -> EdgeClass {
        EdgeClass { class: class.to_owned(), cases: 0, accepted: 0 }
    }
}

/// Classes with their flags. An edge case belongs to the first class that shares a flag with it.
const CLASSES: &[(&str, &[Flag])] = &[
    ("the hash covers re-encoded points", &[Flag::ReencodedK]),
    ("R is not canonical", &[Flag::NonCanonicalR]),
    ("valid only with the cofactor", &[Flag::LowOrderResidue]),
    ("A is not canonical", &[Flag::NonCanonicalA]),
    ("A is of small order", &[Flag::LowOrderA]),
    ("R is of small order", &[Flag::LowOrderR]),
    ("A or R has a component of small order", &[Flag::LowOrderComponentA, Flag::LowOrderComponentR]),
];

/// Class of edge cases without a flag from [`CLASSES`].
const ORDINARY: &str = "nothing special";

/// Runs the edge cases with a provider. Returns `None` if the provider does not offer Ed25519.
pub fn edge_cases(provider: &Provider) -> Option<EdgeCases> {
    static CASES: OnceLock<Vec<EdgeCase>> = OnceLock::new();
    let scheme = provider.signature(EDGE_CASES_OF)?;
    let cases = CASES.get_or_init(make::edge_cases);
    let mut classes: Vec<EdgeClass> =
        CLASSES.iter().map(|(class, _)| *class).chain([ORDINARY]).map(EdgeClass::named).collect();
    let mut bits = vec![0_u8; cases.len().div_ceil(8)];
    for case in cases {
        let fits = |(_, flags): &(&str, &[Flag])| flags.iter().any(|flag| case.flags().contains(flag));
        let class = &mut classes[CLASSES.iter().position(fits).unwrap_or(CLASSES.len())];
        class.cases += 1;
        if accepts(scheme.as_ref(), case) {
            class.accepted += 1;
            bits[case.number / 8] |= 1 << (case.number % 8);
        }
    }
    Some(EdgeCases { provider: provider.id(), classes, accepted: hex::encode(bits) })
}

/// Returns whether the provider accepts the signature. Rejecting the key counts as rejecting the signature.
fn accepts(scheme: &dyn SignatureScheme, case: &EdgeCase) -> bool {
    let verified = caught(|| {
        let key = scheme.load_verifying_key(&case.key)?;
        Ok(key.verify(&[], case.message.as_bytes(), &case.signature)?)
    });
    verified.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::{BatchVerifier, Claim, ClaimKey, SignedMessage};
    use std::collections::BTreeSet;

    /// Returns whether the verifier accepts every signature in a batch of `times` copies.
    fn in_batch(verifier: &dyn BatchVerifier, case: &EdgeCase, times: usize) -> bool {
        let message = SignedMessage::Pure { context: &[], message: case.message.as_bytes() };
        let claim = Claim { key: ClaimKey::Encoded(&case.key), message, signature: &case.signature };
        verifier.verify(&vec![claim; times]).iter().all(Result::is_ok)
    }

    /// Compares batch verification with single verification. In batches, `ed25519-dalek` decodes `R` instead of
    /// comparing encodings, and omits the cofactor. Verdicts on signatures with a component of small order therefore
    /// vary between batches. A batch may accept such a signature although single verification rejects it. All other
    /// signatures must get the same verdict either way.
    #[test]
    fn batches_and_single_verification_differ_only_for_components_of_small_order() {
        let providers = pqlab_providers::providers();
        let provider = providers.iter().find(|provider| provider.library == "rustcrypto").unwrap();
        let (scheme, verifier) =
            (provider.signature(EDGE_CASES_OF).unwrap(), provider.batch_verifier(EDGE_CASES_OF).unwrap());
        // Classes in which only batches accept some signatures, and classes in which only single verification does.
        let mut differ = [BTreeSet::new(), BTreeSet::new()];
        let mut ordinary = 0;
        for case in make::edge_cases() {
            let fits = |(_, flags): &(&str, &[Flag])| flags.iter().any(|flag| case.flags().contains(flag));
            let class = CLASSES.iter().find(|class| fits(class)).map_or(ORDINARY, |(class, _)| *class);
            let alone = accepts(scheme.as_ref(), &case);
            ordinary += usize::from(class == ORDINARY && alone);
            for times in [1, 9] {
                if in_batch(verifier.as_ref(), &case, times) != alone {
                    differ[usize::from(alone)].insert(class);
                }
            }
        }
        let [in_a_batch, alone] = differ;
        let classes = |range: &[usize]| range.iter().map(|index| CLASSES[*index].0).collect::<BTreeSet<_>>();
        assert_eq!(in_a_batch, classes(&[0, 1, 2]));
        assert_eq!(alone, classes(&[0, 3, 4, 5, 6]));
        assert!(ordinary > 0 && !in_a_batch.contains(ORDINARY) && !alone.contains(ORDINARY));
    }
}
