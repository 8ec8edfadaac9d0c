//! Verifying blocks: from a [`TransactionSource`] of any size in bounded memory, or from memory; on the calling thread or over the
//! threads of a pool, with the same result.

use super::{Rejected, Rejection, Rejections, Scratch, Verifier};
use rayon::ThreadPool;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Bytes from which on a chunk takes no further transaction.
const CHUNK: usize = 1 << 16;
/// Transactions from which on it takes none.
const CHUNK_TRANSACTIONS: usize = 64;
/// Room in bytes for each transaction of a batch, which the longest of ML-DSA-87 does not take.
const ROOM: usize = 1 << 13;
/// Chunks under way for each thread where they are as large as a batch: 100 transactions of ML-DSA-87 are 730 kB.
const LARGE_CHUNKS_A_THREAD: usize = 3;
/// Chunks under way for each thread: one in hand, the others to go on with while the reader waits for the disk.
const CHUNKS_A_THREAD: usize = 8;
/// Most transactions that a thread takes at once from a block in memory.
const GRAIN: u64 = 8;
/// In how many portions a thread's share of a small block comes, so that none waits long for the last one.
const PORTIONS: u64 = 32;

/// Neighbouring transactions of a block, as bytes.
#[derive(Debug)]
pub struct Chunk {
    first: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes and transactions from which on it has no room.
    most: (usize, usize),
}

impl Chunk {
    /// An empty one, for so many transactions at once.
    fn of(batch: usize) -> Chunk {
        let most = if batch > 1 { (CHUNK.max(batch.saturating_mul(ROOM)), batch) } else { (CHUNK, CHUNK_TRANSACTIONS) };
        Chunk { first: 0, bytes: Vec::new(), ends: Vec::new(), most }
    }

    /// Whether it takes another transaction.
    pub fn has_room(&self) -> bool {
        self.bytes.len() < self.most.0 && self.ends.len() < self.most.1
    }

    /// Appends a transaction.
    pub fn push(&mut self, transaction: &[u8]) {
        self.bytes.extend_from_slice(transaction);
        self.ends.push(self.bytes.len());
    }

    /// Appends the transaction that `append` appends, if it says that there is one, and returns what it says.
    ///
    /// # Errors
    /// What `append` reports.
    pub fn push_with<E>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>) -> Result<bool, E> {
        let more = append(&mut self.bytes)?;
        if more {
            self.ends.push(self.bytes.len());
        }
        Ok(more)
    }

    /// The transactions with their positions in the block.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        (self.first..).zip(ranges.map(|(start, &end)| &self.bytes[start..end]))
    }

    fn clear(&mut self, first: u64) {
        self.first = first;
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Where transactions come from.
pub trait TransactionSource {
    /// What goes wrong with reading.
    type Error;

    /// The position in the block of the first transaction that it gives.
    fn first(&self) -> u64 {
        0
    }

    /// Appends transactions to a chunk while it has room; an empty chunk ends the block.
    ///
    /// # Errors
    /// Ends the verification.
    fn fill(&mut self, chunk: &mut Chunk) -> Result<(), Self::Error>;
}

/// How far a verification is, for whoever watches it, and on what its time went.
#[derive(Debug, Default)]
pub struct BlockProgress {
    transactions: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
    clock: Option<fn() -> u64>,
    phases: [AtomicU64; 5],
}

/// On what the time of a verification went, in ns, summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Reading, which one thread does.
    pub reading: u64,
    /// Decoding, and computing digests.
    pub decoding: u64,
    /// Verifying signatures.
    pub verifying: u64,
    /// What verifying threads waited for transactions: reading is the limit.
    pub starved: u64,
    /// What the reading thread waited for room: verifying is the limit.
    pub held: u64,
}

/// The place of each among [`BlockProgress`]'s.
#[derive(Clone, Copy)]
enum Phase {
    Reading,
    Decoding,
    Verifying,
    Starved,
    Held,
}

impl BlockProgress {
    /// One that asks a clock, in ns, what is spent on what.
    pub fn timed(clock: fn() -> u64) -> BlockProgress {
        BlockProgress { clock: Some(clock), ..BlockProgress::default() }
    }

    /// On what the time went; nothing without a clock.
    pub fn phases(&self) -> Phases {
        let [reading, decoding, verifying, starved, held] =
            [0, 1, 2, 3, 4].map(|phase| self.phases[phase].load(Ordering::Relaxed));
        Phases { reading, decoding, verifying, starved, held }
    }

