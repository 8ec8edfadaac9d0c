//! The suites of vectors: one table, and how each puts its vectors to a provider.

mod ecdsa;
mod ed25519;
mod falcon;
mod lanes;
mod ml_dsa;
mod ml_kem;
mod sha3;
mod slh_dsa;
mod transcripts;

use crate::read::ReadError;
use crate::tally::Tally;
use crate::vectors::Vectors;
use pqlab_primitives::{Aead, Hash, Kdf, Kem, KeyAgreement, LaneHash, Mac, Provider, SignatureScheme, Xof};
use std::sync::Arc;

/// Vectors of one source that ask for one thing.
pub(crate) struct Suite {
    /// What a line calls it.
    pub(crate) name: &'static str,
    /// Which algorithms it has vectors for.
    pub(crate) covers: fn(&str) -> bool,
    /// Where the vectors are.
    pub(crate) source: Source,
    /// Puts them to a provider.
    pub(crate) run: Run,
}

/// Where vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the folder of published vectors, if there is one.
    Folder,
    /// Built in.
    Crate,
}

/// The outcome of a suite: counted, unless the vectors themselves could not be read.
pub(crate) type Ran = Result<(), Arc<ReadError>>;

/// What a suite is put to.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    Kem(fn(&dyn Kem, &Vectors, &mut Tally) -> Ran),
    Signature(fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran),
    KeyAgreement(fn(&dyn KeyAgreement, &Vectors, &mut Tally) -> Ran),
    Hash(fn(&dyn Hash, &Vectors, &mut Tally) -> Ran),
    Xof(fn(&dyn Xof, &Vectors, &mut Tally) -> Ran),
    LaneHash(fn(&dyn LaneHash, &Vectors, &mut Tally) -> Ran),
    Mac(fn(&dyn Mac, &Vectors, &mut Tally) -> Ran),
    Kdf(fn(&dyn Kdf, &Vectors, &mut Tally) -> Ran),
    Aead(fn(&dyn Aead, &Vectors, &mut Tally) -> Ran),
}

/// One algorithm of a provider.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    Kem(&'a dyn Kem),
    Signature(&'a dyn SignatureScheme),
    KeyAgreement(&'a dyn KeyAgreement),
    Hash(&'a dyn Hash),
    Xof(&'a dyn Xof),
    LaneHash(&'a dyn LaneHash),
    Mac(&'a dyn Mac),
    Kdf(&'a dyn Kdf),
    Aead(&'a dyn Aead),
}

impl<'a> Subject<'a> {
    /// Everything that a provider offers.
    pub(crate) fn all(provider: &'a Provider) -> Vec<Subject<'a>> {
        let mut all: Vec<Subject> = provider.kems.iter().map(|kem| Subject::Kem(kem.as_ref())).collect();
        all.extend(provider.signatures.iter().map(|scheme| Subject::Signature(scheme.as_ref())));
        all.extend(provider.key_agreements.iter().map(|agreement| Subject::KeyAgreement(agreement.as_ref())));
        all.extend(provider.hashes.iter().map(|hash| Subject::Hash(hash.as_ref())));
        all.extend(provider.xofs.iter().map(|xof| Subject::Xof(xof.as_ref())));
        all.extend(provider.lane_hashes.iter().map(|hash| Subject::LaneHash(hash.as_ref())));
        all.extend(provider.macs.iter().map(|mac| Subject::Mac(mac.as_ref())));
        all.extend(provider.kdfs.iter().map(|kdf| Subject::Kdf(kdf.as_ref())));
        all.extend(provider.aeads.iter().map(|aead| Subject::Aead(aead.as_ref())));
        all
    }

    /// The algorithm's name.
    pub(crate) fn algorithm(self) -> &'a str {
        match self {
            Subject::Kem(kem) => &kem.info().parameters.algorithm,
            Subject::Signature(scheme) => &scheme.info().parameters.algorithm,
            Subject::KeyAgreement(agreement) => &agreement.info().parameters.algorithm,
            Subject::Hash(hash) => &hash.info().algorithm,
            Subject::Xof(xof) => &xof.info().algorithm,
            Subject::LaneHash(hash) => hash.algorithm(),
            Subject::Mac(mac) => mac.algorithm(),
            Subject::Kdf(kdf) => kdf.algorithm(),
            Subject::Aead(aead) => aead.algorithm(),
        }
    }
}

impl Suite {
    /// The suites that have vectors for a subject.
    pub(crate) fn of(subject: Subject<'_>) -> impl Iterator<Item = &'static Suite> {
        all().filter(move |suite| (suite.covers)(subject.algorithm()) && suite.takes(subject))
    }

    fn takes(&self, subject: Subject) -> bool {
        matches!(
            (self.run, subject),
            (Run::Kem(_), Subject::Kem(_))
                | (Run::Signature(_), Subject::Signature(_))
                | (Run::KeyAgreement(_), Subject::KeyAgreement(_))
                | (Run::Hash(_), Subject::Hash(_))
                | (Run::Xof(_), Subject::Xof(_))
                | (Run::LaneHash(_), Subject::LaneHash(_))
                | (Run::Mac(_), Subject::Mac(_))
                | (Run::Kdf(_), Subject::Kdf(_))
                | (Run::Aead(_), Subject::Aead(_))
        )
    }

    /// Puts the vectors to the subject.
    pub(crate) fn run(&self, subject: Subject, vectors: &Vectors, tally: &mut Tally) -> Ran {
        match (self.run, subject) {
            (Run::Kem(run), Subject::Kem(kem)) => run(kem, vectors, tally),
            (Run::Signature(run), Subject::Signature(scheme)) => run(scheme, vectors, tally),
            (Run::KeyAgreement(run), Subject::KeyAgreement(agreement)) => run(agreement, vectors, tally),
            (Run::Hash(run), Subject::Hash(hash)) => run(hash, vectors, tally),
            (Run::Xof(run), Subject::Xof(xof)) => run(xof, vectors, tally),
            (Run::LaneHash(run), Subject::LaneHash(hash)) => run(hash, vectors, tally),
            (Run::Mac(run), Subject::Mac(mac)) => run(mac, vectors, tally),
            (Run::Kdf(run), Subject::Kdf(kdf)) => run(kdf, vectors, tally),
            (Run::Aead(run), Subject::Aead(aead)) => run(aead, vectors, tally),
            _ => Ok(()),
        }
    }
}

fn all() -> impl Iterator<Item = &'static Suite> {
    let tables: [&'static [Suite]; 12] = [
        ml_kem::SUITES,
        ml_dsa::SUITES,
        slh_dsa::SUITES,
        falcon::SUITES,
        ed25519::SUITES,
        ecdsa::SUITES,
        sha3::SUITES,
        transcripts::SUITES,
        crate::wycheproof::kem::SUITES,
        crate::wycheproof::ml_dsa::SUITES,
        crate::wycheproof::classical::SUITES,
        crate::wycheproof::symmetric::SUITES,
    ];
    tables.into_iter().flatten()
}

/// Whether an algorithm is a parameter set of ML-KEM.
pub(crate) fn is_ml_kem(algorithm: &str) -> bool {
    algorithm.starts_with("ML-KEM-")
}

/// Whether an algorithm is a parameter set of ML-DSA.
pub(crate) fn is_ml_dsa(algorithm: &str) -> bool {
    algorithm.starts_with("ML-DSA-")
}

/// Whether an algorithm is a parameter set of SLH-DSA.
pub(crate) fn is_slh_dsa(algorithm: &str) -> bool {
    algorithm.starts_with("SLH-DSA-")
}
