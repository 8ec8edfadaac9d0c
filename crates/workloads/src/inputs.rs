//! Seeded inputs: the same run, process, algorithm and parameters give the same bytes for every provider.

use pqlab_harness::Seed;
use pqlab_record::Case;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Keys and messages that a trial rotates through: more than one, so that nothing is learnt from a single key, and few
/// enough to stay in the nearest cache.
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
