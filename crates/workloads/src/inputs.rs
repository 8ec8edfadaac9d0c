//! Generates inputs from seeds. The same run, process, algorithm and parameters give the same bytes for every provider.

use crate::{fault, missing};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Seed, layout};
use pqlab_primitives::{Coins, KeyEncoding, Provider, Result as LibraryResult};
use pqlab_record::Case;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// Number of keys and messages that a trial rotates through. With several keys, neither branch predictors nor caches
/// adapt to a single key. Which cache the keys fit in depends on the library: 16 expanded ML-KEM-768 keys take 38 KB,
/// but 16 prepared ML-DSA-65 keys with their matrices take more than half a megabyte. Cases with `keys=1` use a single
/// key, which stays in the cache.
pub(crate) const POOL: usize = 16;
/// Time limit for filling a pool. A limit is needed because generating an RSA key takes a quarter of a second.
const POOL_TIME: Duration = Duration::from_millis(10);
/// Maximum number of messages for a thread that signs many messages per sample. The thread needs many messages, because
/// the number of signing attempts depends on the message.
const MESSAGES: usize = 16 * POOL;
/// Maximum total size of a thread's messages, in bytes.
const MESSAGE_MEMORY: usize = 1 << 20;

/// Creates the random generator for a case's inputs.
pub(crate) fn generator(case: &Case, seed: Seed) -> ChaCha8Rng {
    let mut hasher = Sha256::new();
    hasher.update(seed.run.to_le_bytes());
    hasher.update(seed.process.to_le_bytes());
    hasher.update(case.workload.as_bytes());
    hasher.update([0]);
    hasher.update(case.algorithm.as_bytes());
    hasher.update(case.message_length().unwrap_or(0).to_le_bytes());
    ChaCha8Rng::from_seed(hasher.finalize().into())
}

/// Generates `length` random bytes.
pub(crate) fn bytes(generator: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    generator.fill_bytes(&mut bytes);
    bytes
}

/// Creates another generator, seeded from this one.
fn fork(generator: &mut ChaCha8Rng) -> ChaCha8Rng {
    let mut seed = [0; 32];
    generator.fill_bytes(&mut seed);
    ChaCha8Rng::from_seed(seed)
}

/// Number of keys and inputs for a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Supply {
    /// A pool of keys, each with its own input.
    Pool,
    /// The given number of keys. If this is less than the size of a pool, the inputs still fill a pool.
    Keys(u64),
    /// One key with a pool of inputs and a single output buffer. Used for each thread of a case with several threads,
    /// and to measure memory use.
    OneKey,
}

impl Supply {
    /// Returns the supply that a case requires.
    pub(crate) fn new(case: &Case) -> Supply {
        case.keys().map_or(Supply::Pool, Supply::Keys)
    }

    /// Creates the keys, at least one, by calling `make` for each.
    pub(crate) fn keys<T, E>(self, mut make: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
        layout::move_keys();
        match self {
            Supply::Pool => pool(Vec::new(), make),
            Supply::Keys(count) => (0..count.max(1)).map(|_| make()).collect(),
            Supply::OneKey => Ok(vec![make()?]),
        }
    }

    /// Appends inputs to `inputs`, for `keys` keys in rotation. `make` creates an input for the key with the given
    /// index.
    pub(crate) fn inputs<T, E>(
        self,
        keys: usize,
        mut inputs: Vec<T>,
        mut make: impl FnMut(usize) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        if let Supply::OneKey = self {
            return pool(inputs, || make(0));
        }
        let count = if let Supply::Keys(_) = self { keys.max(POOL) } else { keys };
        for number in inputs.len()..count {
            inputs.push(make(number % keys)?);
        }
        Ok(inputs)
    }

    /// Generates messages of `length` bytes to sign.
    pub(crate) fn messages(self, length: usize, generator: &mut ChaCha8Rng) -> Messages {
        let count = match self {
            Supply::OneKey => (MESSAGE_MEMORY / length.max(1)).clamp(1, MESSAGES),
            _ => POOL,
        };
        let messages = (0..count).map(|_| bytes(generator, length)).collect();
        Messages { fresh: Some(fork(generator)), ..Messages::fixed(messages) }
    }

