//! Pairs of providers for constructions with two halves. A pair is named `aws-lc`, or `aws-lc+liboqs` if the halves
//! have different providers.

use crate::CaseOptions;
use crate::fastest::FASTEST;
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::sync::Arc;

/// Providers of the classical half and the post-quantum half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Provider of X25519, Ed25519, hashes, MACs and KDFs.
    pub(crate) classical: String,
    /// Provider of ML-KEM and ML-DSA.
    pub(crate) post_quantum: String,
}

impl Pair {
    /// Returns the pair that a case names.
    pub(crate) fn new(case: &Case) -> Pair {
        let (classical, post_quantum) = case.provider.split_once('+').unwrap_or((&case.provider, &case.provider));
        Pair { classical: classical.to_owned(), post_quantum: post_quantum.to_owned() }
    }

    /// Returns the pair's name in case ids.
    pub(crate) fn id(&self) -> String {
        if self.classical == self.post_quantum {
            self.classical.clone()
        } else {
            format!("{}+{}", self.classical, self.post_quantum)
        }
    }
}

/// Returns the pairs to measure, from the providers that offer the halves. By default, a provider that offers both
/// halves is paired with itself. A provider that offers only the post-quantum half is paired with the first one that
/// offers the classical half. If the options name a provider for a half, returns every combination that matches.
/// `fastest` matches every provider; [`keeps`](crate::fastest::keeps) later selects the pair for each construction.
pub(crate) fn pairs(
    providers: &[Arc<Provider>],
    options: &CaseOptions,
    classical: impl Fn(&Provider) -> bool,
    post_quantum: impl Fn(&Provider) -> bool,
) -> Vec<Pair> {
    let named = |wanted: &Option<String>, provider: &Provider| {
        wanted
            .as_ref()
            .is_none_or(|wanted| *wanted == FASTEST || *wanted == provider.id() || *wanted == provider.library)
    };
    let first: Vec<&Arc<Provider>> =
        providers.iter().filter(|provider| classical(provider) && named(&options.classical, provider)).collect();
    let second: Vec<&Arc<Provider>> =
        providers.iter().filter(|provider| post_quantum(provider) && named(&options.post_quantum, provider)).collect();
    let mixed = options.classical.is_some() || options.post_quantum.is_some();
    let mut pairs = Vec::new();
    for half in &second {
        let own = first.iter().any(|other| other.id() == half.id());
        for other in &first {
            let same = other.id() == half.id();
            // The null provider is paired only with itself, because a pair with one real half gives no useful figure.
            if (other.library == crate::NULL) != (half.library == crate::NULL) {
                continue;
            }
            if mixed || same || (!own && first.first().is_some_and(|first| first.id() == other.id())) {
                pairs.push(Pair { classical: other.id(), post_quantum: half.id() });
            }
        }
    }
    pairs
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ids(classical: Option<&str>, post_quantum: Option<&str>) -> Vec<String> {
        let providers = pqlab_providers::providers();
        let options = CaseOptions {
            classical: classical.map(str::to_owned),
            post_quantum: post_quantum.map(str::to_owned),
            ..CaseOptions::default()
        };
        let has_kem = |provider: &Provider| provider.kem("ML-KEM-768").is_some() || provider.library == crate::NULL;
        let pairs = pairs(&providers, &options, |provider| !provider.key_agreements.is_empty(), has_kem);
        pairs.iter().map(Pair::id).collect()
    }

    #[test]
    fn pairs_providers_with_themselves_and_halves_with_the_first_whole_one() {
        let ids = ids(None, None);
        assert!(ids.contains(&"rustcrypto".to_owned()) && ids.contains(&"null".to_owned()), "{ids:?}");
        assert!(ids.iter().any(|id| id.ends_with("+libcrux:portable")), "{ids:?}");
        assert!(ids.iter().all(|id| !id.contains("null+") && !id.contains("+null")), "{ids:?}");
    }

    #[test]
    fn combines_requested_halves_in_every_way() {
        assert_eq!(ids(Some("rustcrypto"), Some("libcrux:portable")), ["rustcrypto+libcrux:portable"]);
        assert!(ids(Some("rustcrypto"), Some("libcrux")).iter().all(|id| id.starts_with("rustcrypto+libcrux:")));
    }
}
