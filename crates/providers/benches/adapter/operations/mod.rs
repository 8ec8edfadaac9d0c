//! The operations of the providers, as the workloads call them through the traits.

pub(crate) mod agreement;
pub(crate) mod hash;
pub(crate) mod kem;
pub(crate) mod signature;
pub(crate) mod symmetric;

use crate::interleaved::{Side, Work};
use crate::libraries;
use pqlab_primitives::{KeyEncoding, Primitive, PrimitiveKind, Provider};
use pqlab_providers::providers;
use std::sync::Arc;

/// One operation of one provider.
pub(crate) struct Case {
    pub(crate) provider: Arc<Provider>,
    /// The place of its primitive among those of the provider.
    place: usize,
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
        let kind = match self.primitive() {
            Some(Primitive::KeyAgreement(_)) => " (agreement)".to_owned(),
            Some(Primitive::LaneHash(hash)) => format!(" x{}", hash.lanes()),
            _ => String::new(),
        };
        format!("{} {}{kind} {}", self.provider.id(), self.algorithm, self.operation)
    }

    /// What the operation is of.
    pub(crate) fn primitive(&self) -> Option<Primitive<'_>> {
        self.provider.primitives().nth(self.place)
    }

    /// Whether both go through the same code of an adapter.
    pub(crate) fn is_like(&self, other: &Case) -> bool {
        let kind = |case: &Case| match case.primitive()? {
            Primitive::LaneHash(hash) => Some((PrimitiveKind::LaneHash, hash.lanes())),
            one => Some((one.kind(), 1)),
        };
        let key = |case: &Case| (case.provider.library.clone(), kind(case), case.operation.clone());
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
        for (place, primitive) in provider.primitives().enumerate() {
            cases.extend(operations(primitive).into_iter().map(|operation| Case {
                provider: Arc::clone(&provider),
                place,
                algorithm: primitive.algorithm().to_owned(),
                operation,
            }));
        }
    }
    cases
}

fn operations(primitive: Primitive) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match primitive {
        Primitive::Kem(kem) => kem::operations(kem.info()),
        Primitive::Signature(scheme) => signature::operations(scheme.info(), !scheme.prehashes().is_empty()),
        Primitive::KeyAgreement(agreement) => agreement::operations(agreement.info()),
        Primitive::Xof(xof) if xof.absorber().is_ok() => words(&["digest", "absorb", "squeeze"]),
        Primitive::Xof(_) => words(&["digest", "squeeze"]),
        Primitive::Hash(_) | Primitive::LaneHash(_) => words(&["digest"]),
        Primitive::Mac(_) => words(&["tag", "tag encoded"]),
        Primitive::Kdf(_) => words(&["derive"]),
        Primitive::Aead(_) => words(&["seal", "open"]),
        Primitive::StreamCipher(_) => words(&["apply"]),
        // The benchmark of batches calls the code under the adapter.
        Primitive::BatchVerifier(_) => Vec::new(),
    }
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
