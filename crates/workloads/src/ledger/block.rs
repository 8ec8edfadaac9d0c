//! Trials that verify a complete block of transactions: computation only, from memory, or from disk.

use super::fixture::{Fixture, Item, POOL, Transactions, decoded};
use super::single::{examine, keys, verify_decoded};
use crate::{fault, missing};
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use pqlab_constructions::ledger::stream::{BlockProgress, verify_batches, verify_positions, verify_source};
use pqlab_constructions::ledger::{Form as TransactionForm, InjectedFault, PreparedKey, Rejections, Scratch, Verifier};
use pqlab_harness::{Demands, Fault, Recorder, Trial, affinity, cold};
use pqlab_record::{Case, Form, Parameter};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size of the buffer for reading the file, in bytes.
const BUFFER: usize = 1 << 18;

pub(super) struct BlockTrial {
    count: u64,
    /// Number of transactions to verify in one batch. `None` verifies them one by one.
    batch: Option<u64>,
    pool: Arc<Transactions>,
    verifier: Verifier,
    threads: Option<Threads>,
    regime: Regime,
    outcome: Rejections,
    /// Position, within the batch, of the signature that the last [check](Self::rejects_changed) changed.
    changed: usize,
}

enum Regime {
    /// Decoded transactions, with prepared keys if requested. Only digests and verification are timed.
    Compute { items: Vec<Item>, keys: Vec<Option<PreparedKey>> },
    /// Encoded transactions in memory.
    Ram,
    /// Block file without a name, which the system deletes when the trial is dropped.
    Disk { file: File },
}

impl BlockTrial {
    pub(super) fn new(fixture: &mut Fixture, case: &Case) -> Result<BlockTrial, Fault> {
        let count = case.transactions().filter(|count| *count > 0).ok_or_else(|| missing(case))?;
        let senders = case.senders().unwrap_or(1);
        let different = count.min(POOL);
        let share = word(case, "invalid").and_then(|text| text.strip_suffix('%')?.parse::<f64>().ok()).unwrap_or(0.0);
        let bad = (different as f64 * share / 100.0).round() as u64;
        let pool = fixture.pool(different, senders.min(different), bad.min(different)).map_err(fault)?;
        let prepared = case.form == Some(Form::Prepared);
        let regime = word(case, "regime").unwrap_or_default();
        let batch = case.batch_size().filter(|batch| *batch > 0);
        let cache = prepared && regime != "compute";
        let verifier = fixture.verifier(batch.unwrap_or(1) as usize, cache).map_err(fault)?;
        let regime = match regime {
            "compute" => {
                let items = decoded(fixture.form, &pool);
                let keys = if prepared { keys(&verifier, fixture, &items)? } else { Vec::new() };
                Regime::Compute { items, keys }
            }
            "ram" => Regime::Ram,
            "disk" => Regime::Disk { file: block_file(fixture.form, &pool, count).map_err(on_disk)? },
            _ => return Err(missing(case)),
        };
        let threads = match (case.threads().unwrap_or(1), &regime) {
            // The verifying thread stays on the worker's processor, and the reader moves elsewhere.
            (..=1, Regime::Disk { .. }) => Some(Threads::start(1, affinity::allowed())?),
            (..=1, _) => None,
            (threads, _) => Some(Threads::start(threads as usize, affinity::granted())?),
        };
        Ok(BlockTrial { count, batch, pool, verifier, threads, regime, outcome: Rejections::new(), changed: 0 })
    }

    fn verify_block(&mut self) -> Result<Rejections, Fault> {
        let (threads, verifier) = (self.threads.as_ref().map(|threads| &threads.pool), &self.verifier);
        let different = self.pool.transactions.len() as u64;
        Ok(match &mut self.regime {
            Regime::Compute { items, keys } => {
                let of = |index: u64| {
                    let index = (index % different) as usize;
                    (items[index].borrow_dependent(), keys.get(index).and_then(Option::as_ref))
                };
                match self.batch {
                    None => verify_positions(self.count, threads, |index, scratch| {
                        let (item, key) = of(index);
                        verify_decoded(verifier, item, key, scratch)
                    }),
                    Some(batch) => verify_batches(self.count, batch, threads, |range, scratch| {
                        let several = range.map(of).map(|(item, key)| (examine(verifier, item, scratch), key));
                        verifier.check_batch(several.collect())
                    }),
                }
            }
            Regime::Ram => {
                let transaction = |index: u64| &self.pool.transactions[(index % different) as usize][..];
                match self.batch {
                    None => verify_positions(self.count, threads, |index, scratch| {
                        verifier.verify(transaction(index), scratch)
                    }),
                    Some(batch) => verify_batches(self.count, batch, threads, |range, scratch| {
                        verifier.verify_batch(&range.map(transaction).collect::<Vec<_>>(), scratch)
                    }),
                }
            }
            Regime::Disk { file } => {
                file.seek(SeekFrom::Start(0)).map_err(on_disk)?;
                let reader = BufReader::with_capacity(BUFFER, &*file);
                let mut source = BlockReader::new(reader).map_err(on_disk)?;
                verify_source(&mut source, verifier, threads, &BlockProgress::default()).map_err(on_disk)?
            }
        })
    }
}

