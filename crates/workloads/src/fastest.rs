//! `fastest`, as a name of a provider: a pilot says which of them does a half in the least time on this machine. The plan
//! then names the provider itself, so that the figures say what was measured and a run that goes on has the same pair.

use crate::{NULL, Options};
use pqlab_harness::clock::monotonic_ns;
use pqlab_primitives::{Coins, Kem, Provider, Result as LibraryResult, SignatureScheme};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The name.
const FASTEST: &str = "fastest";
/// Attempts, of which the least counts, and operations in each: a hundredth of a second for each provider.
const ATTEMPTS: usize = 8;
const OPERATIONS: usize = 8;

/// The options with each `fastest` replaced by the provider that it stands for.
pub(crate) fn resolve(
    options: &Options,
    classical: impl Fn() -> Option<String>,
    post_quantum: impl Fn() -> Option<String>,
) -> Options {
    let named = |wanted: &Option<String>, fastest: &dyn Fn() -> Option<String>| match wanted.as_deref() {
        Some(FASTEST) => fastest(),
        _ => wanted.clone(),
    };
    Options {
        classical: named(&options.classical, &classical),
        post_quantum: named(&options.post_quantum, &post_quantum),
        ..options.clone()
    }
}

/// The provider with the fastest handshake of a KEM.
pub(crate) fn kem(providers: &[Arc<Provider>], algorithm: &str) -> Option<String> {
    least(providers, "kem", algorithm, |provider| {
        let kem = provider.kem(algorithm)?;
        pilot(|| handshake(kem.as_ref()))
    })
}

/// The provider with the fastest cycle of key generation, signing and verification, of those that make keys from seeds and
/// can sign without randomness where the scheme has any: without both, the difference to a hybrid would be luck.
pub(crate) fn signature(providers: &[Arc<Provider>], algorithm: &str) -> Option<String> {
    least(providers, "signature", algorithm, |provider| {
        let scheme = provider.signature(algorithm)?;
        let info = scheme.info();
        if !info.coins.keygen || (info.parameters.signing_coins > 0 && !info.coins.operation) {
            return None;
        }
        pilot(|| cycle(scheme.as_ref()))
    })
}

/// What was found before, by kind, algorithm and the providers to choose from: all selections of a plan have the same
/// pair, however close the second is.
static FOUND: Mutex<Option<HashMap<Question, Option<String>>>> = Mutex::new(None);

type Question = (&'static str, String, Vec<String>);

fn least(
    providers: &[Arc<Provider>],
    kind: &'static str,
    algorithm: &str,
    time_ns: impl Fn(&Provider) -> Option<u64>,
) -> Option<String> {
    let real = || providers.iter().filter(|provider| provider.library != NULL);
    let key = (kind, algorithm.to_owned(), real().map(|provider| provider.id()).collect());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let pilots = || real().filter_map(|provider| Some((time_ns(provider)?, provider.id()))).min().map(|(_, id)| id);
    found.get_or_insert_default().entry(key).or_insert_with(pilots).clone()
}

/// The least time in ns; `None` where the library fails.
fn pilot(operation: impl Fn() -> LibraryResult<()>) -> Option<u64> {
    let mut least = None;
    for _ in 0..ATTEMPTS {
        let started = monotonic_ns();
        for _ in 0..OPERATIONS {
            operation().ok()?;
        }
        let taken = monotonic_ns() - started;
        least = Some(least.map_or(taken, |least: u64| least.min(taken)));
    }
    least
}

fn handshake(kem: &dyn Kem) -> LibraryResult<()> {
    let parameters = &kem.info().parameters;
    let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
    let key = kem.generate(Coins::Internal)?;
    key.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
    key.decapsulate(&ciphertext, &mut secret)
}

fn cycle(scheme: &dyn SignatureScheme) -> LibraryResult<()> {
    let mut signature = vec![0; scheme.info().parameters.signature];
    let key = scheme.generate(Coins::Internal)?;
    let length = key.sign(&[], b"pilot", Coins::Internal, &mut signature)?;
    key.verifying_key()?.verify(&[], b"pilot", &signature[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fastest_is_one_of_those_that_have_the_half() {
        let providers = pqlab_providers::providers();
        let found = kem(&providers, "ML-KEM-768").unwrap();
        assert!(found != NULL && providers.iter().any(|provider| provider.id() == found));
        assert_eq!(signature(&providers, "no such scheme"), None);
        assert_eq!(kem(&providers, "ML-KEM-768").unwrap(), found, "the same answer every time");
        let alone: Vec<_> = providers.iter().filter(|provider| provider.id() == "rustcrypto").cloned().collect();
        assert_eq!(kem(&alone, "ML-KEM-768").as_deref(), Some("rustcrypto"), "of those that are there to choose from");
    }

    #[test]
    fn only_the_word_is_replaced() {
        let asked = Options { classical: Some("fastest".into()), post_quantum: Some("b".into()), ..Options::default() };
        let resolved = resolve(&asked, || Some("a".into()), || panic!("nobody asked"));
        assert_eq!((resolved.classical.as_deref(), resolved.post_quantum.as_deref()), (Some("a"), Some("b")));
    }
}
