//! Operations that the providers offer, called through the traits as the workloads do.

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

/// An operation that a provider offers.
pub(crate) struct Case {
    pub(crate) provider: Arc<Provider>,
    /// Index of the primitive in [`Provider::primitives`].
    place: usize,
    pub(crate) algorithm: String,
    pub(crate) operation: String,
}

/// Whether the benchmark compares an operation with direct library calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    Measured,
    /// The benchmark measures another parameter set or code path that uses the same adapter code.
    Alike,
    /// The overhead cannot be measured, for the given reason.
    Reason(&'static str),
    Missing,
}

impl Case {
    /// Returns the provider, the algorithm and the operation in one line.
    pub(crate) fn name(&self) -> String {
        let kind = match self.primitive() {
            Some(Primitive::KeyAgreement(_)) => " (agreement)".to_owned(),
            Some(Primitive::LaneHash(hash)) => format!(" x{}", hash.lanes()),
            _ => String::new(),
        };
        format!("{} {}{kind} {}", self.provider.id(), self.algorithm, self.operation)
    }

    /// Returns the primitive that the operation belongs to.
    pub(crate) fn primitive(&self) -> Option<Primitive<'_>> {
        self.provider.primitives().nth(self.place)
    }

    /// Returns whether both cases use the same adapter code.
    pub(crate) fn is_like(&self, other: &Case) -> bool {
        let kind = |case: &Case| match case.primitive()? {
            Primitive::LaneHash(hash) => Some((PrimitiveKind::LaneHash, hash.lanes())),
            one => Some((one.kind(), 1)),
        };
        let key = |case: &Case| (case.provider.library.clone(), kind(case), case.operation.clone());
        key(self) == key(other) && family(&self.algorithm) == family(&other.algorithm)
    }
}

/// Returns the algorithm's family. The adapter code for the algorithms in a family differs only in tables of lengths,
/// functions or curves. For ECDSA, the benchmark measures secp256k1, because the adapters do the most work for this
/// curve: they also normalize signatures to the lower `s` and compress points.
fn family(algorithm: &str) -> &str {
    const FAMILIES: [&str; 8] = ["ML-KEM", "ML-DSA", "Falcon", "ECDSA", "SHA3", "SHAKE", "HMAC", "HKDF"];
    // SHA-2 goes through the same adapter code as SHA-3.
    if algorithm.starts_with("SHA-") {
        return "SHA3";
    }
    FAMILIES.into_iter().find(|family| algorithm.starts_with(family)).unwrap_or(algorithm)
}

/// Returns every operation that any provider offers.
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
        Primitive::KeyAgreement(_) => agreement::operations(),
        Primitive::Xof(xof) if xof.absorber().is_ok() => words(&["digest", "absorb", "squeeze"]),
        Primitive::Xof(_) => words(&["digest", "squeeze"]),
        Primitive::Hash(_) | Primitive::LaneHash(_) => words(&["digest"]),
        Primitive::Mac(_) => words(&["tag", "tag encoded"]),
        Primitive::Kdf(_) => words(&["derive"]),
        Primitive::Aead(_) => words(&["seal", "open"]),
        Primitive::StreamCipher(_) => words(&["apply"]),
        // The `mldsa_batch` benchmark measures the code that this adapter calls.
        Primitive::BatchVerifier(_) => Vec::new(),
    }
}

/// Returns, for each case, whether the benchmark compares it and, if not, why.
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

/// Returns the parameter that denotes a private-key encoding in an operation's name.
fn key(encoding: KeyEncoding) -> &'static str {
    match encoding {
        KeyEncoding::Seed => "key=seed",
        KeyEncoding::Expanded => "key=expanded",
        KeyEncoding::Scalar => "key=scalar",
        KeyEncoding::Der => "key=der",
        KeyEncoding::Cbor => "key=cbor",
    }
}

/// Returns a side that repeats an operation.
pub(crate) fn each(mut operation: impl FnMut() + 'static) -> Side {
    Box::new(move |batch| {
        for _ in 0..batch {
            operation();
        }
    })
}

/// Returns a side that repeats an operation and drops the results only after the batch has been timed. The workloads
/// treat generated keys in the same way.
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
