//! Ledger transactions (TXv2) and block files.

use super::keys::{Secret, SecretKey};
use super::source::{Kind as UsedAs, Source, Use};
use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::{Bytes, Whole, field};
use crate::request::read;
use pqlab_constructions::ledger::{ADDRESS, Body, Form, Malformed, Scratch, Transaction, Verifier};
use pqlab_lab::ledger::{
    Assembly, BlockFormat, BlockReport, GenerateRequest, Generated, Rejection, Scheme, TransactionForm, VerifiedBlock,
    VerifyBlockRequest, block_facts, bytes_of_part, footer_length, generate, generate_part, timed, verify_block,
};
use pqlab_lab::primitives::Coins;
use pqlab_lab::{Laboratory, WorkerProgram, by_name};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Interval between progress reports during verification, and between checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of threads.
const MOST_THREADS: usize = 1024;
/// Buffer space for the fields of a transaction other than the key and the signature, in bytes.
const FIELDS: usize = 256;
/// Maximum number of rejected transactions that a report lists.
const LISTED: usize = 1000;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(ledger_schemes, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_sign, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_decode, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_verify, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_generate, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_generate_part, module)?)?;
    module.add_class::<LedgerAssembly>()?;
    module.add_function(wrap_pyfunction!(ledger_footer_length, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_bytes_of_part, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_verify_block, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_cluster_report, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_block_facts, module)?)
}

impl From<Malformed> for Failure {
    fn from(error: Malformed) -> Failure {
        Failure::argument("transaction", error)
    }
}

/// Returns the names of the schemes, in the order of their scheme bytes.
#[pyfunction]
fn ledger_schemes() -> Vec<&'static str> {
    Scheme::ALL.map(Scheme::algorithm).to_vec()
}

fn scheme_named(name: &str) -> Answer<Scheme> {
    Scheme::from_algorithm(name).ok_or_else(|| {
        let names = Scheme::ALL.map(Scheme::algorithm).join(", ");
        Failure::new(Kind::UnknownName, format!("unknown ledger scheme {name:?}; expected one of {names}"))
    })
}

fn form_named(name: &str) -> Answer<TransactionForm> {
    let all = [TransactionForm::TxV1, TransactionForm::TxV2];
    let names = all.map(|form| form.name().to_lowercase());
    let place = names.iter().position(|other| other == name);
    place
        .map(|place| all[place])
        .ok_or_else(|| Failure::argument("form", format!("{name:?} is not one of {}", names.join(", "))))
}

/// Fields of a transaction to sign: chain, nonce, receiver, amount, fee.
type Said<'a> = (Whole<u32>, Whole<u64>, Bytes<'a>, Whole<u64>, Whole<u64>);

/// Signs a transaction and returns the encoded transaction.
#[pyfunction]
#[pyo3(signature = (said, secret_key))]
fn ledger_sign<'py>(py: Python<'py>, said: Said<'_>, secret_key: &Bound<'_, SecretKey>) -> Answer<Bound<'py, PyBytes>> {
    let (chain_id, nonce, to, amount, fee) = said;
    let key = secret_key.get();
    let scheme = scheme_named(&key.source.algorithm)?;
    let to: &[u8; ADDRESS] =
        (&*to).try_into().map_err(|_| Failure::argument("to", format!("needs {ADDRESS} bytes, not {}", to.len())))?;
    let transaction = detached(py, || {
        let Secret::Signing(signing) = &key.prepared else {
            return Err(Failure::argument("secret_key", "a decapsulation key cannot sign"));
        };
        let public = key.public()?;
        let (chain_id, nonce, amount, fee) = (chain_id.0, nonce.0, amount.0, fee.0);
        let body = Body { chain_id, scheme, nonce, to, amount, fee, public_key: public.bytes()? };
        let mut out = vec![0; FIELDS + scheme.public_key() + scheme.signature().1];
        let sha256 = by_name::hash("SHA-256", None)?.implementation;
        let length = body.sign(signing.as_ref(), sha256.as_ref(), Coins::Internal, &mut Scratch::new(), &mut out)?;
        out.truncate(length);
        Ok(out)
    })?;
    Ok(PyBytes::new(py, &transaction))
}