    /// Returns the number of output buffers.
    pub(crate) fn outputs(self) -> usize {
        if let Supply::OneKey = self { 1 } else { POOL }
    }
}

/// Adds items until there are [`POOL`] items or [`POOL_TIME`] has passed. Returns at least one item.
fn pool<T, E>(mut items: Vec<T>, mut make: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
    let started = monotonic_ns();
    while items.is_empty() || items.len() < POOL && u128::from(monotonic_ns() - started) < POOL_TIME.as_nanos() {
        items.push(make()?);
    }
    Ok(items)
}

/// Generates a key. If `taken` is set, derives the key from `length` seeded bytes, and returns the key with these
/// bytes. Otherwise, the library uses its own generator, and the returned bytes are empty.
pub(crate) fn key<K>(
    length: usize,
    taken: bool,
    generator: &mut ChaCha8Rng,
    generate: impl FnOnce(Coins) -> LibraryResult<K>,
) -> LibraryResult<(K, Vec<u8>)> {
    let coins = bytes(generator, length);
    if taken { Ok((generate(Coins::Exact(&coins))?, coins)) } else { Ok((generate(Coins::Internal)?, Vec::new())) }
}

/// Returns an encoded private key, or no bytes if no encoding is requested. `length` returns the maximum length of an
/// encoding in bytes. `written` lists the encodings that the library can write. If the seed is requested but the
/// library cannot write it, returns `coins`, the seed from which the key was generated.
pub(crate) fn encoded(
    encoding: Option<KeyEncoding>,
    length: impl FnOnce(KeyEncoding) -> Option<usize>,
    written: &[KeyEncoding],
    coins: Vec<u8>,
    encode: impl FnOnce(KeyEncoding, &mut [u8]) -> LibraryResult<usize>,
) -> LibraryResult<Vec<u8>> {
    let Some(encoding) = encoding else { return Ok(Vec::new()) };
    let length = length(encoding).unwrap_or(0);
    if encoding == KeyEncoding::Seed && coins.len() == length && !written.contains(&encoding) {
        return Ok(coins);
    }
    let mut bytes = vec![0; length];
    let length = encode(encoding, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the private-key encoding that a case names, if the provider can load that encoding.
pub(crate) fn encoding(case: &Case, encodings: &[KeyEncoding]) -> Result<KeyEncoding, Fault> {
    let named = encodings.iter().find(|encoding| case.key() == Some(encoding.name()));
    named.copied().ok_or_else(|| missing(case))
}

/// Caller-supplied randomness for an operation: fresh bytes for each batch, or a fixed list of seeds in rotation.
pub(crate) struct GivenCoins {
    coins: Vec<Vec<u8>>,
    fresh: Option<ChaCha8Rng>,
    turn: Turn,
}

impl GivenCoins {
    /// Supplies `length` fresh bytes per operation, from a new generator that is seeded from `generator`.
    pub(crate) fn fresh(length: usize, generator: &mut ChaCha8Rng) -> GivenCoins {
        GivenCoins { fresh: Some(fork(generator)), ..GivenCoins::seeds(vec![vec![0; length]]) }
    }

    /// Supplies these seeds in rotation. The list must not be empty.
    pub(crate) fn seeds(seeds: Vec<Vec<u8>>) -> GivenCoins {
        GivenCoins { turn: Turn::new(seeds.len()), coins: seeds, fresh: None }
    }

    /// Generates fresh randomness for a batch. Does nothing if seeds are used in rotation.
    pub(crate) fn setup(&mut self, batch: usize) {
        let Some(generator) = &mut self.fresh else { return };
        let (batch, length) = (batch.max(1), self.coins[0].len());
        self.coins.resize_with(batch, || vec![0; length]);
        self.coins.iter_mut().for_each(|coins| generator.fill_bytes(coins));
        self.turn = Turn::new(batch);
    }

    /// Returns the next supplied randomness. If none is supplied, the library uses its own generator.
    #[inline(always)]
    pub(crate) fn next(given: &mut Option<GivenCoins>) -> Coins<'_> {
        match given {
            Some(given) => Coins::Exact(&given.coins[given.turn.advance()]),
            None => Coins::Internal,
        }
    }

    /// Returns the most recently supplied randomness.
    pub(crate) fn last(&self) -> Coins<'_> {
        Coins::Exact(&self.coins[self.turn.last()])
    }
}

