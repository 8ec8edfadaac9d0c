use crate::args::{BlockFormatName, FormName, GenerateArgs, LedgerCommand, ScalingArgs, VerifyBlockArgs};
use crate::output::{self, BadInput};
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INTERRUPTED, laboratory, package};
use indicatif::{ProgressBar, ProgressStyle};
use pqlab_lab::analysis::number::{grouped, memory};
use pqlab_lab::ledger::{
    BlockFormat, GenerateRequest, Scheme, TransactionForm, VerifiedBlock, VerifyBlockRequest, generate, timed,
    verify_block,
};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Update interval of the progress bar.
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
        BadInput(format!("unknown ledger scheme {:?}; expected one of {names}", arguments.scheme))
    })?;
    if let Some(address) = &arguments.cluster {
        return generate_on_cluster(arguments, address);
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
        invalid: arguments.invalid.apply(arguments.count),
        chain_id: arguments.chain_id,
        seed: arguments.seed,
        provider: arguments.provider.clone(),
        threads: threads(arguments.threads)?,
    };
    let stop = stop_on_signals()?;
    let bar = bar(arguments.no_progress, "transactions signed", request.count);
    let outcome = generate(&laboratory::open()?, &request, &mut |signed| bar.inc(signed), &stop);
    bar.finish_and_clear();
    let Some(block) = outcome? else {
        output::talk("interrupted: no file was written");
        return Ok(INTERRUPTED);
    };
    let summary = format!(
        "{}: {} {scheme} transactions ({} invalid) from {} senders, {}, signed by {}{}",
        request.path.display(),
        grouped(block.transactions),
        grouped(block.invalid),
        grouped(request.senders),
        memory(block.bytes),
        block.provider,
        if block.reproducible { "" } else { " (not reproducible: the provider does not accept seeds)" },
    );
    if destination.is_standard_output() {
        output::talk(&summary);
    } else {
        output::data(&summary)?;
    }
    Ok(DONE)
}

fn check(arguments: &VerifyBlockArgs) -> anyhow::Result<u8> {
    if let Some(address) = &arguments.cluster {
        return verify_on_cluster(arguments, address);
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
    let bar = bar(arguments.no_progress || arguments.output.is_json(), "transactions verified", 0);
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
    let block = VerifiedBlock::here(&request, &report);
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&block.to_json())?)?;
    } else {
        output::data(&block.to_text())?;
    }
    Ok(match (report.stopped, report.rejected) {
        (true, _) => INTERRUPTED,
        (false, 0) => DONE,
        (false, _) => FAILED,
    })
}

/// Rejects object addresses such as `s3://bucket/block.tx`, which only the Python package supports.
fn no_object(path: &Path) -> Result<(), BadInput> {
    match path.to_str() {
        Some(name) if name.contains("://") => Err(BadInput(format!(
            "{name} is an object in a store: use --cluster, for example `--cluster local`, which starts a cluster"
        ))),
        _ => Ok(()),
    }
}

/// Generates the block with the Python package, which uses Ray.
fn generate_on_cluster(arguments: &GenerateArgs, address: &str) -> anyhow::Result<u8> {
    let request = json!({
        "out": package::utf8(&arguments.out)?,
        "cluster": address,
        "count": arguments.count,
        "progress": !arguments.no_progress,
        "options": {
            "scheme": arguments.scheme,
            "senders": arguments.senders,
            "invalid": arguments.invalid.apply(arguments.count),
            "chain_id": arguments.chain_id,
            "seed": arguments.seed,
            "format": BlockFormat::from(arguments.format).name(),
            "form": form_word(arguments.form),
            "provider": arguments.provider,
            "threads": threads_of_a_part(arguments.threads)?,
        },
    });
    package::become_package("generate", &request, "--cluster")
}

/// Verifies the block with the Python package, which uses Ray. The package prints the result in the same format as this
/// program.
fn verify_on_cluster(arguments: &VerifyBlockArgs, address: &str) -> anyhow::Result<u8> {
    let request = json!({
        "file": package::utf8(&arguments.file)?,
        "cluster": address,
        "chain_id": arguments.chain_id,
        "form": form_word(arguments.form),
        "threads": threads_of_a_part(arguments.threads)?,
        "provider": arguments.provider,
        "batch": arguments.batch,
        "journal": arguments.journal.as_deref().map(package::utf8).transpose()?,
        "keep_keys": arguments.keep_keys,
        "json": arguments.output.is_json(),
        "progress": !arguments.no_progress,
    });
    package::become_package("verify", &request, "--cluster")
}

fn scaling(arguments: &ScalingArgs) -> anyhow::Result<u8> {
    let request = json!({
        "scheme": arguments.scheme,
        "count": arguments.count,
        "nodes": arguments.nodes,
        "repetitions": arguments.repetitions,
        "provider": arguments.provider,
        "transactions": arguments.transactions,
        "machines": arguments.machines,
        "cores": arguments.cores,
        "bandwidth": arguments.bandwidth,
        "json": arguments.output.is_json(),
        "progress": !arguments.no_progress,
    });
    package::become_package("scaling", &request, "ledger scaling")
}

/// Returns the Python package's name for a transaction form.
fn form_word(name: FormName) -> String {
    TransactionForm::from(name).name().to_lowercase()
}

/// Returns the number of threads for each part of a block. The default is 1, because a node works on one part per core.
fn threads_of_a_part(given: Option<usize>) -> Result<usize, BadInput> {
    threads(given.or(Some(1)))
}

/// Returns the number of threads. The default is one per core.
fn threads(given: Option<usize>) -> Result<usize, BadInput> {
    const MOST: usize = 4096;
    match given {
        Some(count) if count == 0 || count > MOST => {
            Err(BadInput(format!("--threads is {count}; expected 1 to {MOST}")))
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