/// Fields of a decoded transaction: chain, nonce, receiver, amount, fee, scheme, public key, signature.
type Decoded<'py> = (u32, u64, Bound<'py, PyBytes>, u64, u64, &'static str, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Decodes a transaction. Does not verify its signature.
#[pyfunction]
#[pyo3(signature = (transaction))]
fn ledger_decode<'py>(py: Python<'py>, transaction: Bytes<'_>) -> Answer<Decoded<'py>> {
    let found = Transaction::decode(&transaction)?;
    let Body { chain_id, scheme, nonce, to, amount, fee, public_key } = *found.body();
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    let (to, public_key, signature) = (bytes(to), bytes(public_key), bytes(found.signature()));
    Ok((chain_id, nonce, to, amount, fee, scheme.algorithm(), public_key, signature))
}

/// Verifies a transaction, which must be for the chain `chain_id`.
#[pyfunction]
#[pyo3(signature = (transaction, chain_id, provider))]
fn ledger_verify(py: Python<'_>, transaction: Bytes<'_>, chain_id: Whole<u32>, provider: Option<&str>) -> Answer<()> {
    detached(py, || {
        let found = Transaction::decode(&transaction)?;
        let scheme = found.body().scheme;
        let source = Source::find(UsedAs::Signature, scheme.algorithm(), provider)?;
        let sha256 = by_name::hash("SHA-256", None)?.implementation;
        let mut verifier = Verifier::new(Form::TxV2, chain_id.0, sha256);
        if let Use::Signature(implementation) = &source.of {
            verifier = verifier.with_scheme(scheme, Arc::clone(implementation))?;
        }
        verifier.verify_decoded(&found, &mut Scratch::new()).map_err(|rejection| {
            let kind = match rejection {
                Rejection::Malformed(_) => Kind::InvalidArgument,
                Rejection::Library(_) => Kind::Library,
                _ => Kind::VerificationFailed,
            };
            Failure::new(kind, format!("transaction rejected: {rejection}"))
        })
    })
}

/// Returns a laboratory for work on block files. This work does not start a worker, so the worker program need not
/// exist.
fn laboratory() -> Laboratory {
    Laboratory::new(WorkerProgram::pqlab("pqlab"))
}

fn threads(asked: Option<Whole<usize>>) -> Answer<usize> {
    let there = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = asked.map_or_else(there, |threads| threads.0);
    if threads == 0 || threads > MOST_THREADS {
        return Err(Failure::argument("threads", format!("must be from 1 to {MOST_THREADS}, not {threads}")));
    }
    Ok(threads)
}

/// Generates a block file. Calls `progress` with the number of transactions generated and the total.
#[pyfunction]
#[pyo3(signature = (wanted, progress))]
fn ledger_generate(py: Python<'_>, wanted: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> Answer<Made> {
    let request = generate_request(wanted)?;
    detached(py, || {
        let (stop, mut raised, mut done) = (AtomicBool::new(false), None, 0);
        let mut tell = |more: u64| {
            done += more;
            if let Err(error) = report_progress(progress.as_ref(), done, request.count) {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        };
        let outcome = generate(&laboratory(), &request, &mut tell, &stop);
        if let Some(raised) = raised {
            return Err(raised.into());
        }
        Ok(shown_made(outcome?.ok_or_else(stopped_by_nobody)?))
    })
}

/// Parses a request to generate a block.
fn generate_request(wanted: &Bound<'_, PyAny>) -> Answer<GenerateRequest> {
    let format: String = field(wanted, "format")?;
    let format = match format.as_str() {
        "block" => BlockFormat::Block,
        "parquet" => BlockFormat::Parquet,
        other => return Err(Failure::argument("format", format!("{other:?} is neither \"block\" nor \"parquet\""))),
    };
    let scheme: String = field(wanted, "scheme")?;
    let Whole(count) = field(wanted, "count")?;
    let senders: Option<Whole<u64>> = field(wanted, "senders")?;
    let number = |name| field(wanted, name).map(|Whole::<u64>(number)| number);
    Ok(GenerateRequest {
        path: field(wanted, "path")?,
        format,
        form: form_named(&field::<String>(wanted, "form")?)?,
        scheme: scheme_named(&scheme)?,
        count,
        senders: senders.map_or(count, |senders| senders.0),
        invalid: number("invalid")?,
        chain_id: field(wanted, "chain_id").map(|Whole::<u32>(chain)| chain)?,
        seed: number("seed")?,
        provider: field(wanted, "provider")?,
        threads: threads(field(wanted, "threads")?)?,
    })
}

/// Result of generating a block: number of transactions, number of invalid transactions, bytes, provider, and whether
/// the same seed gives the same file.
type Made = (u64, u64, u64, String, bool);

fn shown_made(block: Generated) -> Made {
    (block.transactions, block.invalid, block.bytes, block.provider, block.reproducible)
}

fn stopped_by_nobody() -> Failure {
    Failure::new(Kind::Internal, "stopped for no known reason")
}

/// Generates the transactions `part.0..part.1` of a block, encoded as a separate block.
#[pyfunction]
#[pyo3(signature = (wanted, part))]
fn ledger_generate_part<'py>(
    py: Python<'py>,
    wanted: &Bound<'_, PyAny>,
    part: (Whole<u64>, Whole<u64>),
) -> Answer<Bound<'py, PyBytes>> {
    let request = generate_request(wanted)?;
    let part = part.0.0..part.1.0;
    let block = detached(py, || {
        generate_part(&laboratory(), &request, part, &AtomicBool::new(false))?.ok_or_else(stopped_by_nobody)
    })?;
    Ok(PyBytes::new(py, &block))
}

