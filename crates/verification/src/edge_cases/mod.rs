//! Ed25519 where the standards leave libraries free, or where libraries are freer than they: who accepts what. Nothing of it
//! passes or fails. What one library accepts and another refuses can split those who must agree, so it has to be known before
//! libraries are mixed.

mod make;

use crate::tally::caught;
use make::{EdgeCase, Flag};
use pqlab_primitives::{Provider, SignatureScheme};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What the edge cases are about.
pub const EDGE_CASES_OF: &str = "Ed25519";
/// What a selection is asked for them.
pub const EDGE_CASES: &str = "CCTV Ed25519 edge cases";

/// What a provider accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeCases {
    /// Its id.
    pub provider: String,
    /// By class, every class once and in the same order for all.
    pub classes: Vec<EdgeClass>,
    /// A bit for each case in the order of their numbers, set where it is accepted: in hexadecimal, the first case in the lowest
    /// bit of the first byte.
    pub accepted: String,
}

/// Cases of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeClass {
    /// What is special about them.
    pub class: String,
    /// How many there are.
    pub cases: u64,
    /// How many of them are accepted.
    pub accepted: u64,
}

impl EdgeClass {
    fn named(class: &str) -> EdgeClass {
        EdgeClass { class: class.to_owned(), cases: 0, accepted: 0 }
    }
}

/// The classes, and what a case of each has, one of these flags. A case is of the first class that it fits.
const CLASSES: &[(&str, &[Flag])] = &[
    ("the hash is over other encodings", &[Flag::ReencodedK]),
    ("R is not canonical", &[Flag::NonCanonicalR]),
    ("only right times the cofactor", &[Flag::LowOrderResidue]),
    ("A is not canonical", &[Flag::NonCanonicalA]),
    ("A is of small order", &[Flag::LowOrderA]),
    ("R is of small order", &[Flag::LowOrderR]),
    ("A or R has a part of small order", &[Flag::LowOrderComponentA, Flag::LowOrderComponentR]),
];

/// The class of what has none of these flags.
const ORDINARY: &str = "nothing special";

/// What a provider makes of the edge cases; `None` where it has no Ed25519.
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

/// A key that is refused is a signature that is refused.
fn accepts(scheme: &dyn SignatureScheme, case: &EdgeCase) -> bool {
    let verified = caught(|| {
        let key = scheme.load_verifying_key(&case.key)?;
        Ok(key.verify(&[], case.message.as_bytes(), &case.signature)?)
    });
    verified.is_ok()
}
