//! Seeded inputs: the same run, process, algorithm and parameters give the same bytes for every provider.

use pqlab_harness::Seed;
use pqlab_primitives::Provider;
use pqlab_record::Case;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// Keys and messages that a trial rotates through: more than one, so that neither branch prediction nor a cache learns a single
/// key. Which cache they fit is the library's doing: 16 expanded keys of ML-KEM-768 are 38 KB, 16 prepared keys of ML-DSA-65 that
/// hold their matrix more than half a megabyte. Cases with `keys=1` have one key, which stays where it is.
pub(crate) const POOL: usize = 16;
/// Time after which a pool of keys is not filled further: generating an RSA key takes a quarter of a second.
pub(crate) const POOL_TIME: Duration = Duration::from_millis(10);

/// The generator of a case's inputs.
pub(crate) fn generator(case: &Case, seed: Seed) -> ChaCha8Rng {
    let mut hasher = Sha256::new();
    hasher.update(seed.run.to_le_bytes());
    hasher.update(seed.process.to_le_bytes());
    hasher.update(case.workload.as_bytes());
    hasher.update([0]);
    hasher.update(case.algorithm.as_bytes());
    hasher.update(case.number("len").unwrap_or(0).to_le_bytes());
    ChaCha8Rng::from_seed(hasher.finalize().into())
}

/// `length` bytes from the generator.
pub(crate) fn bytes(generator: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    generator.fill_bytes(&mut bytes);
    bytes
}

/// Makes items until the pool is full or its time is spent; one at least.
pub(crate) fn pool<T, E>(mut make: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
    let started = pqlab_harness::clock::monotonic_ns();
    let mut items = vec![make()?];
    while items.len() < POOL && u128::from(pqlab_harness::clock::monotonic_ns() - started) < POOL_TIME.as_nanos() {
        items.push(make()?);
    }
    Ok(items)
}

/// So many items, or, where no number is asked for, a [`pool`]; one at least.
pub(crate) fn pool_of<T, E>(count: Option<u64>, mut make: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
    match count {
        Some(count) => (0..count.max(1)).map(|_| make()).collect(),
        None => pool(make),
    }
}

/// How many inputs go with so many keys: one each, and as many as a pool has where there are fewer keys.
pub(crate) fn inputs_of(count: Option<u64>, keys: usize) -> usize {
    if count.is_some() { keys.max(POOL) } else { keys }
}

/// Coins that an operation is given, as many as a sample can take: fresh before each.
pub(crate) struct GivenCoins {
    coins: Vec<Vec<u8>>,
    length: usize,
    generator: ChaCha8Rng,
    turn: Turn,
}

impl GivenCoins {
    /// Coins of `length` bytes from a generator of their own, seeded by this one.
    pub(crate) fn new(length: usize, generator: &mut ChaCha8Rng) -> GivenCoins {
        let mut seed = [0; 32];
        generator.fill_bytes(&mut seed);
        GivenCoins { coins: Vec::new(), length, generator: ChaCha8Rng::from_seed(seed), turn: Turn::of(1) }
    }

    /// Draws as many as a batch takes.
    pub(crate) fn refill(&mut self, batch: usize) {
        let batch = batch.max(1);
        self.coins.resize_with(batch, || vec![0; self.length]);
        self.coins.iter_mut().for_each(|coins| self.generator.fill_bytes(coins));
        self.turn = Turn::of(batch);
    }

    /// The next ones.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> &[u8] {
        &self.coins[self.turn.advance()]
    }

    /// Those that were given last.
    pub(crate) fn last(&self) -> &[u8] {
        &self.coins[self.turn.last()]
    }
}

/// What the generators of the providers that a case names are called, one after the other; `None` where none draws.
pub(crate) fn generators(providers: &[Arc<Provider>], id: &str) -> Option<String> {
    let halves = id.split('+').filter_map(|half| providers.iter().find(|provider| provider.id() == half));
    let named: Vec<String> = halves.filter_map(|provider| provider.generator.clone()).collect();
    (!named.is_empty()).then(|| named.join(" + "))
}

/// Goes round a pool.
#[derive(Debug)]
pub(crate) struct Turn {
    next: usize,
    count: usize,
}

impl Turn {
    pub(crate) fn of(count: usize) -> Turn {
        Turn { next: 0, count }
    }

    /// The next index.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> usize {
        let index = self.next;
        self.next = if index + 1 == self.count { 0 } else { index + 1 };
        index
    }

    /// The index handed out last.
    pub(crate) fn last(&self) -> usize {
        (self.next + self.count - 1) % self.count
    }
}
