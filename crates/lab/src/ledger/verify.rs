use super::{
    BlockFacts, BlockFormat, Rejected, Scheme, TransactionForm, about, batches, implementation, offering_batches, open,
    pool, sha256,
};
use crate::{LabError, Laboratory, Thing};
use pqlab_constructions::ledger::Verifier;
use pqlab_constructions::ledger::stream::{BlockProgress, Phases};
use pqlab_harness::clock;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Maximum number of prepared sender keys kept for each scheme.
const KEYS: usize = 256;
/// Maximum batch size, in transactions. This limits memory use, because each thread holds up to three large batches.
const LARGEST_BATCH: usize = 10_000;

/// Request to verify a block.
#[derive(Clone, Debug)]
pub struct VerifyBlockRequest {
    /// The block file.
    pub path: PathBuf,
    /// Form that the transactions must have.
    pub form: TransactionForm,
    /// Chain id that the transactions must have.
    pub chain_id: u32,
    /// Number of verifying threads. An additional thread reads the file.
    pub threads: usize,
    /// Id of the preferred provider, or a pattern. Other providers verify the schemes that this one does not offer.
    pub provider: Option<String>,
    /// Whether to keep the prepared keys of senders for their next transactions.
    pub keep_keys: bool,
    /// Positions of the transactions to verify. `None` verifies all transactions and checks the end of the file.
    pub part: Option<Range<u64>>,
    /// Batch size in transactions, from 1 to 10,000. If it is set, the provider must verify in batches. If it is
    /// `None`, a provider that verifies in batches uses [`Verifier::BATCH`].
    pub batch: Option<usize>,
}

/// Result of a verification.
#[derive(Clone, Debug)]
pub struct BlockReport {
    /// The file's format.
    pub format: BlockFormat,
    /// Number of transactions.
    pub transactions: u64,
    /// Total length of the transactions in bytes.
    pub bytes: u64,
    /// Number of rejected transactions.
    pub rejected: u64,
    /// Number of rejected transactions for each kind of fault, such as `wrong-signature`.
    pub kinds: BTreeMap<&'static str, u64>,
    /// The first rejected transactions by position, at most 100,000, with the reasons.
    pub list: Vec<Rejected>,
    /// Wall time of reading, decoding and verifying, in ns.
    pub elapsed_ns: u64,
    /// Time spent in each phase, if the progress object is [timed](super::timed).
    pub phases: Phases,
    /// Number of verifying threads.
    pub threads: usize,
    /// Batch size in transactions, if a provider verified in batches.
    pub batch: Option<usize>,
    /// Schemes, each with the id of the provider that verifies it.
    pub providers: Vec<(Scheme, String)>,
    /// Ids of the providers that offer batch verifiers.
    pub batch_providers: Vec<String>,
    /// Versions of all providers in this report, keyed by id.
    pub versions: BTreeMap<String, String>,
    /// Whether the verification was stopped early.
    pub stopped: bool,
}

/// Reads the description of a block file from its header and footer.
///
/// # Errors
/// [`LabError::File`] if the file cannot be read or is not a block.
pub fn block_facts(path: &Path) -> Result<BlockFacts, LabError> {
    open(path)?.facts().map_err(|error| about(path, error))
}