/// Keys that a key generation trial has generated. The next setup drops these keys, so that the timed call does not.
pub(crate) struct NewKeys<K> {
    keys: Vec<K>,
    /// Supplied randomness, or `None` if the library uses its own generator.
    coins: Option<GivenCoins>,
}

impl<K> NewKeys<K> {
    /// Creates an empty list of keys.
    pub(crate) fn new(coins: Option<GivenCoins>) -> NewKeys<K> {
        NewKeys { keys: Vec::new(), coins }
    }

    /// Drops the keys and reserves space for `batch` new ones.
    pub(crate) fn setup(&mut self, batch: usize) {
        self.keys.clear();
        self.keys.reserve(batch);
        self.coins.iter_mut().for_each(|coins| coins.setup(batch));
    }

    /// Generates `batch` keys.
    #[inline(always)]
    pub(crate) fn make(&mut self, batch: usize, generate: impl Fn(Coins) -> LibraryResult<K>) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.push(generate(GivenCoins::next(&mut self.coins)).map_err(fault)?);
        }
        Ok(())
    }

    /// Returns the keys, latest first.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] if there are no keys.
    pub(crate) fn latest(&self) -> Result<impl Iterator<Item = &K>, Fault> {
        let none = || Fault::WrongAnswer("no key was generated".into());
        if self.keys.is_empty() { Err(none()) } else { Ok(self.keys.iter().rev()) }
    }

    /// Repeats the last key generation with the same randomness. Returns `None` if the library used its own generator.
    pub(crate) fn again(&self, generate: impl Fn(Coins) -> LibraryResult<K>) -> Result<Option<K>, Fault> {
        self.coins.as_ref().map(|coins| generate(coins.last())).transpose().map_err(fault)
    }
}

/// Messages to sign, used in rotation.
pub(crate) struct Messages {
    messages: Vec<Vec<u8>>,
    fresh: Option<ChaCha8Rng>,
    turn: Turn,
}

impl Messages {
    /// Uses these messages unchanged. The list must not be empty.
    pub(crate) fn fixed(messages: Vec<Vec<u8>>) -> Messages {
        Messages { turn: Turn::new(messages.len()), messages, fresh: None }
    }

    /// If messages must be fresh, changes as many messages as the batch uses, and restarts the rotation at the first
    /// message.
    pub(crate) fn setup(&mut self, batch: usize) {
        let Some(generator) = &mut self.fresh else { return };
        // Replacing eight bytes makes a message new. Generating all of a long message would take
        // longer than signing it.
        for message in self.messages.iter_mut().take(batch) {
            let head = message.len().min(8);
            generator.fill_bytes(&mut message[..head]);
        }
        self.turn = Turn::new(self.messages.len());
    }

    /// Returns the next message.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> &[u8] {
        &self.messages[self.turn.advance()]
    }

    /// Returns the most recent message.
    pub(crate) fn last(&self) -> &[u8] {
        &self.messages[self.turn.last()]
    }
}

/// Returns the names of the random generators of a provider or a pair (`id`), joined by `+`. `None` if no provider
/// names one.
pub(crate) fn generators(providers: &[Arc<Provider>], id: &str) -> Option<String> {
    let halves = id.split('+').filter_map(|half| providers.iter().find(|provider| provider.id() == half));
    let named: Vec<String> = halves.filter_map(|provider| provider.generator.clone()).collect();
    (!named.is_empty()).then(|| named.join(" + "))
}

/// Cycles through the indices of a pool.
#[derive(Debug)]
pub(crate) struct Turn {
    next: usize,
    count: usize,
}

impl Turn {
    pub(crate) fn new(count: usize) -> Turn {
        Turn { next: 0, count }
    }

    /// Returns the next index.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> usize {
        let index = self.next;
        self.next = if index + 1 == self.count { 0 } else { index + 1 };
        index
    }

    /// Returns the most recent index.
    pub(crate) fn last(&self) -> usize {
        (self.next + self.count - 1) % self.count
    }
}