/// A block file that is assembled from parts.
#[pyclass(module = "pqlab._pqlab", frozen)]
struct LedgerAssembly {
    /// `None` once finished.
    under_way: Mutex<Option<Assembly>>,
}

#[pymethods]
impl LedgerAssembly {
    #[new]
    #[pyo3(signature = (wanted))]
    fn new(py: Python<'_>, wanted: &Bound<'_, PyAny>) -> Answer<LedgerAssembly> {
        let request = generate_request(wanted)?;
        let assembly = detached(py, || Ok(Assembly::new(&laboratory(), &request)?))?;
        Ok(LedgerAssembly { under_way: Mutex::new(Some(assembly)) })
    }

    /// Appends the next part and returns the number of transactions so far.
    #[pyo3(signature = (part))]
    fn add(&self, py: Python<'_>, part: Bytes<'_>) -> Answer<u64> {
        detached(py, || match self.under_way.lock().as_deref_mut() {
            Ok(Some(assembly)) => Ok(assembly.add(&part)?),
            _ => Err(Failure::argument("part", "the block is already finished")),
        })
    }

    /// Finishes the file and moves it to its final name. If this method is not called, no file remains.
    fn finish(&self, py: Python<'_>) -> Answer<Made> {
        detached(py, || match self.under_way.lock().map(|mut kept| kept.take()) {
            Ok(Some(assembly)) => Ok(shown_made(assembly.finish()?)),
            _ => Err(Failure::argument("part", "the block is already finished")),
        })
    }
}

/// Returns the length in bytes of a block file's footer, which locates the parts. Needs the first and last 32 bytes of
/// the file.
#[pyfunction]
#[pyo3(signature = (head, tail))]
fn ledger_footer_length(head: Bytes<'_>, tail: Bytes<'_>) -> u64 {
    footer_length(&head, &tail)
}

/// Returns the byte range of a part in a block file. Readers also need the header and the footer of the file.
#[pyfunction]
#[pyo3(signature = (path, part))]
fn ledger_bytes_of_part(py: Python<'_>, path: PathBuf, part: (Whole<u64>, Whole<u64>)) -> Answer<(u64, u64)> {
    let found = detached(py, || Ok(bytes_of_part(&path, part.0.0..part.1.0)?))?;
    Ok((found.start, found.end))
}

/// Checks for signals, then reports progress.
fn report_progress(progress: Option<&Py<PyAny>>, done: u64, all: u64) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        progress.map_or(Ok(()), |progress| progress.call1(py, (done, all)).map(drop))
    })
}

