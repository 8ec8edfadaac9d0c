use crate::args::{BlockFormatName, FormName, GenerateArgs, LedgerCommand, ScalingArgs, VerifyBlockArgs};
use crate::output::{self, BadInput};
use crate::package::Words;
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INTERRUPTED, laboratory};
use indicatif::{ProgressBar, ProgressStyle};
use pqlab_lab::analysis::number::{grouped, memory, rate, significant};
use pqlab_lab::ledger::{
    BlockFormat, BlockReport, GenerateRequest, Phases, Scheme, TransactionForm, VerifyBlockRequest, generate, timed,
    verify_block,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Rejected transactions that are printed one by one; `--json` has more of them.
const SHOWN: usize = 20;
/// How often the bar looks at how far the verification is.
const TICK: Duration = Duration::from_millis(100);

pub(crate) fn run(command: &LedgerCommand) -> anyhow::Result<u8> {
    match command {
        LedgerCommand::Generate(arguments) => make(arguments),
        LedgerCommand::Verify(arguments) => check(arguments),
        LedgerCommand::Scaling(arguments) => scaling(arguments),
    }
}

fn make(arguments: &GenerateArgs) -> anyhow::Result<u8> {
    let scheme = Scheme::from_algorithm(&arguments.scheme).ok_or_else(|| {
        let names = Scheme::ALL.map(Scheme::algorithm).join(", ");
        BadInput(format!("no scheme of the ledger is called {:?}: there are {names}", arguments.scheme))
    })?;
    if let Some(address) = &arguments.cluster {
        return made_on_cluster(arguments, address);
    }
    no_object(&arguments.out)?;
    let destination = output::destination(&arguments.out)?;
    let request = GenerateRequest {
        path: arguments.out.clone(),
        format: arguments.format.into(),
        form: arguments.form.into(),
        scheme,
        count: arguments.count,
        senders: arguments.senders.unwrap_or(arguments.count),
        invalid: arguments.invalid.of(arguments.count),
        chain_id: arguments.chain_id,
        seed: arguments.seed,
        provider: arguments.provider.clone(),
        threads: threads(arguments.threads)?,
    };
    let stop = stop_on_signals()?;
    let bar = bar(arguments.no_progress, "transactions signed", request.count);
    let outcome = generate(&laboratory::open()?, &request, &mut |made| bar.inc(made), &stop);
    bar.finish_and_clear();
    let Some(made) = outcome? else {
        output::talk("stopped: nothing is left of it");
        return Ok(INTERRUPTED);
    };
    let said = format!(
        "{}: {} transactions of {scheme} by {} senders, {} of them invalid, {} signed by {}{}",
        request.path.display(),
        grouped(made.transactions),
        grouped(request.senders),
        grouped(made.invalid),
        memory(made.bytes),
        made.provider,
        if made.reproducible { "" } else { " (whose signatures no seed repeats)" },
    );
    if destination.is_standard_output() {
        output::talk(&said);
    } else {
        output::data(&said)?;
    }
    Ok(DONE)
}

fn check(arguments: &VerifyBlockArgs) -> anyhow::Result<u8> {
    if let Some(address) = &arguments.cluster {
        return on_cluster(arguments, address);
    }
    no_object(&arguments.file)?;
    let request = VerifyBlockRequest {
        path: arguments.file.clone(),
        form: arguments.form.into(),
        chain_id: arguments.chain_id,
        threads: threads(arguments.threads)?,
        provider: arguments.provider.clone(),
        keep_keys: arguments.keep_keys,
        part: None,
        batch: arguments.batch,
    };
    let laboratory = laboratory::open()?;
    let (stop, progress) = (stop_on_signals()?, timed());
    let bar = bar(arguments.no_progress || arguments.json, "transactions verified", 0);
    let ended = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                bar.set_position(progress.transactions());
                if stop.load(Ordering::Relaxed) {
                    progress.stop();
                }
                std::thread::park_timeout(TICK);
            }
        });
        let outcome = verify_block(&laboratory, &request, &progress, &mut |count| bar.set_length(count));
        ended.store(true, Ordering::Relaxed);
        outcome
    });
    bar.finish_and_clear();
    let report = outcome?;
    if arguments.json {
        output::json(&serde_json::to_string_pretty(&document(&request, &report))?)?;
    } else {
        output::data(&sentences(&request, &report))?;
    }
    Ok(match (report.stopped, report.rejected) {
        (true, _) => INTERRUPTED,
        (false, 0) => DONE,
        (false, _) => FAILED,
    })
}

