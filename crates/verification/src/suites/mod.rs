//! Suites of vectors, each with a function that runs its vectors with a provider.

mod chains;
mod ecdsa;
mod ed25519;
mod falcon;
mod kat;
mod lanes;
mod ml_dsa;
mod ml_kem;
mod sha2;
mod sha3;
mod slh_dsa;
mod transcripts;

use crate::checks::batches::InBatches;
use crate::read::ReadError;
use crate::tally::Tally;
use crate::vectors::Vectors;
use pqlab_primitives::{
    Aead, Hash, Kdf, Kem, KemParameters, KeyAgreement, LaneHash, Mac, Primitive, SignatureParameters, SignatureScheme,
    Xof,
};
use std::sync::Arc;

/// Vectors from one source for one operation.
pub(crate) struct Suite {
    /// Name of the suite in a line.
    pub(crate) name: &'static str,
    /// Returns whether the suite contains vectors for an algorithm.
    pub(crate) covers: fn(&str) -> bool,
    /// Location of the vectors.
    pub(crate) location: Location,
    /// Runs the vectors with a provider.
    pub(crate) run: Run,
}

/// Location of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// The folder of published vectors. Without the folder, the program uses embedded copies of some files.
    Folder,
    /// The folder that `make vectors` downloads vectors to. Some of these vectors are also in the folder of published
    /// vectors.
    Fetched,
    /// Embedded in the program.
    Crate,
}

impl Location {
    /// Returns the reason for skipping a suite if its file is missing, or `None` if its files are always embedded.
    pub(crate) fn absent(self) -> Option<&'static str> {
        match self {
            Location::Folder => Some("not included in this build: docs/vectors.md lists the sources"),
            Location::Fetched => Some("not fetched yet: run `make vectors`"),
            Location::Crate => None,
        }
    }
}

/// Result of running a suite. An error means that the suite's vectors cannot be read.
pub(crate) type Ran = Result<(), Arc<ReadError>>;

/// Function that runs a suite with a particular primitive.
pub(crate) type Put<'a> = Box<dyn FnOnce(&Vectors, &mut Tally) -> Ran + 'a>;

/// Function that runs a suite's vectors, by kind of primitive.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    Kem(fn(&dyn Kem, &Vectors, &mut Tally) -> Ran),
    Signature(fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran),
    /// Function for batch verifiers, which are presented as schemes that can only verify.
    Batches(fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran),
    KeyAgreement(fn(&dyn KeyAgreement, &Vectors, &mut Tally) -> Ran),
    Hash(fn(&dyn Hash, &Vectors, &mut Tally) -> Ran),
    Xof(fn(&dyn Xof, &Vectors, &mut Tally) -> Ran),
    LaneHash(fn(&dyn LaneHash, &Vectors, &mut Tally) -> Ran),
    Mac(fn(&dyn Mac, &Vectors, &mut Tally) -> Ran),
    Kdf(fn(&dyn Kdf, &Vectors, &mut Tally) -> Ran),
    Aead(fn(&dyn Aead, &Vectors, &mut Tally) -> Ran),
}

impl Suite {
    /// Creates a suite of vectors from the folder of published vectors.
    pub(crate) const fn published(name: &'static str, covers: fn(&str) -> bool, run: Run) -> Suite {
        Suite { name, covers, location: Location::Folder, run }
    }

    /// Creates a suite of fetched vectors.
    pub(crate) const fn fetched(name: &'static str, covers: fn(&str) -> bool, run: Run) -> Suite {
        Suite { name, covers, location: Location::Fetched, run }
    }

    /// Creates a suite of embedded vectors.
    pub(crate) const fn built_in(name: &'static str, covers: fn(&str) -> bool, run: Run) -> Suite {
        Suite { name, covers, location: Location::Crate, run }
    }