/// Verifies a block in either format. Before the verification starts, `announce` receives the number of transactions,
/// for a progress bar.
///
/// # Errors
/// - [`LabError::File`] if the file cannot be read or is not a block.
/// - [`LabError::OtherForm`] if its transactions do not have the requested form.
/// - [`LabError::Unknown`] for an unknown provider.
/// - [`LabError::Invalid`] if the batch size is out of range, or if the requested provider does not verify in batches.
pub fn verify_block(
    laboratory: &Laboratory,
    request: &VerifyBlockRequest,
    progress: &BlockProgress,
    announce: &mut dyn FnMut(u64),
) -> Result<BlockReport, LabError> {
    let failed = |error| about(&request.path, error);
    let file = open(&request.path)?;
    if let Some(part) = request.part.as_ref().filter(|part| part.start > part.end) {
        let reason = format!("invalid range of transactions: {} to {}", part.start, part.end);
        return Err(LabError::invalid("part", reason));
    }
    let Party { verifier, providers, in_batches } = verifier(laboratory, request)?;
    // Create a pool even for one thread, because the current thread reads ahead while the pool verifies.
    let pool = pool(request.threads)?;
    let format = file.format();
    let transactions = file.transactions(request.part.clone()).map_err(failed)?;
    check_form(request, transactions.form())?;
    announce(transactions.count());
    let started = clock::monotonic_ns();
    let rejections = transactions.verify(&verifier, Some(&pool), progress).map_err(failed)?;
    let batch_providers: BTreeSet<String> = offering_batches(laboratory).collect();
    let named = providers.iter().map(|(_, id)| id).chain(&batch_providers).flat_map(|id| id.split('+'));
    let version = |id: &str| {
        let provider = laboratory.registry().providers().iter().find(|provider| provider.id() == id)?;
        Some((id.to_owned(), provider.build_info.version.clone()))
    };
    let versions = named.filter_map(version).collect();
    Ok(BlockReport {
        format,
        transactions: progress.transactions(),
        bytes: progress.bytes(),
        rejected: rejections.count(),
        kinds: rejections.kinds().clone(),
        list: rejections.into_list(),
        elapsed_ns: clock::monotonic_ns() - started,
        phases: progress.phases(),
        threads: request.threads,
        batch: in_batches.then(|| verifier.batch()),
        providers,
        batch_providers: batch_providers.into_iter().collect(),
        versions,
        stopped: progress.stopped(),
    })
}

fn check_form(request: &VerifyBlockRequest, found: TransactionForm) -> Result<(), LabError> {
    if found == request.form {
        return Ok(());
    }
    let (found, wanted) = (found.name(), request.form.name());
    Err(LabError::OtherForm { path: request.path.clone(), found, wanted })
}

/// A verifier and the providers that it uses.
struct Party {
    verifier: Verifier,
    /// Schemes, each with the id of the provider that verifies it.
    providers: Vec<(Scheme, String)>,
    /// Whether one of the providers verifies in batches.
    in_batches: bool,
}

/// Builds a verifier for every scheme in this build. Only the requested provider verifies in batches.
fn verifier(laboratory: &Laboratory, request: &VerifyBlockRequest) -> Result<Party, LabError> {
    let batch = request.batch.unwrap_or(Verifier::BATCH);
    if batch == 0 || batch > LARGEST_BATCH {
        return Err(LabError::invalid("batch", format!("batch must be from 1 to {LARGEST_BATCH}, not {batch}")));
    }
    let mut verifier = Verifier::new(request.form, request.chain_id, sha256(laboratory)?).in_batches_of(batch);
    let (mut used, mut in_batches) = (Vec::new(), false);
    let wanted = request.provider.as_deref();
    for scheme in Scheme::ALL {
        if let Some(wanted) = wanted
            && let Some((provider, batches)) = batches(laboratory, scheme, wanted)?
        {
            let failed = |error| LabError::library(&provider, error);
            verifier = verifier.with_batches(scheme, batches).map_err(failed)?;
            used.push((scheme, provider));
            in_batches = true;
            continue;
        }
        // If the requested provider does not offer a scheme, another provider verifies that scheme.
        let found = implementation(laboratory, scheme, wanted).or_else(|error| match wanted {
            Some(_) => implementation(laboratory, scheme, None),
            None => Err(error),
        });
        match found {
            Ok((provider, implementation)) => {
                verifier = verifier
                    .with_scheme(scheme, implementation)
                    .map_err(|error| LabError::library(&provider, error))?;
                used.push((scheme, provider));
            }
            // The verifier rejects transactions with this scheme as unsupported.
            Err(LabError::Unoffered { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(pattern) = wanted
        && !used.iter().any(|(_, id)| crate::matches(pattern, id) || Some(pattern) == id.split(':').next())
    {
        return Err(LabError::unknown(Thing::LedgerProvider, pattern, used.iter().map(|(_, id)| id.as_str())));
    }
    if request.batch.is_some() && !in_batches {
        let offering: BTreeSet<String> = offering_batches(laboratory).collect();
        let offering = offering.into_iter().collect::<Vec<_>>().join(", ");
        let who = wanted
            .map_or_else(|| "no provider is named".to_owned(), |wanted| format!("{wanted} does not verify in batches"));
        return Err(LabError::invalid(
            "batch",
            format!("batch needs a provider that verifies in batches, but {who}; choose one of {offering}"),
        ));
    }
    let verifier = if request.keep_keys { verifier.with_key_cache(KEYS) } else { verifier };
    Ok(Party { verifier, providers: used, in_batches })
}