/// Objects in stores are read and written by the Python package.
fn no_object(path: &Path) -> Result<(), BadInput> {
    match path.to_str() {
        Some(name) if name.contains("://") => Err(BadInput(format!(
            "{name}: objects in stores are read and written with --cluster: `--cluster local` starts one here"
        ))),
        _ => Ok(()),
    }
}

/// Hands the work to the Python package, which talks to Ray and prints what this program would.
fn made_on_cluster(arguments: &GenerateArgs, address: &str) -> anyhow::Result<u8> {
    let mut words = Words::of(&["generate"]);
    words.option("--cluster", address);
    words.option("--count", arguments.count.to_string());
    words.option("--scheme", &arguments.scheme);
    arguments.senders.iter().for_each(|senders| words.option("--senders", senders.to_string()));
    words.option("--invalid", arguments.invalid.of(arguments.count).to_string());
    words.option("--chain-id", arguments.chain_id.to_string());
    words.option("--seed", arguments.seed.to_string());
    words.option("--format", BlockFormat::from(arguments.format).name());
    words.option("--form", TransactionForm::from(arguments.form).name().to_lowercase());
    arguments.provider.iter().for_each(|provider| words.option("--provider", provider));
    if arguments.threads.is_some() {
        words.option("--threads", threads(arguments.threads)?.to_string());
    }
    words.flag("--no-progress", arguments.no_progress);
    words.rest([&arguments.out]);
    words.become_package("--cluster")
}

/// As [`made_on_cluster`].
fn on_cluster(arguments: &VerifyBlockArgs, address: &str) -> anyhow::Result<u8> {
    let mut words = Words::of(&["verify"]);
    words.option("--cluster", address);
    words.option("--chain-id", arguments.chain_id.to_string());
    words.option("--form", TransactionForm::from(arguments.form).name().to_lowercase());
    if arguments.threads.is_some() {
        words.option("--threads", threads(arguments.threads)?.to_string());
    }
    arguments.provider.iter().for_each(|provider| words.option("--provider", provider));
    arguments.batch.iter().for_each(|batch| words.option("--batch", batch.to_string()));
    arguments.journal.iter().for_each(|journal| words.option("--journal", journal));
    words.flag("--keep-keys", arguments.keep_keys);
    words.flag("--json", arguments.json);
    words.flag("--no-progress", arguments.no_progress);
    words.rest([&arguments.file]);
    words.become_package("--cluster")
}

fn scaling(arguments: &ScalingArgs) -> anyhow::Result<u8> {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut words = Words::of(&["scaling"]);
    words.option("--scheme", &arguments.scheme);
    words.option("--count", arguments.count.to_string());
    words.option("--nodes", list(&arguments.nodes));
    words.option("--repetitions", arguments.repetitions.to_string());
    arguments.provider.iter().for_each(|provider| words.option("--provider", provider));
    words.option("--transactions", arguments.transactions.to_string());
    words.option("--machines", list(&arguments.machines));
    words.option("--cores", arguments.cores.to_string());
    words.option("--bandwidth", arguments.bandwidth.to_string());
    words.flag("--json", arguments.json);
    words.flag("--no-progress", arguments.no_progress);
    words.become_package("ledger scaling")
}

fn per_second(amount: u64, report: &BlockReport) -> f64 {
    amount as f64 * 1e9 / report.elapsed_ns.max(1) as f64
}

fn sentences(request: &VerifyBlockRequest, report: &BlockReport) -> String {
    let threads = if report.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", report.threads) };
    let batch = report.batch.map_or_else(String::new, |batch| format!(", {} at once", grouped(batch as u64)));
    let mut out = format!(
        "{}: {} of {} transactions accepted, {} rejected{}\n{} in {} s with {threads}{batch}: {} transactions/s, {}/s\n",
        request.path.display(),
        grouped(report.transactions - report.rejected),
        grouped(report.transactions),
        grouped(report.rejected),
        if report.stopped { " before it was stopped" } else { "" },
        memory(report.bytes),
        significant(report.elapsed_ns as f64 / 1e9),
        rate(per_second(report.transactions, report)),
        memory(per_second(report.bytes, report) as u64),
    );
    let seconds = |ns: u64| significant(ns as f64 / 1e9);
    let Phases { reading, decoding, verifying, starved, held } = report.phases;
    out.push_str(&format!(
        "reading {} s; over all threads decoding {} s, verifying {} s, waiting to be read {} s; reading waited {} s for them\n",
        seconds(reading),
        seconds(decoding),
        seconds(verifying),
        seconds(starved),
        seconds(held),
    ));
    out.push_str(&format!("verified by {}\n", verifiers(report)));
    if report.batch.is_none() && !report.batch_providers.is_empty() {
        let names = report.batch_providers.join(", ");
        out.push_str(&format!("many at once: --provider with one of {names} verifies in batches (--batch)\n"));
    }
    for (kind, count) in &report.kinds {
        out.push_str(&format!("  {:>9}  {kind}\n", grouped(*count)));
    }
    for rejected in report.list.iter().take(SHOWN) {
        out.push_str(&format!("  transaction {}: {}\n", rejected.index, rejected.reason));
    }
    if report.rejected > SHOWN as u64 {
        out.push_str(&format!("  and {} more: --json lists them\n", grouped(report.rejected - SHOWN as u64)));
    }
    out
}

