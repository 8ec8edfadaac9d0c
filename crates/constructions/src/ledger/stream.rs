//! Verifies blocks in memory, or blocks of any size from a [`TransactionSource`] in bounded memory. The result does not
//! depend on the number of threads.

use super::{Rejected, Rejection, Rejections, Scratch, Verifier};
use rayon::ThreadPool;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Size of a full chunk in bytes.
const CHUNK: usize = 1 << 16;
/// Number of transactions in a full chunk.
const CHUNK_TRANSACTIONS: usize = 64;
/// Bytes reserved for each transaction in a batch. Longer than any ML-DSA-87 transaction.
const ROOM: usize = 1 << 13;
/// Chunks in flight per thread if a batch exceeds [`CHUNK_TRANSACTIONS`]. Smaller than [`CHUNKS_A_THREAD`], because
/// these chunks are large: 100 ML-DSA-87 transactions take 730 kB.
const LARGE_CHUNKS_A_THREAD: usize = 3;
/// Chunks in flight per thread. One is being verified. The others keep the thread busy while the reader waits for the
/// disk.
const CHUNKS_A_THREAD: usize = 8;
/// Maximum number of transactions that a thread claims at a time from a block in memory.
const GRAIN: u64 = 8;
/// Number of portions per thread into which a small block in memory is divided, so that threads do not wait long for
/// the last portion.
const PORTIONS: u64 = 32;

/// Consecutive transactions of a block.
#[derive(Debug)]
pub struct Chunk {
    first: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Number of bytes and number of transactions in a full chunk.
    most: (usize, usize),
}

impl Chunk {
    /// Creates an empty chunk with room for a batch of `batch` transactions.
    fn new(batch: usize) -> Chunk {
        let most = if batch > 1 { (CHUNK.max(batch.saturating_mul(ROOM)), batch) } else { (CHUNK, CHUNK_TRANSACTIONS) };
        Chunk { first: 0, bytes: Vec::new(), ends: Vec::new(), most }
    }

    /// Returns whether the chunk has room for another transaction.
    pub fn has_room(&self) -> bool {
        self.bytes.len() < self.most.0 && self.ends.len() < self.most.1
    }

    /// Appends a transaction.
    pub fn push(&mut self, transaction: &[u8]) {
        self.bytes.extend_from_slice(transaction);
        self.ends.push(self.bytes.len());
    }

    /// Calls `append` on the chunk's bytes and returns the result. If `append` returns `true`, the appended bytes
    /// become a transaction.
    ///
    /// # Errors
    /// Propagates errors from `append`.
    pub fn push_with<E>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>) -> Result<bool, E> {
        let more = append(&mut self.bytes)?;
        if more {
            self.ends.push(self.bytes.len());
        }
        Ok(more)
    }

    /// Iterates over the transactions and their positions in the block.
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

/// Source of transactions, such as a block file.
pub trait TransactionSource {
    /// Error from reading transactions.
    type Error;

    /// Returns the position of the source's first transaction in the block.
    fn first(&self) -> u64 {
        0
    }

    /// Appends transactions to `chunk` while it has room. Leaves `chunk` empty at the end of the block.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn fill(&mut self, chunk: &mut Chunk) -> Result<(), Self::Error>;
}

/// Progress of a verification, and the time spent in each phase.
#[derive(Debug, Default)]
pub struct BlockProgress {
    transactions: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
    clock: Option<fn() -> u64>,
    phases: [AtomicU64; 5],
}

/// Time that a verification spends in each phase, in ns, summed over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Reading transactions, on one thread.
    pub reading: u64,
    /// Decoding and hashing transactions.
    pub decoding: u64,
    /// Verifying signatures.
    pub verifying: u64,
    /// Time that the verifying threads wait for transactions. High if reading is the bottleneck.
    pub starved: u64,
    /// Time that the reading thread waits for a free chunk. High if verifying is the bottleneck.
    pub held: u64,
}

/// Phase of a verification. The discriminant is the position in the `phases` array of [`BlockProgress`].
#[derive(Clone, Copy)]
enum Phase {
    Reading,
    Decoding,
    Verifying,
    Starved,
    Held,
}

impl BlockProgress {
    /// Creates a [`BlockProgress`] that also measures the time spent in each phase. `clock` returns the time in ns.
    pub fn timed(clock: fn() -> u64) -> BlockProgress {
        BlockProgress { clock: Some(clock), ..BlockProgress::default() }
    }

    /// Returns the time spent in each phase. All times are 0 if there is no clock.
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

    /// Returns the number of transactions verified so far.
    pub fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes verified so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Requests that the verification stop after the chunks in flight.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stop was requested.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn add(&self, chunk: &Chunk) {
        self.transactions.fetch_add(chunk.ends.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_add(chunk.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// Verifies all transactions from a source. If there is a pool, the calling thread reads and the pool verifies.
/// Otherwise, the calling thread does both. The number of chunks in flight is bounded, so the reader waits if
/// verification is slower.
///
/// # Errors
/// Propagates errors from the source and discards the results so far, because a block that cannot be read is invalid.
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
            let (mut chunk, mut next) = (Chunk::new(verifier.batch()), source.first());
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
    (0..chunks).for_each(|_| done.try_send(Chunk::new(batch)).unwrap_or_default());
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
        // Move the sender into `feed`, so that the verifiers stop when the reader returns, even on error.
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
        // Ignore the error: the reader may already have returned.
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

/// Calls `verify` for each position in `0..count`, on all threads of the pool, or on the calling thread if there is no
/// pool. Returns the rejections.
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

/// Calls `verify` for ranges that cover the positions `0..count`, on all threads of the pool, or on the calling thread
/// if there is no pool. `verify` returns one verdict per position. A range contains at most `batch` positions, and
/// never more than one thread's equal share of the block. Returns the rejections.
pub fn verify_batches(
    count: u64,
    batch: u64,
    pool: Option<&ThreadPool>,
    verify: impl Fn(Range<u64>, &mut Scratch) -> Vec<Result<(), Rejection>> + Sync,
) -> Rejections {
    let grain = |threads: u64| batch.min(count.div_ceil(threads)).max(1);
    over_ranges(count, pool, grain, |range, scratch, rejections| guarded_batch(range, &verify, scratch, rejections))
}

/// Splits the positions `0..count` into consecutive ranges and calls `verify` for each range. `grain` returns the
/// length of a range, given the number of threads.
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

/// Verifies a batch and adds its rejections to `rejections`. If the library panics, verifies each transaction alone, so
/// that no transaction is rejected because of another.
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
                    let missing = || Err(Rejection::Library("it returned no verdict".into()));
                    verify(index..index + 1, scratch).pop().unwrap_or_else(missing)
                });
                collect(index, vec![verdict]);
            }
        }
    }
}

/// Calls `verify` for one transaction. Turns a panic in the library into a rejection, so that the panic does not stop
/// the verification of the block.
fn guarded(verify: impl FnOnce() -> Result<(), Rejection>) -> Result<(), Rejection> {
    catch_unwind(AssertUnwindSafe(verify)).unwrap_or_else(|_| Err(Rejection::Library("it panicked".into())))
}
