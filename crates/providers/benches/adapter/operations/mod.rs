//! The operations of the providers, as the workloads call them through the traits.

pub(crate) mod agreement;
pub(crate) mod hash;
pub(crate) mod kem;
pub(crate) mod signature;
pub(crate) mod symmetric;

use crate::interleaved::{Side, Work};
use crate::libraries;
use pqlab_primitives::{KeyEncoding, Provider};
use pqlab_providers::providers;
use std::sync::Arc;

/// What kind of primitive an operation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Kem,
    Signature,
    Agreement,
    Hash,
    Xof,
    /// A hash function over so many messages at once.
    Lanes(usize),
    Mac,
    Kdf,
    Aead,
}

/// One operation of one provider.
pub(crate) struct Case {
    pub(crate) provider: Arc<Provider>,
    pub(crate) kind: Kind,
    pub(crate) algorithm: String,
    pub(crate) operation: String,
}

/// Whether an operation has a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    Measured,
    /// Another parameter set, or another code path of the library, goes through the same code of the adapter.
    Alike,
    /// Its adapter's part cannot be told, and why.
    Reason(&'static str),
    Missing,
}

impl Case {
    /// Provider, algorithm and operation in one line.
    pub(crate) fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Agreement => " (agreement)".to_owned(),
            Kind::Lanes(lanes) => format!(" x{lanes}"),
            _ => String::new(),
        };
        format!("{} {}{kind} {}", self.provider.id(), self.algorithm, self.operation)
    }

    /// Whether both go through the same code of an adapter.
    pub(crate) fn is_like(&self, other: &Case) -> bool {
        let key = |case: &Case| (case.provider.library.clone(), case.kind, case.operation.clone());
        key(self) == key(other) && family(&self.algorithm) == family(&other.algorithm)
    }
}

/// The algorithms that an adapter treats alike: those that differ in tables of lengths alone. Of ECDSA the curve of the
/// ledgers stands apart: its signatures are brought to their lower half.
fn family(algorithm: &str) -> &str {
    const FAMILIES: [&str; 12] = [
        "ML-KEM", "ML-DSA", "SLH-DSA", "SPHINCS+", "Falcon", "FN-DSA", "ECDSA-P", "SHA3", "SHAKE", "SHA-", "HMAC",
        "HKDF",
    ];
    FAMILIES.into_iter().find(|family| algorithm.starts_with(family)).unwrap_or(algorithm)
}

/// Every operation that a provider offers.
pub(crate) fn offered() -> Vec<Case> {
    let mut cases = Vec::new();
    for provider in providers() {
        let mut add = |kind, algorithm: &str, operations: Vec<String>| {
            cases.extend(operations.into_iter().map(|operation| Case {
                provider: Arc::clone(&provider),
                kind,
                algorithm: algorithm.to_owned(),
                operation,
            }));
        };
        for kem in &provider.kems {
            add(Kind::Kem, &kem.info().parameters.algorithm, kem::operations(kem.info()));
        }
        for scheme in &provider.signatures {
            let prehashed = !scheme.prehashes().is_empty();
            add(Kind::Signature, &scheme.info().parameters.algorithm, signature::operations(scheme.info(), prehashed));
        }
        for agreement in &provider.key_agreements {
            add(Kind::Agreement, &agreement.info().parameters.algorithm, agreement::operations(agreement.info()));
        }
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        for hash in &provider.hashes {
            add(Kind::Hash, &hash.info().algorithm, words(&["digest"]));
        }
        for xof in &provider.xofs {
            let streams = xof.absorber().is_ok();
            let operations = if streams { &["digest", "absorb", "squeeze"][..] } else { &["digest", "squeeze"][..] };
            add(Kind::Xof, &xof.info().algorithm, words(operations));
        }
        for hash in &provider.lane_hashes {
            add(Kind::Lanes(hash.lanes()), hash.algorithm(), words(&["digest"]));
        }
        for mac in &provider.macs {
            add(Kind::Mac, mac.algorithm(), words(&["tag", "tag encoded"]));
        }
        for kdf in &provider.kdfs {
            add(Kind::Kdf, kdf.algorithm(), words(&["derive"]));
        }
        for aead in &provider.aeads {
            add(Kind::Aead, aead.algorithm(), words(&["seal", "open"]));
        }
    }
    cases
}

/// What is compared, and why the rest is not; in the order of the cases.
pub(crate) fn coverage(cases: &[Case]) -> Vec<Coverage> {
    let measured: Vec<bool> = cases.iter().map(|case| libraries::comparison(case).is_some()).collect();
    let like = |case: &Case| cases.iter().zip(&measured).any(|(other, measured)| *measured && case.is_like(other));
    let judge = |(case, measured): (&Case, &bool)| match libraries::reason(case) {
        _ if *measured => Coverage::Measured,
        _ if like(case) => Coverage::Alike,
        Some(reason) => Coverage::Reason(reason),
        None => Coverage::Missing,
    };
    cases.iter().zip(&measured).map(judge).collect()
}

/// The parameter by which an encoding of a private key goes into an operation's name.
fn key(encoding: KeyEncoding) -> &'static str {
    match encoding {
        KeyEncoding::Seed => "key=seed",
        KeyEncoding::Expanded => "key=expanded",
        KeyEncoding::Scalar => "key=scalar",
        KeyEncoding::Der => "key=der",
        KeyEncoding::Cbor => "key=cbor",
    }
}

/// An operation that is repeated.
pub(crate) fn each(mut operation: impl FnMut() + 'static) -> Side {
    Box::new(move |batch| {
        for _ in 0..batch {
            operation();
        }
    })
}

/// An operation that makes something, which is kept until after the clock was read: so do the workloads with keys.
pub(crate) fn making<T: 'static>(make: impl FnMut() -> T + 'static) -> Side {
    Box::new(Making { make, made: Vec::new() })
}

struct Making<T, F> {
    make: F,
    made: Vec<T>,
}

impl<T, F: FnMut() -> T> Work for Making<T, F> {
    fn ready(&mut self, batch: usize) {
        self.made.clear();
        self.made.reserve(batch);
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.made.push((self.make)());
        }
    }
}
