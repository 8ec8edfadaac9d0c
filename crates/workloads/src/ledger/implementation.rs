//! Implementations of the ledger's signature schemes. A scheme comes from a single provider, except for the composite,
//! which comes from a pair.

use crate::pairs::{Pair, pairs};
use crate::{CaseOptions, NULL};
use pqlab_constructions::CompositeSignature;
use pqlab_constructions::ledger::Scheme;
use pqlab_primitives::{BatchVerifier, Hash, Provider, SignatureScheme};
use std::sync::Arc;

/// Implementation of one of the ledger's signature schemes.
#[derive(Clone)]
pub struct Implementation {
    /// Id of the provider, or of two providers joined by `+`, the classical one first.
    pub provider: String,
    /// The scheme, ready to use.
    pub scheme: Arc<dyn SignatureScheme>,
    /// Primitives that the implementation uses, as pairs of provider and algorithm.
    pub primitives: Vec<(String, String)>,
}

/// Returns all implementations of a scheme.
pub fn implementations(providers: &[Arc<Provider>], scheme: Scheme, options: &CaseOptions) -> Vec<Implementation> {
    let real: Vec<Arc<Provider>> = providers.iter().filter(|provider| provider.library != NULL).cloned().collect();
    if scheme != Scheme::Composite {
        let offered = real.iter().filter_map(|provider| plain(provider, scheme));
        return offered.collect();
    }
    let offers = |algorithm: &'static str| move |provider: &Provider| provider.signature(algorithm).is_some();
    let pairs = pairs(&real, options, offers("Ed25519"), offers("ML-DSA-65"));
    pairs.iter().filter_map(|pair| composite(providers, pair)).collect()
}

/// Returns a scheme's implementation from the provider, or pair of providers, with this id.
pub fn implementation(providers: &[Arc<Provider>], scheme: Scheme, id: &str) -> Option<Implementation> {
    if scheme == Scheme::Composite {
        let (classical, post_quantum) = id.split_once('+').unwrap_or((id, id));
        let pair = Pair { classical: classical.to_owned(), post_quantum: post_quantum.to_owned() };
        return composite(providers, &pair);
    }
    plain(providers.iter().find(|provider| provider.id() == id)?, scheme)
}

/// Returns a scheme's batch verifiers that report the validity of each signature, with the ids of their providers.
/// Other batch verifiers cannot be used, because a block accepts or rejects individual transactions.
pub fn batch_verifiers(providers: &[Arc<Provider>], scheme: Scheme) -> Vec<(String, Arc<dyn BatchVerifier>)> {
    let real = providers.iter().filter(|provider| provider.library != NULL);
    let ids = real.map(|provider| provider.id());
    ids.filter_map(|id| batch_verifier(providers, scheme, &id).map(|verifier| (id, verifier))).collect()
}

/// Returns a provider's batch verifier for a scheme. Returns `None` if there is no batch verifier that reports the
/// validity of each signature.
pub fn batch_verifier(providers: &[Arc<Provider>], scheme: Scheme, id: &str) -> Option<Arc<dyn BatchVerifier>> {
    let provider = providers.iter().find(|provider| provider.id() == id)?;
    provider.batch_verifier(scheme.algorithm()).filter(|verifier| verifier.answers_for_each()).cloned()
}

fn plain(provider: &Arc<Provider>, scheme: Scheme) -> Option<Implementation> {
    let algorithm = scheme.algorithm();
    Some(Implementation {
        provider: provider.id(),
        scheme: Arc::clone(provider.signature(algorithm)?),
        primitives: vec![(provider.id(), algorithm.to_owned())],
    })
}

fn composite(providers: &[Arc<Provider>], pair: &Pair) -> Option<Implementation> {
    let named = |id: &str| providers.iter().find(|provider| provider.id() == id);
    let (classical, post_quantum) = (named(&pair.classical)?, named(&pair.post_quantum)?);
    let (ed25519, ml_dsa) = (classical.signature("Ed25519")?, post_quantum.signature("ML-DSA-65")?);
    let hashing = |provider: &&Arc<Provider>| provider.library != NULL && provider.hash("SHA-512").is_some();
    let hashing = Some(classical).filter(hashing).or_else(|| providers.iter().find(hashing))?;
    let sha512: &Arc<dyn Hash> = hashing.hash("SHA-512")?;
    let composite = CompositeSignature::new(Arc::clone(ed25519), Arc::clone(ml_dsa), Arc::clone(sha512)).ok()?;
    Some(Implementation {
        provider: pair.id(),
        scheme: Arc::new(composite),
        primitives: vec![
            (pair.classical.clone(), "Ed25519".to_owned()),
            (pair.post_quantum.clone(), "ML-DSA-65".to_owned()),
            (hashing.id(), "SHA-512".to_owned()),
        ],
    })
}