/// The providers with their versions and the schemes that each verifies: `aws-lc 1.19.0 (Ed25519, ML-DSA-65)`.
fn verifiers(report: &BlockReport) -> String {
    let mut schemes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (scheme, provider) in &report.providers {
        schemes.entry(provider).or_default().push(scheme.algorithm());
    }
    let known = |id: &str| report.versions.get(id).map_or_else(String::new, |version| format!(" {version}"));
    let named = |(provider, schemes): (&&str, &Vec<&str>)| {
        let halves: Vec<String> = provider.split('+').map(|id| format!("{id}{}", known(id))).collect();
        format!("{} ({})", halves.join(" + "), schemes.join(", "))
    };
    schemes.iter().map(named).collect::<Vec<_>>().join("; ")
}

fn document(request: &VerifyBlockRequest, report: &BlockReport) -> serde_json::Value {
    let rejections = report.list.iter().map(|rejected| {
        json!({"index": rejected.index, "kind": rejected.reason.kind(), "reason": rejected.reason.to_string()})
    });
    let providers = report.providers.iter().map(|(scheme, provider)| (scheme.algorithm().to_owned(), json!(provider)));
    json!({
        "schema": "pqlab-ledger/1",
        "file": request.path.display().to_string(),
        "format": report.format.name(),
        "form": request.form.name(),
        "chain_id": request.chain_id,
        "threads": report.threads,
        "batch": report.batch,
        "providers": providers.collect::<serde_json::Map<_, _>>(),
        "versions": report.versions,
        "batch_providers": report.batch_providers,
        "complete": !report.stopped,
        "transactions": report.transactions,
        "accepted": report.transactions - report.rejected,
        "rejected": report.rejected,
        "rejected_by_kind": report.kinds,
        "rejections": rejections.collect::<Vec<_>>(),
        "rejections_listed": report.list.len(),
        "bytes": report.bytes,
        "phases": phases(&report.phases),
        "seconds": report.elapsed_ns as f64 / 1e9,
        "transactions_per_s": per_second(report.transactions, report),
        "bytes_per_s": per_second(report.bytes, report),
    })
}

/// In seconds, summed over threads.
fn phases(of: &Phases) -> serde_json::Value {
    let seconds = |ns: u64| ns as f64 / 1e9;
    json!({
        "reading_s": seconds(of.reading),
        "decoding_s": seconds(of.decoding),
        "verifying_s": seconds(of.verifying),
        "threads_waited_s": seconds(of.starved),
        "reading_waited_s": seconds(of.held),
    })
}

/// As many threads as there are cores, unless so many are asked for.
fn threads(asked: Option<usize>) -> Result<usize, BadInput> {
    const MOST: usize = 4096;
    match asked {
        Some(count) if count == 0 || count > MOST => {
            Err(BadInput(format!("--threads is {count}: it must be from 1 to {MOST}")))
        }
        Some(count) => Ok(count),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

fn bar(hidden: bool, what: &'static str, length: u64) -> ProgressBar {
    if hidden || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template =
        "[{elapsed_precise}] {bar:30} {percent:>3}%  {human_pos} of {human_len} {msg}, {per_sec}, about {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style).with_message(what)
}

impl From<BlockFormatName> for BlockFormat {
    fn from(name: BlockFormatName) -> BlockFormat {
        match name {
            BlockFormatName::Block => BlockFormat::Block,
            BlockFormatName::Parquet => BlockFormat::Parquet,
        }
    }
}

impl From<FormName> for TransactionForm {
    fn from(name: FormName) -> TransactionForm {
        match name {
            FormName::Txv1 => TransactionForm::TxV1,
            FormName::Txv2 => TransactionForm::TxV2,
        }
    }
}