impl BlockTrial {
    /// Checks that batch verification rejects a wrong signature at one position, as well as the invalid transactions.
    /// Each call uses the next position.
    fn rejects_changed(&mut self) -> Result<(), Fault> {
        let Transactions { transactions, bad } = self.pool.as_ref();
        let together = transactions.len().min(self.batch.unwrap_or(1) as usize);
        self.changed = (self.changed + 1) % together;
        let is_bad = |index: usize| bad.binary_search(&(index as u64)).is_ok();
        let mut changed = transactions[self.changed].to_vec();
        if !is_bad(self.changed) {
            InjectedFault::WrongSignature.inject(&mut changed);
        }
        let mut batch: Vec<&[u8]> = transactions[..together].iter().map(|transaction| &transaction[..]).collect();
        batch[self.changed] = &changed;
        let verdicts = self.verifier.verify_batch(&batch, &mut Scratch::new());
        let expected = |index: usize| index == self.changed || is_bad(index);
        if verdicts.iter().map(Result::is_err).eq((0..together).map(expected)) {
            return Ok(());
        }
        Err(Fault::WrongAnswer(format!(
            "batch verification accepted an invalid transaction or rejected a valid one (batch size {together}; \
             the signature at position {} was changed)",
            self.changed
        )))
    }
}

impl Trial for BlockTrial {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.outcome = Rejections::new();
        if let Regime::Disk { file } = &self.regime {
            cold::drop_cached_pages(file);
            // Let the reader run on any granted processor, as a separate program could.
            affinity::pin(&affinity::granted()).ok();
        }
        if let Some(threads) = &self.threads {
            threads.keep_awake();
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        if let Some(threads) = &self.threads {
            threads.let_sleep();
        }
        for _ in 0..batch {
            self.outcome = self.verify_block()?;
        }
        Ok(())
    }

    fn demands(&self) -> Demands {
        Demands { several_threads: self.threads.is_some(), ..Demands::default() }
    }

    fn processors(&self) -> Vec<u32> {
        self.threads.as_ref().map(|threads| threads.cpus.clone()).unwrap_or_default()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let different = self.pool.transactions.len() as u64;
        let bad = &self.pool.bad;
        let expected = (0..self.count).filter(|index| bad.binary_search(&(index % different)).is_ok());
        let outcome = std::mem::take(&mut self.outcome);
        let (count, kinds) = (outcome.count(), outcome.kinds().clone());
        let right = count == expected.clone().count() as u64
            && outcome.into_list().iter().map(|rejected| rejected.index).eq(expected.take(Rejections::LISTED));
        if right {
            return self.rejects_changed();
        }
        let each = bad.len() as u64;
        Err(Fault::WrongAnswer(format!(
            "the verifier rejected {count} of {} transactions ({kinds:?}); expected to reject \
             {each} of every {different}",
            self.count
        )))
    }
}

fn word<'a>(case: &'a Case, name: &str) -> Option<&'a str> {
    case.parameters.iter().find_map(|parameter| match parameter {
        Parameter::Word(key, value) if key == name => Some(value.as_str()),
        _ => None,
    })
}

fn on_disk(error: impl std::fmt::Display) -> Fault {
    Fault::Library(format!("cannot write or verify the block file: {error}"))
}

fn block_file(form: TransactionForm, pool: &Transactions, count: u64) -> std::io::Result<File> {
    let mut writer = BlockWriter::new(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?), form)?;
    for transaction in pool.transactions.iter().cycle().take(count as usize) {
        writer.push(transaction)?;
    }
    let file = writer.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    // The system can drop only pages that have been written back.
    file.sync_all()?;
    Ok(file)
}

/// Threads that verify transactions. The threads spin before a timed block, because waking a sleeping processor takes a
/// long time. The delay is longest on a virtual machine, because the host must find a free core. In a real node that
/// verifies one block after another, threads do not sleep either.
struct Threads {
    pool: ThreadPool,
    /// Processors that the threads run on.
    cpus: Vec<u32>,
    idle: Arc<AtomicBool>,
}

impl Threads {
    fn start(threads: usize, mut cpus: Vec<u32>) -> Result<Threads, Fault> {
        cpus.truncate(threads);
        let places = cpus.clone();
        // Threads inherit the worker's affinity to one processor, so pin each thread to its own. A
        // thread that cannot be pinned runs where the system puts it.
        let place = move |index: usize| {
            if !places.is_empty() {
                affinity::pin(&[places[index % places.len()]]).ok();
            }
        };
        let built = ThreadPoolBuilder::new().num_threads(threads).start_handler(place).build();
        let pool = built.map_err(|error| Fault::Library(format!("cannot start {threads} threads: {error}")))?;
        Ok(Threads { pool, cpus, idle: Arc::default() })
    }

    fn keep_awake(&self) {
        // If there are more threads than processors, spinning threads would slow down each other and the thread that
        // prepares the block.
        let crowded = self.cpus.len() < self.pool.current_num_threads();
        if crowded || self.idle.swap(true, Ordering::Relaxed) {
            return;
        }
        let idle = self.idle.clone();
        self.pool.spawn_broadcast(move |_| {
            while idle.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
    }

    fn let_sleep(&self) {
        self.idle.store(false, Ordering::Relaxed);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.let_sleep();
    }
}
