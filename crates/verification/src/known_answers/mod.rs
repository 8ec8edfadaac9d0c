//! Known answers: published results of each algorithm, checked through the traits before anything is timed.
//!
//! Seeds, coins and messages are embedded. Of the outputs only the SHA-256 is embedded, unless they are as short. Each
//! table gives its sources. If the vectors come in files, a test reads these to prove that the digests are of the
//! published values.
//!
//! With a provider that takes neither seeds nor coins, some answers cannot be known. Everything else is checked.

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

/// Result of the known answers of one algorithm of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownAnswer {
    /// Number of outputs compared, all of them right.
    Checked(usize),
    /// Nothing could be compared, for this reason.
    NotAvailable(&'static str),
}

/// A wrong known answer, or an unexpected failure of a call, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongAnswer(pub String);

/// Checks everything that a worker checks before it measures: all but the signatures of the small SLH-DSA sets, which
/// take up to several seconds each.
///
/// # Errors
/// [`WrongAnswer`] if a known answer is wrong.
pub fn check(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Quick, provider, algorithm).map_err(WrongAnswer)
}

/// Checks every known answer, however long it takes.
///
/// # Errors
/// Those of [`check`].
pub fn check_fully(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Full, provider, algorithm).map_err(WrongAnswer)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Quick,
    Full,
}

/// Checks all primitives of that name. X25519, for example, is both a KEM and a key agreement.
fn check_to(depth: Depth, provider: &Provider, algorithm: &str) -> Result<KnownAnswer, String> {
    let mut checker = Checker { algorithm, depth, checked: 0, vectors: 0 };
    let (mut offered, mut only_verified) = (false, false);
    for primitive in provider.primitives().filter(|primitive| primitive.algorithm() == algorithm) {
        offered = true;
        match primitive {
            Primitive::Kem(kem) => kem::check(kem.as_ref(), &mut checker)?,
            Primitive::Signature(scheme) => signature::check(scheme.as_ref(), &mut checker)?,
            // It neither generates keys nor signs.
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
            "it only verifies: it is checked with published signatures and those of other libraries",
        ),
        Checker { vectors: 0, .. } => KnownAnswer::NotAvailable("no known answer is embedded for the algorithm"),
        Checker { checked: 0, .. } => KnownAnswer::NotAvailable("the provider accepts neither seeds nor randomness"),
        Checker { checked, .. } => KnownAnswer::Checked(checked),
    })
}

/// Compares outputs, counts them, and describes errors.
struct Checker<'a> {
    algorithm: &'a str,
    depth: Depth,
    /// Number of outputs compared.
    checked: usize,
    /// Number of vectors in the tables for the algorithm.
    vectors: usize,
}

impl Checker<'_> {
    /// Returns the rows of a table for this algorithm.
    fn rows<T: Row>(&mut self, table: &'static [T]) -> Vec<&'static T> {
        let rows: Vec<&T> = table.iter().filter(|row| row.algorithm() == self.algorithm).collect();
        self.vectors += rows.len();
        rows
    }

    fn wrong(&self, what: impl Display) -> String {
        format!("known answer: {} {what}", self.algorithm)
    }

    /// Returns the value of a successful operation.
    fn done<T>(&self, operation: &str, result: Result<T, Error>) -> Result<T, String> {
        result.map_err(|error| self.wrong(format_args!("{operation} fails: {error}")))
    }

    /// Returns the value of a successful operation, or `None` if the provider does not offer it.
    fn offered<T>(&self, operation: &str, result: Result<T, Error>) -> Result<Option<T>, String> {
        match result {
            Err(Error::Unsupported(_)) => Ok(None),
            other => self.done(operation, other).map(Some),
        }
    }

    /// Checks that the output is the published one.
    fn same(&mut self, operation: &str, output: &str, got: &[u8], expected: Expected) -> Result<(), String> {
        let same = match expected {
            Expected::Sha256(digest) => Sha256::digest(got)[..] == bytes(digest)[..],
            Expected::Bytes(hex) => got == bytes(hex),
        };
        self.holds(same, format_args!("{operation} gives a wrong {output}"))
    }

    /// Checks a condition; `otherwise` describes the error.
    fn holds(&mut self, condition: bool, otherwise: impl Display) -> Result<(), String> {
        self.checked += 1;
        if condition { Ok(()) } else { Err(self.wrong(otherwise)) }
    }
}

/// A published output.
#[derive(Clone, Copy)]
enum Expected {
    /// SHA-256 of the output, in hexadecimal.
    Sha256(&'static str),
    /// The output itself, in hexadecimal.
    Bytes(&'static str),
}

/// A row of a table.
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