    fn spend<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let Some(clock) = self.clock else { return work() };
        let begun = clock();
        let done = work();
        self.phases[phase as usize].fetch_add(clock().saturating_sub(begun), Ordering::Relaxed);
        done
    }

    /// Transactions verified.
    pub fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Ends the verification after the chunks in hand.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn add(&self, chunk: &Chunk) {
        self.transactions.fetch_add(chunk.ends.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_add(chunk.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// Verifies everything that a source gives. With a pool, this thread reads and the pool's threads verify; a bounded number
/// of chunks is under way, so that the reader waits when the verifiers are behind.
///
/// # Errors
/// The source's; what was verified before is lost, because a block that cannot be read is none.
pub fn verify_source<S: TransactionSource>(
    source: &mut S,
    verifier: &Verifier,
    pool: Option<&ThreadPool>,
    progress: &BlockProgress,
) -> Result<Rejections, S::Error> {
    match pool {
        Some(pool) => verify_over(source, verifier, pool, progress),
        None => {
            let (mut rejections, mut scratch) = (Rejections::new(), Scratch::new());
            let (mut chunk, mut next) = (Chunk::of(verifier.batch()), source.first());
            while !progress.stopped() {
                chunk.clear(next);
                progress.spend(Phase::Reading, || source.fill(&mut chunk))?;
                if chunk.ends.is_empty() {
                    break;
                }
                verify_chunk(&chunk, verifier, progress, &mut scratch, &mut rejections);
                progress.add(&chunk);
                next += chunk.ends.len() as u64;
            }
            Ok(rejections)
        }
    }
}

fn verify_over<S: TransactionSource>(
    source: &mut S,
    verifier: &Verifier,
    pool: &ThreadPool,
    progress: &BlockProgress,
) -> Result<Rejections, S::Error> {
    let threads = pool.current_num_threads();
    let batch = verifier.batch();
    let chunks = threads * if batch > CHUNK_TRANSACTIONS { LARGE_CHUNKS_A_THREAD } else { CHUNKS_A_THREAD };
    let (full, work) = sync_channel::<Chunk>(chunks);
    let (done, empty) = sync_channel::<Chunk>(chunks);
    (0..chunks).for_each(|_| done.try_send(Chunk::of(batch)).unwrap_or_default());
    let work = Mutex::new(work);
    let total = Mutex::new(Rejections::new());
    let outcome = pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let done = done.clone();
            let (work, total) = (&work, &total);
            scope.spawn(move |_| {
                let rejections = drain(work, &done, verifier, progress);
                total.lock().unwrap_or_else(PoisonError::into_inner).merge(rejections);
            });
        }
        // Moved in, so that the verifiers see the end when the reader is through, however it ended.
        feed(source, full, &empty, progress)
    });
    outcome.map(|()| total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn feed<S: TransactionSource>(
    source: &mut S,
    full: SyncSender<Chunk>,
    empty: &Receiver<Chunk>,
    progress: &BlockProgress,
) -> Result<(), S::Error> {
    let mut next = source.first();
    while !progress.stopped() {
        let Ok(mut chunk) = progress.spend(Phase::Held, || empty.recv()) else { break };
        chunk.clear(next);
        progress.spend(Phase::Reading, || source.fill(&mut chunk))?;
        if chunk.ends.is_empty() {
            break;
        }
        next += chunk.ends.len() as u64;
        if full.send(chunk).is_err() {
            break;
        }
    }
    Ok(())
}

fn drain(
    work: &Mutex<Receiver<Chunk>>,
    done: &SyncSender<Chunk>,
    verifier: &Verifier,
    progress: &BlockProgress,
) -> Rejections {
    let (mut rejections, mut scratch) = (Rejections::new(), Scratch::new());
    loop {
        let next = || work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(chunk) = progress.spend(Phase::Starved, next) else { return rejections };
        verify_chunk(&chunk, verifier, progress, &mut scratch, &mut rejections);
        progress.add(&chunk);
        // The reader may have gone already.
        done.send(chunk).ok();
    }
}

fn verify_chunk(
    chunk: &Chunk,
    verifier: &Verifier,
    progress: &BlockProgress,
    scratch: &mut Scratch,
    rejections: &mut Rejections,
) {
    if verifier.batch() > 1 {
        let transactions: Vec<&[u8]> = chunk.iter().map(|(_, transaction)| transaction).collect();
        let within = |range: Range<u64>| (range.start - chunk.first) as usize..(range.end - chunk.first) as usize;
        let verify = |range, scratch: &mut Scratch| {
            let several = &transactions[within(range)];
            let examined = progress.spend(Phase::Decoding, || verifier.examine_batch(several, scratch));
            progress.spend(Phase::Verifying, || verifier.check_batch(examined))
        };
        return guarded_batch(chunk.first..chunk.first + transactions.len() as u64, &verify, scratch, rejections);
    }
    for (index, transaction) in chunk.iter() {
        let verify = || {
            let examined = progress.spend(Phase::Decoding, || verifier.examine(transaction, scratch))?;
            progress.spend(Phase::Verifying, || verifier.check(&examined, None))
        };
        if let Err(reason) = guarded(verify) {
            rejections.add(Rejected { index, reason });
        }
    }
}

/// Applies `verify` to the positions `0..count` of a block in memory, and collects what it rejects.
pub fn verify_positions(
    count: u64,
    pool: Option<&ThreadPool>,
    verify: impl Fn(u64, &mut Scratch) -> Result<(), Rejection> + Sync,
) -> Rejections {
    let grain = |threads: u64| (count / (threads * PORTIONS)).clamp(1, GRAIN);
    over_ranges(count, pool, grain, |range, scratch, rejections| {
        for index in range {
            if let Err(reason) = guarded(|| verify(index, scratch)) {
                rejections.add(Rejected { index, reason });
            }
        }
    })
}

/// Applies `verify`, which has a verdict on each, to the positions `0..count` of a block in memory, up to `batch` at a time and no
/// more than a thread's share, and collects what it rejects.
pub fn verify_batches(
    count: u64,
    batch: u64,
    pool: Option<&ThreadPool>,
    verify: impl Fn(Range<u64>, &mut Scratch) -> Vec<Result<(), Rejection>> + Sync,
) -> Rejections {
    let grain = |threads: u64| batch.min(count.div_ceil(threads)).max(1);
    over_ranges(count, pool, grain, |range, scratch, rejections| guarded_batch(range, &verify, scratch, rejections))
}

/// Hands out the positions of a block in neighbouring ones, as many at a time as `grain` says for so many threads.
fn over_ranges(
    count: u64,
    pool: Option<&ThreadPool>,
    grain: impl Fn(u64) -> u64,
    verify: impl Fn(Range<u64>, &mut Scratch, &mut Rejections) + Sync,
) -> Rejections {
    let grain = grain(pool.map_or(1, |pool| pool.current_num_threads() as u64));
    let next = AtomicU64::new(0);
    let part = || {
        let (mut scratch, mut rejections) = (Scratch::new(), Rejections::new());
        loop {
            let first = next.fetch_add(grain, Ordering::Relaxed);
            if first >= count {
                return rejections;
            }
            verify(first..count.min(first + grain), &mut scratch, &mut rejections);
        }
    };
    let Some(pool) = pool else { return part() };
    pool.broadcast(|_| part()).into_iter().fold(Rejections::new(), |mut one, other| {
        one.merge(other);
        one
    })
}

/// The rejections of a batch. Where the library panics each transaction is verified alone, so that none is rejected for another.
fn guarded_batch(
    range: Range<u64>,
    verify: &impl Fn(Range<u64>, &mut Scratch) -> Vec<Result<(), Rejection>>,
    scratch: &mut Scratch,
    rejections: &mut Rejections,
) {
    let mut collect = |first: u64, verdicts: Vec<Result<(), Rejection>>| {
        for (index, verdict) in (first..).zip(verdicts) {
            if let Err(reason) = verdict {
                rejections.add(Rejected { index, reason });
            }
        }
    };
    match catch_unwind(AssertUnwindSafe(|| verify(range.clone(), scratch))) {
        Ok(verdicts) => collect(range.start, verdicts),
        Err(_) => {
            for index in range {
                let verdict = guarded(|| {
                    let missing = || Err(Rejection::Library("it has no verdict".into()));
                    verify(index..index + 1, scratch).pop().unwrap_or_else(missing)
                });
                collect(index, vec![verdict]);
            }
        }
    }
}

/// A library that panics has failed on one transaction, not on the block.
fn guarded(verify: impl FnOnce() -> Result<(), Rejection>) -> Result<(), Rejection> {
    catch_unwind(AssertUnwindSafe(verify)).unwrap_or_else(|_| Err(Rejection::Library("it panicked".into())))
}
