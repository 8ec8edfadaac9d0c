use super::parquet::{ParquetReader, ROW_GROUP};
use super::{
    BlockFormat, Rejected, Scheme, TransactionForm, about, batches, implementation, offering_batches, pool, sha256,
};
use crate::{LabError, Laboratory, Thing};
use pqlab_constructions::ledger::block::BlockReader;
use pqlab_constructions::ledger::index::STRIDE;
use pqlab_constructions::ledger::stream::{BlockProgress, Phases, verify_source};
use pqlab_constructions::ledger::{Rejections, Verifier};
use pqlab_harness::clock;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Prepared keys of senders that a verification keeps, a scheme.
const KEYS: usize = 256;
/// Bytes of a file that are read at once.
const BUFFER: usize = 1 << 20;
/// Transactions that can be verified at once: a chunk of so many is in memory for each thread, and two more.
const LARGEST_BATCH: usize = 10_000;

/// What to verify, and as whom.
#[derive(Clone, Debug)]
pub struct VerifyBlockRequest {
    /// The file.
    pub path: PathBuf,
    /// The form that is taken.
    pub form: TransactionForm,
    /// The chain of the verifier.
    pub chain_id: u32,
    /// Threads that verify; one more reads.
    pub threads: usize,
    /// Whose implementation, where it has the scheme.
    pub provider: Option<String>,
    /// Whether the prepared keys of senders are kept for their next transaction.
    pub keep_keys: bool,
    /// Which transactions of the file, by their positions; `None`: all, and then its end is checked too.
    pub part: Option<Range<u64>>,
    /// Transactions that are verified at once, from 1 to 10,000; `None`: [`Verifier::BATCH`] where the provider has batches.
    pub batch: Option<usize>,
}

/// How it ended.
#[derive(Clone, Debug)]
pub struct BlockReport {
    /// The file's format.
    pub format: BlockFormat,
    /// Transactions.
    pub transactions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many were rejected.
    pub rejected: u64,
    /// How many of each kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// The first of them, with their reasons.
    pub list: Vec<Rejected>,
    /// Wall time of reading, decoding and verifying, in ns.
    pub elapsed_ns: u64,
    /// On what the time went, where `progress` is [timed](super::timed).
    pub phases: Phases,
    /// Threads that verified.
    pub threads: usize,
    /// Transactions that were verified at once, where somebody has batches.
    pub batch: Option<usize>,
    /// Whose implementation of each scheme.
    pub providers: Vec<(Scheme, String)>,
    /// Providers that verify many transactions of a scheme at once.
    pub batch_providers: Vec<String>,
    /// The version of every provider that is named.
    pub versions: BTreeMap<String, String>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// What a block file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    /// The file's format.
    pub format: BlockFormat,
    /// The form of its transactions.
    pub form: TransactionForm,
    /// How many it has.
    pub transactions: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Parts that begin at a multiple of this number are found at once; `None` where it can only be read as a whole.
    pub stride: Option<u64>,
}

/// Reads what a block file says of itself: its header and footer.
///
/// # Errors
/// [`LabError::File`] where it cannot be read, or is not a block.
pub fn block_facts(path: &Path) -> Result<BlockFacts, LabError> {
    let failed = |error: &dyn std::fmt::Display| about(path, error);
    let mut file = open(path)?;
    let bytes = file.metadata().map_err(|error| failed(&error))?.len();
    let format = format_of(&mut file).map_err(|error| failed(&error))?;
    Ok(match format {
        BlockFormat::Block => {
            let header = BlockReader::new(&file).map_err(|error| failed(&error))?.header();
            if header.indexed {
                file.seek(SeekFrom::Start(0)).map_err(|error| failed(&error))?;
                BlockReader::part(&file, 0, 0).map_err(|error| failed(&error))?;
            }
            let stride = header.indexed.then_some(STRIDE);
            BlockFacts { format, form: header.form, transactions: header.count, bytes, stride }
        }
        BlockFormat::Parquet => {
            let transactions = ParquetReader::new(file).map_err(|error| failed(&error))?.rows();
            let (form, stride) = (TransactionForm::TxV2, Some(ROW_GROUP));
            BlockFacts { format, form, transactions, bytes, stride }
        }
    })
}

