//! Known answers: what published vectors say that each algorithm gives, checked through the traits before anything is
//! timed.
//!
//! Seeds, coins and messages are embedded; of the outputs only their SHA-256, unless they are as short. Where the
//! vectors come from stands beside each table. Where they come in files, a test that reads those proves that the
//! digests are of what was published.
//!
//! Of a provider that takes neither seeds nor coins some answers cannot be known; what can be checked without them is.

mod hash;
mod kem;
mod signature;
#[cfg(test)]
mod sources;
mod symmetric;
#[cfg(test)]
mod tests;

use pqlab_primitives::{Error, Primitive, Provider};
use sha2::{Digest, Sha256};
use std::fmt::Display;

/// What the known answers say of one algorithm of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownAnswer {
    /// So many outputs were compared, and each was right.
    Checked(usize),
    /// Nothing could be compared, for this reason.
    NotAvailable(&'static str),
}

/// Which known answer is not given, or which call failed that should not have, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongAnswer(pub String);

/// Checks what a worker checks before it measures: everything but the signatures of the small SLH-DSA sets, which take
/// up to several seconds each.
///
/// # Errors
/// [`WrongAnswer`].
pub fn check(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Quick, provider, algorithm).map_err(WrongAnswer)
}

/// Checks every known answer, however long it takes.
///
/// # Errors
/// As [`check`].
pub fn check_fully(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Full, provider, algorithm).map_err(WrongAnswer)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Quick,
    Full,
}

/// The same name may stand for several things, as X25519 does for a KEM and a key agreement: all are checked.
fn check_to(depth: Depth, provider: &Provider, algorithm: &str) -> Result<KnownAnswer, String> {
    let mut checker = Checker { algorithm, depth, checked: 0, vectors: 0 };
    let (mut offered, mut only_verified) = (false, false);
    for primitive in provider.primitives().filter(|primitive| primitive.algorithm() == algorithm) {
        offered = true;
        match primitive {
            Primitive::Kem(kem) => kem::check(kem.as_ref(), &mut checker)?,
            Primitive::Signature(scheme) => signature::check(scheme.as_ref(), &mut checker)?,
            // It neither makes keys nor signs.
            Primitive::BatchVerifier(_) => only_verified = true,
            Primitive::KeyAgreement(agreement) => symmetric::check_key_agreement(agreement.as_ref(), &mut checker)?,
            Primitive::Hash(function) => hash::check_hash(function.as_ref(), &mut checker)?,
            Primitive::Xof(function) => hash::check_xof(function.as_ref(), &mut checker)?,
            Primitive::LaneHash(function) => hash::check_lanes(function.as_ref(), &mut checker)?,
            Primitive::Mac(mac) => symmetric::check_mac(mac.as_ref(), &mut checker)?,
            Primitive::Kdf(kdf) => symmetric::check_kdf(kdf.as_ref(), &mut checker)?,
            Primitive::Aead(aead) => symmetric::check_aead(aead.as_ref(), &mut checker)?,
            Primitive::StreamCipher(cipher) => symmetric::check_stream_cipher(cipher.as_ref(), &mut checker)?,
        }
    }
    Ok(match checker {
        _ if !offered => KnownAnswer::NotAvailable("the provider does not offer the algorithm"),
        Checker { vectors: 0, .. } if only_verified => KnownAnswer::NotAvailable(
            "it only verifies: published signatures and those of other libraries speak for it",
        ),
        Checker { vectors: 0, .. } => KnownAnswer::NotAvailable("no known answer is embedded for the algorithm"),
        Checker { checked: 0, .. } => KnownAnswer::NotAvailable("the provider takes neither seeds nor coins"),
        Checker { checked, .. } => KnownAnswer::Checked(checked),
    })
}

/// Compares, counts, and words what is wrong.
struct Checker<'a> {
    algorithm: &'a str,
    depth: Depth,
    /// Outputs compared.
    checked: usize,
    /// Vectors that the tables hold for the algorithm.
    vectors: usize,
}

impl Checker<'_> {
    /// The rows of a table that are about this algorithm.
    fn rows<T: Row>(&mut self, table: &'static [T]) -> Vec<&'static T> {
        let rows: Vec<&T> = table.iter().filter(|row| row.algorithm() == self.algorithm).collect();
        self.vectors += rows.len();
        rows
    }

    fn wrong(&self, what: impl Display) -> String {
        format!("known answer: {} {what}", self.algorithm)
    }

    /// The value, if the operation did not fail.
    fn done<T>(&self, operation: &str, result: Result<T, Error>) -> Result<T, String> {
        result.map_err(|error| self.wrong(format_args!("{operation} fails: {error}")))
    }

    /// As [`done`](Self::done), but `None` if the provider does not offer the operation.
    fn offered<T>(&self, operation: &str, result: Result<T, Error>) -> Result<Option<T>, String> {
        match result {
            Err(Error::Unsupported(_)) => Ok(None),
            other => self.done(operation, other).map(Some),
        }
    }

    /// The output must be the published one.
    fn same(&mut self, operation: &str, output: &str, got: &[u8], expected: Expected) -> Result<(), String> {
        let same = match expected {
            Expected::Sha256(digest) => Sha256::digest(got)[..] == bytes(digest)[..],
            Expected::Bytes(hex) => got == bytes(hex),
        };
        self.holds(same, format_args!("{operation} gives another {output}"))
    }

    /// The condition must hold; `otherwise` says what is wrong where it does not.
    fn holds(&mut self, condition: bool, otherwise: impl Display) -> Result<(), String> {
        self.checked += 1;
        if condition { Ok(()) } else { Err(self.wrong(otherwise)) }
    }
}

/// A published output.
#[derive(Clone, Copy)]
enum Expected {
    /// Its SHA-256, in hexadecimal.
    Sha256(&'static str),
    /// The output itself, in hexadecimal.
    Bytes(&'static str),
}

/// A row of one of the tables.
trait Row: 'static {
    fn algorithm(&self) -> &'static str;
}

macro_rules! rows {
    ($($row:ty),*) => { $(
        impl crate::known_answers::Row for $row {
            fn algorithm(&self) -> &'static str {
                self.algorithm
            }
        }
    )* };
}
use rows;

/// Decodes embedded hexadecimal.
fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).expect("embedded vectors are hexadecimal")
}
