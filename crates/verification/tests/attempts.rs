//! Checks that all libraries need the same number of attempts to sign a message with ML-DSA. Deterministic signing
//! fixes the sequence of attempts, and the signature shows which attempt was accepted.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use pqlab_primitives::{Coins, Error, KeyEncoding, Provider, SigningKey};
use pqlab_verification::ml_dsa::{Deviations, SecretKey, Set, mask_seed, message_representative, sign_counting};
use rayon::prelude::*;
use std::sync::Arc;

/// Number of messages for each parameter set.
const MESSAGES: u32 = 60;
/// Number of messages for each parameter set in the ignored test, which takes about 15 minutes.
const MANY_MESSAGES: u32 = 10_000;
/// Number of keys, which sign the messages in turn.
const KEYS: u8 = 4;

fn loaded(provider: &Provider, algorithm: &str, set: &Set, seed: &[u8; 32]) -> Option<Box<dyn SigningKey>> {
    let scheme = provider.signature(algorithm)?;
    let expanded = SecretKey::from_seed(set, seed).encode(set);
    let encodings = [(KeyEncoding::Seed, &seed[..]), (KeyEncoding::Expanded, &expanded[..])];
    encodings.into_iter().find_map(|(encoding, bytes)| scheme.load_signing_key(encoding, bytes).ok())
}

#[test]
fn libraries_accept_the_same_attempts() {
    check_attempts(MESSAGES);
}

#[test]
#[ignore = "computes for 15 minutes"]
fn libraries_accept_the_same_attempts_for_many_messages() {
    check_attempts(MANY_MESSAGES);
}

/// Signs messages deterministically with all libraries, and counts the attempts with this crate's implementation.
/// Panics if a library's signature differs from the one that this implementation creates.
fn check_attempts(messages: u32) {
    let providers: Vec<Arc<Provider>> = pqlab_providers::providers();
    for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let set = Set::of(algorithm).unwrap();
        let seeds: Vec<[u8; 32]> = (0..KEYS).map(|key| [key; 32]).collect();
        let ours: Vec<SecretKey> = seeds.iter().map(|seed| SecretKey::from_seed(&set, seed)).collect();
        let keys = |provider: &Arc<Provider>| {
            let keys = seeds.iter().map(|seed| loaded(provider, algorithm, &set, seed)).collect::<Option<Vec<_>>>()?;
            Some((provider.id(), keys))
        };
        let libraries: Vec<(String, Vec<Box<dyn SigningKey>>)> = providers.iter().filter_map(keys).collect();
        let length = set.signature();
        // Returns the number of attempts, and the libraries that sign deterministically.
        let check = |number: u32| {
            let (message, key) = (number.to_le_bytes(), number as usize % seeds.len());
            let mu = message_representative(&ours[key].tr, &[], &message);
            let seed = mask_seed(&ours[key], &[0; 32], &mu);
            let (signature, attempts) = sign_counting(&set, &ours[key], &mu, &seed, &Deviations::default());
            let wanted = signature.encode(&set);
            let signs = |(name, keys): &(String, Vec<Box<dyn SigningKey>>)| {
                let mut found = vec![0; length];
                match keys[key].sign(&[], &message, Coins::Exact(&[]), &mut found) {
                    Err(Error::Unsupported(_)) => return None,
                    result => assert_eq!(result.unwrap(), length),
                }
                assert!(found == wanted, "{algorithm} by {name}: message {number} differs after {attempts} attempts");
                Some(name.clone())
            };
            (attempts, libraries.iter().filter_map(signs).collect::<Vec<String>>())
        };
        let found: Vec<(usize, Vec<String>)> = (0..messages).into_par_iter().map(check).collect();
        let names = &found[0].1;
        // On a CPU without AVX2, four libraries sign deterministically.
        assert!(names.len() >= 4 && found.iter().all(|(_, others)| others == names), "{names:?}");
        let all: usize = found.iter().map(|(attempts, _)| attempts).sum();
        println!("{algorithm}: {all} attempts for {messages} messages, equal in {}", names.join(", "));
        assert!(found.iter().any(|(attempts, _)| *attempts > 1));
    }
}
