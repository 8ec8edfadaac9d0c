//! The interoperability matrix: every ordered pair of providers, for every algorithm that both offer. A provider is also
//! paired with itself, which says whether it is of one mind.

mod agreement;
mod kem;
mod signature;
mod symmetric;

use crate::Line;
use crate::tally::Tally;
use crate::verify::{Select, answering};
use pqlab_primitives::Provider;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What a line of the matrix has for a suite.
pub const INTEROPERABILITY: &str = "interoperability";

/// Puts every provider to every other, and reports pair by pair. The first of a pair makes the keys and signs, the second
/// encapsulates and verifies. The provider `null` is left out.
pub fn interop(providers: &[Arc<Provider>], select: &Select, report: &mut dyn FnMut(Line)) {
    let providers: Vec<&Arc<Provider>> = answering(providers).collect();
    let all = Matrix { providers: &providers, select };
    all.of(|p| &p.kems, |kem| &kem.info().parameters.algorithm, |_| (), kem::pair, report);
    all.of(
        |p| &p.signatures,
        |scheme| &scheme.info().parameters.algorithm,
        signature::Signed::make,
        signature::pair,
        report,
    );
    all.of(|p| &p.key_agreements, |agreement| &agreement.info().parameters.algorithm, |_| (), agreement::pair, report);
    all.of(|p| &p.hashes, |hash| &hash.info().algorithm, |_| (), symmetric::hash_pair, report);
    all.of(|p| &p.xofs, |xof| &xof.info().algorithm, |_| (), symmetric::xof_pair, report);
    all.of(|p| &p.macs, |mac| mac.algorithm(), |_| (), symmetric::mac_pair, report);
    all.of(|p| &p.kdfs, |kdf| kdf.algorithm(), |_| (), symmetric::kdf_pair, report);
    all.of(|p| &p.aeads, |aead| aead.algorithm(), |_| (), symmetric::aead_pair, report);
}

struct Matrix<'a> {
    providers: &'a [&'a Arc<Provider>],
    select: &'a Select<'a>,
}

impl Matrix<'_> {
    /// All pairs of one kind of algorithm. `prepare` is done once for the first of a pair, because signing may be slow.
    fn of<'p, T: ?Sized + 'p, P>(
        &'p self,
        list: impl Fn(&'p Provider) -> &'p [Arc<T>],
        name: impl Fn(&'p T) -> &'p str,
        prepare: impl Fn(&'p T) -> P,
        pair: impl Fn(&P, &'p T, &'p T, &mut Tally),
        report: &mut dyn FnMut(Line),
    ) {
        let offers: Vec<(String, &str, &T)> = self
            .providers
            .iter()
            .flat_map(|provider| list(provider).iter().map(|offer| (provider.id(), offer.as_ref())))
            .map(|(id, offer)| (id, name(offer), offer))
            .filter(|(id, algorithm, _)| (self.select)(id, algorithm, INTEROPERABILITY))
            .collect();
        for (first, algorithm, one) in ordered(&offers) {
            let prepared = prepare(one);
            for (second, _, other) in offers.iter().filter(|(_, name, _)| name == algorithm) {
                let mut tally = Tally::default();
                pair(&prepared, one, other, &mut tally);
                report(tally.line(first, Some(second), algorithm, INTEROPERABILITY));
            }
        }
    }
}

/// The offers of one algorithm next to each other, algorithms in the order in which they first appear.
fn ordered<'o, T>(offers: &'o [(String, &'o str, T)]) -> Vec<&'o (String, &'o str, T)> {
    let mut algorithms: Vec<&str> = Vec::new();
    for (_, algorithm, _) in offers {
        if !algorithms.contains(algorithm) {
            algorithms.push(algorithm);
        }
    }
    algorithms.iter().flat_map(|algorithm| offers.iter().filter(move |(_, name, _)| name == algorithm)).collect()
}

/// Bytes that are the same in every run and for every provider: SHA-256 of the label and a counter.
fn bytes(label: &str, length: usize) -> Vec<u8> {
    let blocks = (0..length.div_ceil(32) as u64).map(|counter| {
        Sha256::new().chain_update(label.as_bytes()).chain_update([0]).chain_update(counter.to_be_bytes()).finalize()
    });
    let mut bytes: Vec<u8> = blocks.flatten().collect();
    bytes.truncate(length);
    bytes
}

/// The bytes with the lowest bit of one of them turned.
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
    fn inputs_are_fixed_and_as_long_as_asked() {
        for length in [0, 1, 31, 32, 33, 1000] {
            assert_eq!(bytes("label", length).len(), length);
            assert_eq!(bytes("label", length), bytes("label", 1000)[..length]);
        }
        assert_ne!(bytes("label", 32), bytes("other", 32));
    }

    #[test]
    fn offers_of_an_algorithm_stand_together() {
        let offers = [("a", "X"), ("a", "Y"), ("b", "Y"), ("b", "X")].map(|(id, name)| (id.to_owned(), name, ()));
        let ordered: Vec<(&str, &str)> = ordered(&offers).iter().map(|(id, name, ())| (id.as_str(), *name)).collect();
        assert_eq!(ordered, [("a", "X"), ("b", "X"), ("a", "Y"), ("b", "Y")]);
    }
}
