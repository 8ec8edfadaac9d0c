//! Test helpers that several constructions share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses only some of the helpers")]

use base64ct::{Base64, Encoding};
use pqlab_primitives::{Hash, Kem, Provider, SignatureScheme};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn read_json(path: PathBuf) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Decodes a hexadecimal field.
pub(crate) fn hex_field(value: &serde_json::Value, field: &str) -> Vec<u8> {
    hex::decode(value[field].as_str().unwrap()).unwrap()
}

/// Decodes a base64 field.
pub(crate) fn base64_field(value: &serde_json::Value, field: &str) -> Vec<u8> {
    Base64::decode_vec(value[field].as_str().unwrap()).unwrap()
}

pub(crate) fn providers() -> Vec<Arc<Provider>> {
    pqlab_providers::providers().into_iter().filter(|provider| provider.library != "null").collect()
}

fn every<T: ?Sized>(algorithm: &str, of: impl Fn(&Provider, &str) -> Option<Arc<T>>) -> Vec<(String, Arc<T>)> {
    let found: Vec<_> =
        providers().iter().filter_map(|provider| Some((provider.id(), of(provider, algorithm)?))).collect();
    assert!(!found.is_empty(), "a provider must offer {algorithm}");
    found
}

pub(crate) fn kems(algorithm: &str) -> Vec<(String, Arc<dyn Kem>)> {
    every(algorithm, |provider, name| provider.kem(name).cloned())
}

pub(crate) fn signatures(algorithm: &str) -> Vec<(String, Arc<dyn SignatureScheme>)> {
    every(algorithm, |provider, name| provider.signature(name).cloned())
}

pub(crate) fn hash(algorithm: &str) -> Arc<dyn Hash> {
    every(algorithm, |provider, name| provider.hash(name).cloned()).remove(0).1
}
