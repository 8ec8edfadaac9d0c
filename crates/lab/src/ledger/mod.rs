//! Generates and verifies block files, which contain signed transactions.

mod generate;
mod output;
mod parts;
mod verified;
mod verify;

pub use generate::{GenerateRequest, Generated, generate};
pub use parts::{Assembly, bytes_of_part, generate_part};
pub use pqlab_blocks::{BlockFacts, BlockFormat, footer_length};
pub use pqlab_constructions::ledger::stream::{BlockProgress, Phases};
pub use pqlab_constructions::ledger::{Form as TransactionForm, Rejected, Rejection, Scheme};
pub use verified::{BlockFigures, ClusterFigures, PhaseTimes, RejectedTransaction, VerifiedBlock};
pub use verify::{BlockReport, VerifyBlockRequest, block_facts, verify_block};

use crate::{LabError, Laboratory, Thing, matches};
use pqlab_blocks::BlockFile;
use pqlab_primitives::{BatchVerifier, Hash, SignatureScheme};
use pqlab_workloads::{CaseOptions, ledger};
use std::path::Path;
use std::sync::Arc;

/// Order of preference if the user names no provider. libsecp256k1, which is specialized, comes first. liboqs comes
/// last, because its verifier has a known defect (see docs/explanation/verification.md).
const PREFERENCE: [&str; 8] =
    ["libsecp256k1", "aws-lc", "openssl", "rustcrypto", "libcrux:avx2", "libcrux:portable", "fn-dsa", "liboqs"];

/// Id of a provider or pair of providers, and its implementation of a scheme. The implementation has passed the
/// known-answer tests.
type Implementation = (String, Arc<dyn SignatureScheme>);

/// Id of a provider, and its batch verifier for a scheme.
type Batches = (String, Arc<dyn BatchVerifier>);

/// Returns the implementation of a scheme, after checking known answers. The implementation comes from the requested
/// provider or, without a request, from the first provider in [`PREFERENCE`] that offers the scheme.
fn implementation(laboratory: &Laboratory, scheme: Scheme, wanted: Option<&str>) -> Result<Implementation, LabError> {
    let (algorithm, providers) = (scheme.algorithm(), laboratory.registry().providers());
    let mut offering = ledger::implementations(providers, scheme, &CaseOptions::default());
    let place = |id: &str| PREFERENCE.iter().position(|known| *known == id).unwrap_or(PREFERENCE.len());
    offering.sort_by_key(|one| place(&one.provider));
    let names: Vec<String> = offering.iter().map(|one| one.provider.clone()).collect();
    let found = match wanted {
        None => offering.into_iter().next(),
        Some(wanted) => ledger::implementation(providers, scheme, wanted)
            .or_else(|| offering.into_iter().find(|one| is_meant(wanted, &one.provider))),
    };
    let found = found.ok_or_else(|| LabError::Unoffered {
        algorithm: algorithm.to_owned(),
        provider: wanted.map(str::to_owned),
        offering: names,
    })?;
    for (id, algorithm) in &found.primitives {
        check(laboratory, id, algorithm)?;
    }
    Ok((found.provider, found.scheme))
}

/// Returns the requested provider's batch verifier for a scheme, after checking known answers. Returns `None` if the
/// provider has none. `wanted` is a provider's id, a library's name or a pattern.
fn batches(laboratory: &Laboratory, scheme: Scheme, wanted: &str) -> Result<Option<Batches>, LabError> {
    let providers = laboratory.registry().providers();
    let exactly = ledger::batch_verifier(providers, scheme, wanted).map(|verifier| (wanted.to_owned(), verifier));
    let mut offering = ledger::batch_verifiers(providers, scheme).into_iter();
    let found = exactly.or_else(|| offering.find(|(id, _)| is_meant(wanted, id)));
    if let Some((id, _)) = &found {
        check(laboratory, id, scheme.algorithm())?;
    }
    Ok(found)
}

/// Returns the ids of the providers that offer batch verifiers for any scheme.
fn offering_batches(laboratory: &Laboratory) -> impl Iterator<Item = String> {
    let offers = |scheme| ledger::batch_verifiers(laboratory.registry().providers(), scheme);
    Scheme::ALL.into_iter().flat_map(offers).map(|(id, _)| id)
}

fn is_meant(wanted: &str, id: &str) -> bool {
    matches(wanted, id) || id.split(':').next().is_some_and(|library| matches(wanted, library))
}

fn check(laboratory: &Laboratory, id: &str, algorithm: &str) -> Result<(), LabError> {
    let provider = laboratory.registry().providers().iter().find(|provider| provider.id() == id);
    let provider = provider.ok_or_else(|| LabError::unknown(Thing::Provider, id, std::iter::empty()))?;
    pqlab_verification::known_answers::check(provider, algorithm)
        .map(drop)
        .map_err(|wrong| LabError::library(id, format!("wrong answer for {algorithm}: {wrong}")))
}

/// Returns the SHA-256 implementation for transaction digests.
fn sha256(laboratory: &Laboratory) -> Result<Arc<dyn Hash>, LabError> {
    ledger::digest(laboratory.registry().providers()).ok_or_else(|| LabError::Unoffered {
        algorithm: "SHA-256, which every transaction needs".into(),
        provider: None,
        offering: Vec::new(),
    })
}

/// Returns a progress object that also records the time spent in each phase of a verification.
pub fn timed() -> BlockProgress {
    BlockProgress::timed(pqlab_harness::clock::monotonic_ns)
}

fn open(path: &Path) -> Result<BlockFile, LabError> {
    BlockFile::open(path).map_err(|error| about(path, error))
}

/// Creates a [`LabError::File`] with the reason `what`.
fn about(path: &Path, what: impl std::fmt::Display) -> LabError {
    LabError::File { path: path.to_path_buf(), reason: what.to_string() }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, LabError> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("ledger-{index}"));
    let refused = LabError::system(format!("cannot start {threads} threads"));
    builder.build().map_err(|error| refused(std::io::Error::other(error)))
}

#[cfg(test)]
mod tests;