pub(super) fn open(path: &Path) -> Result<File, LabError> {
    let file = File::open(path).map_err(|error| about(path, error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(about(path, "this is a folder, not a block file"));
    }
    Ok(file)
}

/// Opens a block in either format and says how many transactions it announces, so that a progress bar has a length.
///
/// # Errors
/// [`LabError::File`] where the file cannot be read or is not a block, [`LabError::OtherForm`] where its transactions are not of the
/// form that is taken, [`LabError::Unknown`] for a provider that is not there, and [`LabError::Invalid`] for a batch that is too large
/// or that nobody verifies at once.
pub fn verify_block(
    laboratory: &Laboratory,
    request: &VerifyBlockRequest,
    progress: &BlockProgress,
    announce: &mut dyn FnMut(u64),
) -> Result<BlockReport, LabError> {
    let failed = |error: &dyn std::fmt::Display| about(&request.path, error);
    let mut file = open(&request.path)?;
    if let Some(part) = request.part.as_ref().filter(|part| part.start > part.end) {
        let reason = format!("transactions {} to {} are asked for: they end before they begin", part.start, part.end);
        return Err(LabError::invalid("part", reason));
    }
    let Party { verifier, providers, in_batches } = verifier(laboratory, request)?;
    // One thread has a pool too: this thread reads on while it verifies.
    let pool = pool(request.threads)?;
    let format = format_of(&mut file).map_err(|error| failed(&error))?;
    let started;
    let outcome: Result<Rejections, LabError> = match format {
        BlockFormat::Block => {
            let input = BufReader::with_capacity(BUFFER, file);
            let source = match &request.part {
                None => BlockReader::new(input),
                Some(part) => BlockReader::part(input, part.start, part.end.saturating_sub(part.start)),
            };
            let mut source = source.map_err(|error| failed(&error))?;
            check_form(request, source.header().form)?;
            announce(request.part.as_ref().map_or(source.header().count, |part| part.end - part.start));
            started = clock::monotonic_ns();
            verify_source(&mut source, &verifier, Some(&pool), progress).map_err(|error| failed(&error))
        }
        BlockFormat::Parquet => {
            let source = match &request.part {
                None => ParquetReader::new(file),
                Some(part) => ParquetReader::part(file, part.start, part.end),
            };
            let mut source = source.map_err(|error| failed(&error))?;
            check_form(request, TransactionForm::TxV2)?;
            announce(request.part.as_ref().map_or(source.rows(), |part| part.end - part.start));
            started = clock::monotonic_ns();
            verify_source(&mut source, &verifier, Some(&pool), progress).map_err(|error| failed(&error))
        }
    };
    let rejections = outcome?;
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

/// The format, by how the file begins.
pub(super) fn format_of(file: &mut File) -> std::io::Result<BlockFormat> {
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(if magic == *b"PAR1" { BlockFormat::Parquet } else { BlockFormat::Block })
}

/// Who verifies.
struct Party {
    verifier: Verifier,
    /// Whose implementation of each scheme it uses.
    providers: Vec<(Scheme, String)>,
    /// Whether one of them verifies many at once.
    in_batches: bool,
}

/// A verifier of every scheme that this build has. Batches are verified by whom the request names.
fn verifier(laboratory: &Laboratory, request: &VerifyBlockRequest) -> Result<Party, LabError> {
    let batch = request.batch.unwrap_or(Verifier::BATCH);
    if batch == 0 || batch > LARGEST_BATCH {
        return Err(LabError::invalid("batch", format!("batch is {batch}: it must be from 1 to {LARGEST_BATCH}")));
    }
    let mut verifier = Verifier::new(request.form, request.chain_id, sha256(laboratory)?).in_batches_of(batch);
    let (mut used, mut in_batches) = (Vec::new(), false);
    let asked = request.provider.as_deref();
    for scheme in Scheme::ALL {
        if let Some(asked) = asked
            && let Some((provider, batches)) = batches(laboratory, scheme, asked)?
        {
            let failed = |error| LabError::library(&provider, error);
            verifier = verifier.with_batches(scheme, batches).map_err(failed)?;
            used.push((scheme, provider));
            in_batches = true;
            continue;
        }
        // Not every provider has every scheme: what the one that was asked for lacks, another one verifies.
        let found = implementation(laboratory, scheme, asked).or_else(|error| match asked {
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
            // Its transactions are rejected as unsupported.
            Err(LabError::Unoffered { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(pattern) = asked
        && !used.iter().any(|(_, id)| crate::matches(pattern, id) || Some(pattern) == id.split(':').next())
    {
        return Err(LabError::unknown(Thing::LedgerProvider, pattern, used.iter().map(|(_, id)| id.as_str())));
    }
    if request.batch.is_some() && !in_batches {
        let offering: BTreeSet<String> = offering_batches(laboratory).collect();
        let offering = offering.into_iter().collect::<Vec<_>>().join(", ");
        let who = asked.map_or_else(|| "no provider is named".to_owned(), |asked| format!("{asked} has no batches"));
        return Err(LabError::invalid("batch", format!("batch is given, but {who}: there are those of {offering}")));
    }
    let verifier = if request.keep_keys { verifier.with_key_cache(KEYS) } else { verifier };
    Ok(Party { verifier, providers: used, in_batches })
}
