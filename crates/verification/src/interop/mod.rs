//! Interoperability matrix: every ordered pair of providers, for every algorithm that both offer. Each provider is also
//! paired with itself, to check its consistency.

mod agreement;
mod kem;
mod signature;
mod symmetric;

use crate::Line;
use crate::checks::batches::InBatches;
use crate::tally::Tally;
use crate::verify::{Select, answering};
use pqlab_primitives::{BatchVerifier, Primitive, PrimitiveKind, Provider};
use sha2::{Digest, Sha256};
use signature::Signed;
use std::sync::Arc;

/// Suite name for lines of the matrix, also used in selections.
pub const INTEROPERABILITY: &str = "interoperability";

/// Suite name for lines in which the second provider verifies in batches.
pub const INTEROPERABILITY_IN_BATCHES: &str = "interoperability, in batches";

/// Checks every ordered pair of providers except `null`, and reports the pairs that contain a selected provider. The
/// first provider of a pair generates keys and signs. The second provider encapsulates and verifies. Batch verification
/// gets a separate line.
pub fn interop(providers: &[Arc<Provider>], select: &Select, report: &mut dyn FnMut(Line)) {
    let mut offers: Vec<(String, Primitive)> = Vec::new();
    let mut batches: Vec<(String, &Arc<dyn BatchVerifier>)> = Vec::new();
    let answering = answering(providers);
    for provider in &answering {
        let id = provider.id();
        batches.extend(provider.batch_verifiers.iter().map(|verifier| (id.clone(), verifier)));
        // Skip lane functions, because their suites already compare them with single functions.
        let paired = provider
            .primitives()
            .filter(|primitive| !matches!(primitive.kind(), PrimitiveKind::LaneHash | PrimitiveKind::BatchVerifier));
        offers.extend(paired.map(|primitive| (id.clone(), primitive)));
    }
    for like in alike(&offers, |(_, primitive)| (primitive.kind(), primitive.algorithm())) {
        for (first, one) in &like {
            let selected = |id: &String| select(id, one.algorithm(), INTEROPERABILITY);
            let is_selected = |second: &String| selected(first) || selected(second);
            let others: Vec<_> = like.iter().filter(|(second, _)| is_selected(second)).collect();
            let matches_scheme = |verifier: &Arc<dyn BatchVerifier>| {
                one.kind() == PrimitiveKind::Signature && verifier.parameters().algorithm == one.algorithm()
            };
            let batches: Vec<_> =
                batches.iter().filter(|(second, verifier)| matches_scheme(verifier) && is_selected(second)).collect();
            if others.is_empty() && batches.is_empty() {
                continue;
            }
            let signed =
                if let Primitive::Signature(scheme) = one { Some(Signed::make(scheme.as_ref())) } else { None };
            for (second, other) in others {
                let mut tally = Tally::default();
                pair(*one, *other, signed.as_ref(), &mut tally);
                report(tally.line(first, Some(second), one.algorithm(), INTEROPERABILITY));
            }
            if let (Primitive::Signature(one), Some(signed)) = (one, &signed) {
                for (second, verifier) in batches {
                    let mut tally = Tally::default();
                    signature::pair(signed, one.as_ref(), &InBatches::new(verifier), &mut tally);
                    signature::together(signed, verifier.as_ref(), &mut tally);
                    let algorithm = &one.info().parameters.algorithm;
                    report(tally.line(first, Some(second), algorithm, INTEROPERABILITY_IN_BATCHES));
                }
            }
        }
    }
}

/// Checks a pair of providers. `signed` contains the first provider's signatures. The caller computes them once and
/// passes them for all pairs, because signing may be slow.
fn pair(one: Primitive, other: Primitive, signed: Option<&Signed>, tally: &mut Tally) {
    match (one, other, signed) {
        (Primitive::Kem(one), Primitive::Kem(other), _) => kem::pair(one.as_ref(), other.as_ref(), tally),
        (Primitive::Signature(one), Primitive::Signature(other), Some(signed)) => {
            signature::pair(signed, one.as_ref(), other.as_ref(), tally);
        }
        (Primitive::KeyAgreement(one), Primitive::KeyAgreement(other), _) => {
            agreement::pair(one.as_ref(), other.as_ref(), tally);
        }
        (Primitive::Hash(one), Primitive::Hash(other), _) => {
            symmetric::hash_pair(one.as_ref(), other.as_ref(), tally);
        }
        (Primitive::Xof(one), Primitive::Xof(other), _) => symmetric::xof_pair(one.as_ref(), other.as_ref(), tally),
        (Primitive::Mac(one), Primitive::Mac(other), _) => symmetric::mac_pair(one.as_ref(), other.as_ref(), tally),
        (Primitive::Kdf(one), Primitive::Kdf(other), _) => symmetric::kdf_pair(one.as_ref(), other.as_ref(), tally),
        (Primitive::Aead(one), Primitive::Aead(other), _) => symmetric::aead_pair(one.as_ref(), other.as_ref(), tally),
        (Primitive::StreamCipher(one), Primitive::StreamCipher(other), _) => {
            symmetric::stream_pair(one.as_ref(), other.as_ref(), tally);
        }
        _ => {}
    }
}

/// Groups offers by `key`, which returns the kind and the algorithm of an offer. Sorts the groups by kind. Within a
/// kind, algorithms keep the order of their first offer.
fn alike<T: Clone, K: Ord, A: PartialEq>(offers: &[T], key: impl Fn(&T) -> (K, A)) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for offer in offers {
        let wanted = key(offer);
        match groups.iter_mut().find(|group| key(&group[0]) == wanted) {
            Some(group) => group.push(offer.clone()),
            None => groups.push(vec![offer.clone()]),
        }
    }
    groups.sort_by_key(|group| key(&group[0]).0);
    groups
}

/// Derives bytes from a label, as SHA-256 of the label and a counter. The bytes are the same in every run and for every
/// provider.
fn bytes(label: &str, length: usize) -> Vec<u8> {
    let blocks = (0..length.div_ceil(32) as u64).map(|counter| {
        Sha256::new().chain_update(label.as_bytes()).chain_update([0]).chain_update(counter.to_be_bytes()).finalize()
    });
    let mut bytes: Vec<u8> = blocks.flatten().collect();
    bytes.truncate(length);
    bytes
}

/// Returns the bytes with the lowest bit of the byte at `place` flipped.
fn flipped(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    if let Some(byte) = flipped.get_mut(place) {
        *byte ^= 1;
    }
    flipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_fixed_and_have_the_requested_length() {
        for length in [0, 1, 31, 32, 33, 1000] {
            assert_eq!(bytes("label", length).len(), length);
            assert_eq!(bytes("label", length), bytes("label", 1000)[..length]);
        }
        assert_ne!(bytes("label", 32), bytes("other", 32));
    }

    #[test]
    fn groups_equal_keys() {
        let offers = [("a", 2, "X"), ("a", 1, "Y"), ("b", 1, "Z"), ("b", 2, "X"), ("c", 1, "Y")];
        let groups = alike(&offers, |&(_, kind, algorithm)| (kind, algorithm));
        let ids = groups.iter().map(|group| group.iter().map(|(id, ..)| *id).collect::<String>());
        assert_eq!(ids.collect::<Vec<_>>(), ["ac", "b", "ab"]);
    }
}