/// A rejected transaction: position from 0, kind, reason.
type RejectedRow = (u64, &'static str, String);
/// Result of verifying a block. The fields are: format, number of transactions, bytes, number of rejected transactions,
/// number of rejected transactions by kind, list of the first rejected transactions, elapsed ns, threads, batch size,
/// verifiers, and the time of each phase in ns. The phases are reading, decoding, verifying, waiting by the verifying
/// threads, and waiting by the reading thread.
type Report = (
    &'static str,
    u64,
    u64,
    u64,
    Vec<(&'static str, u64)>,
    Vec<RejectedRow>,
    u64,
    usize,
    Option<usize>,
    Verifiers,
    (u64, u64, u64, u64, u64),
);
/// Libraries that verified: provider of each scheme, version of each provider, and the providers that verify in
/// batches.
type Verifiers = (Vec<(&'static str, String)>, Vec<(String, String)>, Vec<String>);
/// Properties of a block file: format, form, number of transactions, bytes, and stride. If a part begins at a multiple
/// of the stride, readers find it without a scan.
type Facts = (&'static str, &'static str, u64, u64, Option<u64>);

/// Verifies a block file in bounded memory. Calls `progress` with the number of transactions verified and the total.
#[pyfunction]
#[pyo3(signature = (path, chain_id, form, threads, provider, keep_keys, batch, part, progress))]
#[expect(clippy::too_many_arguments, reason = "they mirror the options of the command line")]
fn ledger_verify_block(
    py: Python<'_>,
    path: PathBuf,
    chain_id: Whole<u32>,
    form: &str,
    threads: Option<Whole<usize>>,
    provider: Option<String>,
    keep_keys: bool,
    batch: Option<Whole<usize>>,
    part: Option<(Whole<u64>, Whole<u64>)>,
    progress: Option<Py<PyAny>>,
) -> Answer<Report> {
    let (form, threads) = (form_named(form)?, self::threads(threads)?);
    let batch = batch.map(|batch| batch.0);
    // For a part, list all rejections: the caller merges the parts' reports and then shortens the
    // list.
    let listed = if part.is_some() { usize::MAX } else { LISTED };
    let part = part.map(|(first, end)| first.0..end.0);
    let request = VerifyBlockRequest { path, form, chain_id: chain_id.0, threads, provider, keep_keys, part, batch };
    detached(py, || {
        let far = timed();
        let all = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            let verifying = scope.spawn(|| {
                let mut announce = |count| all.store(count, Ordering::Relaxed);
                verify_block(&laboratory(), &request, &far, &mut announce)
            });
            let mut raised = None;
            while !verifying.is_finished() {
                std::thread::park_timeout(TICK);
                if raised.is_none()
                    && let Err(error) =
                        report_progress(progress.as_ref(), far.transactions(), all.load(Ordering::Relaxed))
                {
                    far.stop();
                    raised = Some(error);
                }
            }
            let outcome = verifying.join().map_err(|_| Failure::new(Kind::Internal, "internal error in pqlab"))?;
            if let Some(raised) = raised {
                return Err(raised.into());
            }
            let report = outcome?;
            report_progress(progress.as_ref(), report.transactions, report.transactions)?;
            Ok(shown(report, listed))
        })
    })
}

/// Formats the report on a block that a cluster verified, in the formats of `pqlab ledger verify`: JSON or text.
#[pyfunction]
#[pyo3(signature = (file, form, chain_id, report, as_json))]
fn ledger_cluster_report(
    py: Python<'_>,
    file: String,
    form: &str,
    chain_id: Whole<u32>,
    report: &str,
    as_json: bool,
) -> Answer<String> {
    let form = form_named(form)?;
    detached(py, || {
        // The JSON object contains the fields of both types.
        let (figures, cluster) = (read(report)?, Some(read(report)?));
        let block = VerifiedBlock { file, form, chain_id: chain_id.0, figures, cluster };
        Ok(if as_json { block.to_json().to_string() } else { block.to_text() })
    })
}

/// Returns the properties of a block file from its header and footer.
#[pyfunction]
#[pyo3(signature = (path))]
fn ledger_block_facts(py: Python<'_>, path: PathBuf) -> Answer<Facts> {
    let facts = detached(py, || Ok(block_facts(&path)?))?;
    let form = if facts.form == TransactionForm::TxV1 { "txv1" } else { "txv2" };
    Ok((facts.format.name(), form, facts.transactions, facts.bytes, facts.stride))
}

fn shown(report: BlockReport, listed: usize) -> Report {
    let list = report.list.into_iter().take(listed);
    let list = list.map(|rejected| (rejected.index, rejected.reason.kind(), rejected.reason.to_string()));
    let providers = report.providers.into_iter().map(|(scheme, provider)| (scheme.algorithm(), provider)).collect();
    let versions = report.versions.into_iter().collect();
    let phases = report.phases;
    (
        report.format.name(),
        report.transactions,
        report.bytes,
        report.rejected,
        report.kinds.into_iter().collect(),
        list.collect(),
        report.elapsed_ns,
        report.threads,
        report.batch,
        (providers, versions, report.batch_providers),
        (phases.reading, phases.decoding, phases.verifying, phases.starved, phases.held),
    )
}