    /// Returns the suites that contain vectors for a primitive.
    pub(crate) fn for_primitive(primitive: Primitive<'_>) -> impl Iterator<Item = &'static Suite> {
        let suits = move |suite: &&Suite| (suite.covers)(primitive.algorithm()) && suite.put_to(primitive).is_some();
        all().filter(suits).filter(move |_| !is_variant(primitive))
    }

    /// Returns a function that runs the suite with a primitive, or `None` if the suite is for a different kind of
    /// primitive.
    pub(crate) fn put_to<'a>(&self, primitive: Primitive<'a>) -> Option<Put<'a>> {
        Some(match (self.run, primitive) {
            (Run::Kem(run), Primitive::Kem(kem)) => Box::new(move |v, t| run(kem.as_ref(), v, t)),
            (Run::Signature(run), Primitive::Signature(scheme)) => Box::new(move |v, t| run(scheme.as_ref(), v, t)),
            (Run::Batches(run), Primitive::BatchVerifier(of)) => Box::new(move |v, t| run(&InBatches::new(of), v, t)),
            (Run::KeyAgreement(run), Primitive::KeyAgreement(of)) => Box::new(move |v, t| run(of.as_ref(), v, t)),
            (Run::Hash(run), Primitive::Hash(hash)) => Box::new(move |v, t| run(hash.as_ref(), v, t)),
            (Run::Xof(run), Primitive::Xof(xof)) => Box::new(move |v, t| run(xof.as_ref(), v, t)),
            (Run::LaneHash(run), Primitive::LaneHash(hash)) => Box::new(move |v, t| run(hash.as_ref(), v, t)),
            (Run::Mac(run), Primitive::Mac(mac)) => Box::new(move |v, t| run(mac.as_ref(), v, t)),
            (Run::Kdf(run), Primitive::Kdf(kdf)) => Box::new(move |v, t| run(kdf.as_ref(), v, t)),
            (Run::Aead(run), Primitive::Aead(aead)) => Box::new(move |v, t| run(aead.as_ref(), v, t)),
            _ => return None,
        })
    }
}

/// Returns whether a primitive is a variant of a parameter set that libraries name after it, such as `ML-DSA-44-extmu`.
/// Published vectors are for the parameter set itself.
fn is_variant(primitive: Primitive<'_>) -> bool {
    let name = primitive.algorithm();
    match primitive {
        Primitive::Kem(_) => extends(name, |name| KemParameters::find(name).is_some()),
        Primitive::Signature(_) => extends(name, |name| SignatureParameters::find(name).is_some()),
        _ => false,
    }
}

/// Returns whether a name is unknown, but begins with a known name and a hyphen.
fn extends(name: &str, is_known: impl Fn(&str) -> bool) -> bool {
    !is_known(name) && name.match_indices('-').any(|(end, _)| is_known(&name[..end]))
}

fn all() -> impl Iterator<Item = &'static Suite> {
    let tables: [&'static [Suite]; 14] = [
        ml_kem::SUITES,
        ml_dsa::SUITES,
        slh_dsa::SUITES,
        falcon::SUITES,
        ed25519::SUITES,
        ecdsa::SUITES,
        sha2::SUITES,
        sha3::SUITES,
        kat::SUITES,
        transcripts::SUITES,
        crate::wycheproof::kem::SUITES,
        crate::wycheproof::ml_dsa::SUITES,
        crate::wycheproof::classical::SUITES,
        crate::wycheproof::symmetric::SUITES,
    ];
    tables.into_iter().chain(crate::run_time::SUITES).flatten()
}

/// Returns whether an algorithm is a parameter set of ML-KEM.
pub(crate) fn is_ml_kem(algorithm: &str) -> bool {
    algorithm.starts_with("ML-KEM-")
}

/// Returns whether an algorithm is a parameter set of ML-DSA.
pub(crate) fn is_ml_dsa(algorithm: &str) -> bool {
    algorithm.starts_with("ML-DSA-")
}

/// Returns whether a scheme takes more than a millisecond to verify or to sign, so that checks repeat less.
pub(crate) fn is_slow(algorithm: &str) -> bool {
    ["SLH-DSA-", "SPHINCS+-", "LMS-", "XMSS-", "SQIsign", "cross-"].iter().any(|family| algorithm.starts_with(family))
}

/// Returns whether verification multiplies every coefficient of the verifying key by values of the signature (UOV, MAYO).
/// If the product of the values is 0, a different coefficient changes nothing.
pub(crate) fn is_multivariate(algorithm: &str) -> bool {
    ["OV-", "MAYO-"].iter().any(|family| algorithm.starts_with(family))
}

/// Returns whether an algorithm is a parameter set of SLH-DSA.
pub(crate) fn is_slh_dsa(algorithm: &str) -> bool {
    algorithm.starts_with("SLH-DSA-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_the_name_of_a_parameter_set_and_more() {
        let is_variant = |name: &str| extends(name, |name| SignatureParameters::find(name).is_some());
        assert!(is_variant("ML-DSA-44-extmu"));
        for name in ["ML-DSA-44", "SLH-DSA-SHA2-128f", "Falcon-padded-512", "ECDSA-P-256", "Ed25519", "ML-DSA-45"] {
            assert!(!is_variant(name), "{name}");
        }
    }
}
