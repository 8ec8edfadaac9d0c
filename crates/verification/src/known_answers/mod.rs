//! Known answers: published results of each algorithm. A worker checks them through the traits before it times
//! anything.
//!
//! The tables contain all inputs and short outputs in full, and longer outputs as SHA-256 digests. Each table names its
//! sources. If a source consists of files, a test compares the table with the files.
//!
//! A provider that accepts neither seeds nor caller-supplied randomness chooses some inputs itself, so the results for
//! these inputs cannot be known in advance. The module checks all other results.

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

/// Result of checking a provider's known answers for one algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownAnswer {
    /// All compared outputs are correct. Contains the number of outputs.
    Checked(usize),
    /// Nothing could be compared. Contains the reason.
    NotAvailable(&'static str),
}

/// A wrong known answer or an unexpected failure, described in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongAnswer(pub String);

/// Runs the checks that a worker performs before it measures. Leaves out signing with the small (`s`) parameter sets of
/// SLH-DSA, which takes up to several seconds per signature.
///
/// # Errors
/// [`WrongAnswer`] if an answer is wrong or the library fails unexpectedly.
pub fn check(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Quick, provider, algorithm).map_err(WrongAnswer)
}

/// Checks every known answer, however long it takes.
///
/// # Errors
/// [`WrongAnswer`] if an answer is wrong or the library fails unexpectedly.
pub fn check_fully(provider: &Provider, algorithm: &str) -> Result<KnownAnswer, WrongAnswer> {
    check_to(Depth::Full, provider, algorithm).map_err(WrongAnswer)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Quick,
    Full,
}

/// Checks every primitive of the provider with this algorithm name. X25519, for example, is both a KEM and a key
/// agreement.
fn check_to(depth: Depth, provider: &Provider, algorithm: &str) -> Result<KnownAnswer, String> {
    let mut checker = Checker { algorithm, depth, checked: 0, vectors: 0 };
    let (mut offered, mut only_verified) = (false, false);
    for primitive in provider.primitives().filter(|primitive| primitive.algorithm() == algorithm) {
        offered = true;
        match primitive {
            Primitive::Kem(kem) => kem::check(kem.as_ref(), &mut checker)?,
            Primitive::Signature(scheme) => signature::check(scheme.as_ref(), &mut checker)?,
            // A batch verifier neither generates keys nor signs.
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
        _ if !offered => KnownAnswer::NotAvailable("the library does not offer the algorithm"),
        Checker { vectors: 0, .. } if only_verified => KnownAnswer::NotAvailable(
            "batch verifiers are checked with published signatures and with signatures from other libraries",
        ),
        Checker { vectors: 0, .. } => KnownAnswer::NotAvailable("no known answer is embedded for the algorithm"),
        Checker { checked: 0, .. } => {
            KnownAnswer::NotAvailable("the library accepts neither seeds nor caller-supplied randomness")
        }
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

    /// Returns the value of a successful operation, or an error message that names the operation.
    fn done<T>(&self, operation: &str, result: Result<T, Error>) -> Result<T, String> {
        result.map_err(|error| self.wrong(format_args!("{operation} fails: {error}")))
    }

    /// Returns the value of a successful operation, or `None` if the provider does not offer the operation.
    fn offered<T>(&self, operation: &str, result: Result<T, Error>) -> Result<Option<T>, String> {
        match result {
            Err(Error::Unsupported(_)) => Ok(None),
            other => self.done(operation, other).map(Some),
        }
    }

    /// Checks that an output equals the published one.
    fn same(&mut self, operation: &str, output: &str, got: &[u8], expected: Expected) -> Result<(), String> {
        let same = match expected {
            Expected::Sha256(digest) => Sha256::digest(got)[..] == bytes(digest)[..],
            Expected::Bytes(hex) => got == bytes(hex),
        };
        self.holds(same, format_args!("{operation} produces a wrong {output}"))
    }

    /// Counts an output and checks a condition. `otherwise` describes the failure.
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
    hex::decode(hex).expect("embedded vectors must be hexadecimal")
}
