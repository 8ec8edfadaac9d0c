//! Block files of signed transactions: making them, and verifying them.

mod generate;
mod output;
mod parquet;
mod parts;
mod verified;
mod verify;

pub use generate::{GenerateRequest, Generated, generate};
pub use parts::{Assembly, bytes_of_part, footer_length, generate_part};
pub use pqlab_constructions::ledger::stream::{BlockProgress, Phases};
pub use pqlab_constructions::ledger::{Form as TransactionForm, Rejected, Rejection, Scheme};
pub use verified::{BlockFigures, ClusterFigures, PhaseTimes, RejectedTransaction, VerifiedBlock};
pub use verify::{BlockFacts, BlockReport, VerifyBlockRequest, block_facts, verify_block};

use crate::{LabError, Laboratory, Thing, matches};
use pqlab_primitives::{BatchVerifier, Hash, SignatureScheme};
use pqlab_workloads::{CaseOptions, ledger};
use std::path::Path;
use std::sync::Arc;

/// Format of a block in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// pqlab's own: a header, and each transaction behind its length.
    Block,
    /// Apache Parquet, a row for each transaction.
    Parquet,
}

impl BlockFormat {
    /// The word that command lines and files carry.
    pub fn name(self) -> &'static str {
        match self {
            BlockFormat::Block => "block",
            BlockFormat::Parquet => "parquet",
        }
    }
}

/// Who is asked first where the user names nobody: complete verifiers before the one with a known defect (see
/// METHODOLOGY), the specialist before the rest.
const PREFERENCE: [&str; 8] =
    ["libsecp256k1", "aws-lc", "openssl", "rustcrypto", "libcrux:avx2", "libcrux:portable", "fn-dsa", "liboqs"];

/// An implementation of a scheme, and the provider, or the pair, that it is from. Its known answers have been checked.
type Implementation = (String, Arc<dyn SignatureScheme>);

/// Who verifies many signatures of a scheme at once, and the provider that it is from.
type Batches = (String, Arc<dyn BatchVerifier>);

/// The implementation of a scheme from the provider that is asked for, or from the first that has it.
fn implementation(laboratory: &Laboratory, scheme: Scheme, asked: Option<&str>) -> Result<Implementation, LabError> {
    let (algorithm, providers) = (scheme.algorithm(), laboratory.registry().providers());
    let mut offering = ledger::implementations(providers, scheme, &CaseOptions::default());
    let place = |id: &str| PREFERENCE.iter().position(|known| *known == id).unwrap_or(PREFERENCE.len());
    offering.sort_by_key(|one| place(&one.provider));
    let names: Vec<String> = offering.iter().map(|one| one.provider.clone()).collect();
    let found = match asked {
        None => offering.into_iter().next(),
        Some(asked) => ledger::implementation(providers, scheme, asked)
            .or_else(|| offering.into_iter().find(|one| is_meant(asked, &one.provider))),
    };
    let found = found.ok_or_else(|| LabError::Unoffered {
        algorithm: algorithm.to_owned(),
        provider: asked.map(str::to_owned),
        offering: names,
    })?;
    for (id, algorithm) in &found.primitives {
        check(laboratory, id, algorithm)?;
    }
    Ok((found.provider, found.scheme))
}

/// Whose batches of a scheme are asked for, by a provider's id or its library's name, or by a pattern. Their known answers have been
/// checked.
fn batches(laboratory: &Laboratory, scheme: Scheme, asked: &str) -> Result<Option<Batches>, LabError> {
    let providers = laboratory.registry().providers();
    let exactly = ledger::batch_verifier(providers, scheme, asked).map(|verifier| (asked.to_owned(), verifier));
    let mut offering = ledger::batch_verifiers(providers, scheme).into_iter();
    let found = exactly.or_else(|| offering.find(|(id, _)| is_meant(asked, id)));
    if let Some((id, _)) = &found {
        check(laboratory, id, scheme.algorithm())?;
    }
    Ok(found)
}

/// The providers that have batches of a scheme.
fn offering_batches(laboratory: &Laboratory) -> impl Iterator<Item = String> {
    let of = |scheme| ledger::batch_verifiers(laboratory.registry().providers(), scheme);
    Scheme::ALL.into_iter().flat_map(of).map(|(id, _)| id)
}

fn is_meant(asked: &str, id: &str) -> bool {
    matches(asked, id) || id.split(':').next().is_some_and(|library| matches(asked, library))
}

fn check(laboratory: &Laboratory, id: &str, algorithm: &str) -> Result<(), LabError> {
    let provider = laboratory.registry().providers().iter().find(|provider| provider.id() == id);
    let provider = provider.ok_or_else(|| LabError::unknown(Thing::Provider, id, std::iter::empty()))?;
    pqlab_verification::known_answers::check(provider, algorithm)
        .map(drop)
        .map_err(|wrong| LabError::library(id, format!("a wrong answer for {algorithm}: {wrong}")))
}

/// SHA-256 for the digests.
fn sha256(laboratory: &Laboratory) -> Result<Arc<dyn Hash>, LabError> {
    ledger::digest(laboratory.registry().providers()).ok_or_else(|| LabError::Unoffered {
        algorithm: "SHA-256, which every transaction is signed with".into(),
        provider: None,
        offering: Vec::new(),
    })
}

/// A progress that also says on what a verification's time went.
pub fn timed() -> BlockProgress {
    BlockProgress::timed(pqlab_harness::clock::monotonic_ns)
}

/// Something that a file did, in one line.
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
