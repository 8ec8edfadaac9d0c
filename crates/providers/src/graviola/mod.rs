//! graviola: X25519, Ed25519, ECDSA, hash functions, HMAC and AES-GCM in Rust around the assembly of s2n-bignum.
//!
//! The crate panics on processors that lack certain instructions. On such processors, the provider offers no algorithms
//! and gives the reason.

mod ecdsa;
mod ed25519;
mod hash;
mod symmetric;
mod x25519;

use self::x25519::Graviola;
use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::x25519::{kem, key_agreement};
use graviola::Error as Fault;
use pqlab_cpu::{Feature, is_hidden};
use pqlab_primitives::{BuildInfo, Error, Provider, Unsupported};

pub(crate) fn providers() -> Vec<Provider> {
    let build_info = BuildInfo {
        version: crate_versions(&["graviola"]),
        build: format!("{}; assembly from s2n-bignum, some of it chosen at run time", compiled()),
    };
    let mut provider = Provider::new("graviola", build_info);
    provider.generator = Some("getrandom (the operating system, on each call)".to_owned());
    provider.kems = vec![kem::<Graviola>()];
    provider.signatures = [vec![ed25519::signature()], ecdsa::signatures()].concat();
    provider.key_agreements = vec![key_agreement::<Graviola>()];
    provider.hashes = hash::hashes();
    provider.xofs = hash::xofs();
    provider.macs = symmetric::macs();
    provider.aeads = symmetric::aeads();
    provider.unsupported = unsupported();
    vec![match lacking() {
        Some(reason) => without_algorithms(&provider, reason),
        None => provider,
    }]
}

/// Returns the reason why the crate cannot run on this CPU, or `None` if it can. On x86-64, the crate needs AVX2.
fn lacking() -> Option<&'static str> {
    if cfg!(target_arch = "x86_64") && is_hidden(Feature::Avx2) {
        Some(Feature::Avx2.hidden_reason())
    } else if !graviola::util::is_cpu_supported() {
        Some("the processor lacks instructions that the crate needs (on x86-64: ADX, AES, AVX2, BMI1, PCLMULQDQ)")
    } else {
        None
    }
}

fn without_algorithms(provider: &Provider, reason: &str) -> Provider {
    let mut bare = Provider::new("graviola", provider.build_info.clone());
    let lacks = |algorithm| Unsupported { algorithm, reason: reason.to_owned() };
    bare.unsupported = provider.algorithms().into_iter().map(lacks).collect();
    bare
}

fn unsupported() -> Vec<Unsupported> {
    [
        ("ML-KEM-768", "the crate does not export functions to decapsulate repeatedly or to load a key from bytes"),
        ("RSA-2048", "the crate loads keys only if they include CRT parameters, and writes keys only in DER"),
    ]
    .map(|(algorithm, reason)| Unsupported { algorithm: algorithm.to_owned(), reason: reason.to_owned() })
    .into()
}

fn library(call: &'static str) -> impl Fn(Fault) -> Error {
    move |error| Error::Library { call, detail: format!("{error:?}") }
}
