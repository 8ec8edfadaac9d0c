//! Presents hybrids as providers. For each pair of providers, creates one provider, which offers the hybrid built from
//! the pair.

use crate::CaseOptions;
use crate::fastest::FASTEST;
use crate::hybrid::{
    HYBRID_KEMS, HYBRID_SIGNATURES, WITH_MOCK, hybrid_kem, hybrid_signature, kem_pairs, signature_pairs,
};
use pqlab_primitives::{BuildInfo, Provider};
use std::sync::Arc;

/// Returns the names of the hybrid KEMs and signatures with two real halves. The hybrid with a mock half is left out,
/// because the mock has no real keys.
pub fn hybrids() -> impl Iterator<Item = &'static str> {
    HYBRID_KEMS.into_iter().filter(|name| *name != WITH_MOCK).chain(HYBRID_SIGNATURES)
}

/// Returns a provider for each pair that can build the hybrid. The provider has the pair's name in case ids, such as
/// `aws-lc` or `aws-lc+liboqs`. Without `every`, returns only the pairs that a run measures by default. Returns an
/// empty list if the algorithm is not a hybrid.
pub fn constructed(providers: &[Arc<Provider>], algorithm: &str, every: bool) -> Vec<Arc<Provider>> {
    let half = every.then(|| FASTEST.to_owned());
    let options = CaseOptions { classical: half.clone(), post_quantum: half, ..CaseOptions::default() };
    let version = || BuildInfo { version: env!("CARGO_PKG_VERSION").to_owned(), build: "built by pqlab".to_owned() };
    let mut found = Vec::new();
    if HYBRID_KEMS.contains(&algorithm) && algorithm != WITH_MOCK {
        for pair in kem_pairs(providers, &options) {
            let Ok(kem) = hybrid_kem(algorithm, &pair, providers) else { continue };
            found.push(Arc::new(Provider { kems: vec![kem], ..Provider::new(&pair.id(), version()) }));
        }
    }
    if HYBRID_SIGNATURES.contains(&algorithm) {
        for pair in signature_pairs(providers, &options) {
            let Ok(scheme) = hybrid_signature(algorithm, &pair, providers) else { continue };
            found.push(Arc::new(Provider { signatures: vec![scheme], ..Provider::new(&pair.id(), version()) }));
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn builds_every_hybrid_from_each_capable_pair() {
        let providers = pqlab_providers::providers();
        for algorithm in hybrids() {
            let usual = constructed(&providers, algorithm, false);
            let ids = |made: &[Arc<Provider>]| made.iter().map(|provider| provider.id()).collect::<Vec<_>>();
            assert!(ids(&usual).contains(&"rustcrypto".to_owned()), "{algorithm}: {:?}", ids(&usual));
            assert!(usual.iter().all(|provider| provider.algorithms() == [algorithm]), "{algorithm}");
            let every = ids(&constructed(&providers, algorithm, true));
            assert!(
                every.len() > usual.len() && every.contains(&"aws-lc+rustcrypto".to_owned()),
                "{algorithm}: {every:?}"
            );
        }
        for other in ["ML-KEM-768", WITH_MOCK] {
            assert!(constructed(&providers, other, true).is_empty(), "{other}");
        }
    }
}
