//! A block of transactions, verified whole: compute only, from memory, from disk.

use super::fixture::{Fixture, Item, POOL, Transactions, decoded};
use super::single::{keys, verify_decoded};
use crate::{fault, missing};
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use pqlab_constructions::ledger::stream::{BlockProgress, verify_positions, verify_source};
use pqlab_constructions::ledger::{Form as TransactionForm, Rejections, Verifier};
use pqlab_harness::{Demands, Fault, Recorder, Trial, affinity, cold};
use pqlab_primitives::VerifyingKey;
use pqlab_record::{Case, Form, Parameter};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of the file that are read at once.
const BUFFER: usize = 1 << 18;

pub(super) struct BlockTrial {
    count: u64,
    pool: Arc<Transactions>,
    verifier: Verifier,
    threads: Option<Threads>,
    regime: Regime,
    outcome: Rejections,
}

enum Regime {
    /// Everything is decoded, and with prepared keys those are there too: what is left is to digest and to verify.
    Compute { items: Vec<Item>, keys: Vec<Option<Arc<dyn VerifyingKey>>> },
    /// Encoded transactions in memory.
    Ram,
    /// A block file without a name, which goes when the trial does.
    Disk { file: File },
}

impl BlockTrial {
    pub(super) fn of(fixture: &mut Fixture, case: &Case) -> Result<BlockTrial, Fault> {
        let count = case.number("tx").filter(|count| *count > 0).ok_or_else(|| missing(case))?;
        let senders = case.number("senders").unwrap_or(1);
        let different = count.min(POOL);
        let share = word(case, "invalid").and_then(|text| text.strip_suffix('%')?.parse::<f64>().ok()).unwrap_or(0.0);
        let bad = (different as f64 * share / 100.0).round() as u64;
        let pool = fixture.pool(different, senders.min(different), bad.min(different)).map_err(fault)?;
        let prepared = case.form == Some(Form::Prepared);
        let regime = word(case, "regime").unwrap_or_default();
        let verifier = fixture.verifier(prepared && regime != "compute").map_err(fault)?;
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
        let threads = match (case.number("threads").unwrap_or(1), &regime) {
            // It stays where the worker is, and whoever reads goes elsewhere.
            (..=1, Regime::Disk { .. }) => Some(Threads::start(1, affinity::allowed())?),
            (..=1, _) => None,
            (threads, _) => Some(Threads::start(threads as usize, affinity::granted())?),
        };
        Ok(BlockTrial { count, pool, verifier, threads, regime, outcome: Rejections::new() })
    }

    fn verify_block(&mut self) -> Result<Rejections, Fault> {
        let (threads, verifier) = (self.threads.as_ref().map(|threads| &threads.pool), &self.verifier);
        let different = self.pool.transactions.len() as u64;
        Ok(match &mut self.regime {
            Regime::Compute { items, keys } => verify_positions(self.count, threads, |index, scratch| {
                let index = (index % different) as usize;
                let key = keys.get(index).and_then(|key| key.as_deref());
                verify_decoded(verifier, items[index].borrow_dependent(), key, scratch)
            }),
            Regime::Ram => {
                let transactions = &self.pool.transactions;
                verify_positions(self.count, threads, |index, scratch| {
                    verifier.verify(&transactions[(index % different) as usize], scratch)
                })
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

impl Trial for BlockTrial {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.outcome = Rejections::new();
        if let Regime::Disk { file } = &self.regime {
            cold::drop_cached_pages(file);
            // The reader is where there is room for it, as it would be in a program of its own.
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
            return Ok(());
        }
        let each = bad.len() as u64;
        Err(Fault::WrongAnswer(format!(
            "{count} of {} transactions are rejected {kinds:?}, where {each} in {different} are bad",
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
    Fault::Library(format!("the block file: {error}"))
}

fn block_file(form: TransactionForm, pool: &Transactions, count: u64) -> std::io::Result<File> {
    let mut writer = BlockWriter::new(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?), form)?;
    for transaction in pool.transactions.iter().cycle().take(count as usize) {
        writer.push(transaction)?;
    }
    let file = writer.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    // Only what is written back can be dropped from memory.
    file.sync_all()?;
    Ok(file)
}

/// The threads that verify. Between blocks they turn in a loop: to wake a processor that sleeps takes long, longer on a
/// virtual machine whose host must find a core for it, and a node that verifies block after block has none asleep.
struct Threads {
    pool: ThreadPool,
    /// The processors on which they are.
    cpus: Vec<u32>,
    idle: Arc<AtomicBool>,
}

impl Threads {
    fn start(threads: usize, mut cpus: Vec<u32>) -> Result<Threads, Fault> {
        cpus.truncate(threads);
        let places = cpus.clone();
        // A worker is pinned to one processor, and its threads would be too. Where a thread cannot be placed it goes where the
        // system puts it.
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
        // More threads than processors would keep each other, and whoever prepares the block, from working.
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
