use super::output::Output;
use super::{BlockFormat, Scheme, TransactionForm, implementation, pool, sha256};
use crate::{LabError, Laboratory};
use pqlab_constructions::ledger::{Body, InjectedFault, Scratch, reference};
use pqlab_primitives::{Coins, Error, Hash, SignatureScheme, SigningKey};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of senders whose keys are in memory at the same time.
const WINDOW: u64 = 256;
/// Maximum number of transactions to generate at a time.
const AT_ONCE: u64 = 1024;

/// Description of a block to generate.
#[derive(Clone, Debug)]
pub struct GenerateRequest {
    /// Destination; `-` is standard output.
    pub path: PathBuf,
    /// Format of the file.
    pub format: BlockFormat,
    /// Form of the transactions. TXv1 supports only ML-DSA-65 and the format [`BlockFormat::Block`].
    pub form: TransactionForm,
    /// Signature scheme.
    pub scheme: Scheme,
    /// Number of transactions.
    pub count: u64,
    /// Number of different senders.
    pub senders: u64,
    /// Number of invalid transactions. Their faults cycle through all kinds of faults.
    pub invalid: u64,
    /// Chain id of the transactions.
    pub chain_id: u32,
    /// Seed for the contents of the transactions. If the library accepts caller-supplied randomness, keys and
    /// signatures also depend on this seed.
    pub seed: u64,
    /// Provider that signs; `None` for the preferred one.
    pub provider: Option<String>,
    /// Number of signing threads.
    pub threads: usize,
}

/// Description of a generated block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Number of transactions.
    pub transactions: u64,
    /// Number of invalid transactions.
    pub invalid: u64,
    /// Total length of the transactions in bytes.
    pub bytes: u64,
    /// Id of the provider that signed.
    pub provider: String,
    /// Whether the seed determines the file.
    pub reproducible: bool,
}

/// Generates a block file at a [`Destination`](crate::Destination). `progress` receives the number of transactions
/// added since its last call. A regular file appears under its name only when it is complete. Returns `None` if `stop`
/// is set in the meantime.
///
/// # Errors
/// [`LabError::Invalid`] for an impossible request, [`LabError::Unoffered`] if no provider supports the scheme,
/// [`LabError::File`] if the file cannot be written, and [`LabError::Library`] if the library fails.
pub fn generate(
    laboratory: &Laboratory,
    request: &GenerateRequest,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<Option<Generated>, LabError> {
    request.check()?;
    let (provider, scheme) = implementation(laboratory, request.scheme, request.provider.as_deref())?;
    let factory = Factory { request, scheme, sha256: sha256(laboratory)? };
    let pool = pool(request.threads)?;
    let mut output = Output::new(request)?;
    let whole = factory.make(&provider, &pool, 0..request.count, stop, &mut |transactions| {
        transactions.iter().try_for_each(|transaction| output.push(transaction))?;
        progress(transactions.len() as u64);
        Ok(())
    })?;
    let (reproducible, bytes) = (factory.reproducible(), output.bytes());
    if !whole {
        return Ok(None);
    }
    output.keep()?;
    let (transactions, invalid) = (request.count, request.invalid);
    Ok(Some(Generated { transactions, invalid, bytes, provider, reproducible }))
}

impl GenerateRequest {
    pub(super) fn check(&self) -> Result<(), LabError> {
        let refuse = |field, reason: String| Err(LabError::Invalid { field, reason });
        if self.count == 0 {
            return refuse("count", "a block needs at least 1 transaction, not 0".into());
        }
        if self.senders == 0 || self.senders > self.count {
            let reason = format!(
                "{} senders for {} transactions: senders must be between 1 and the number of transactions",
                self.senders, self.count
            );
            return refuse("senders", reason);
        }
        if self.invalid > self.count {
            return refuse(
                "invalid",
                format!("cannot generate {} invalid transactions in a block of {}", self.invalid, self.count),
            );
        }
        if self.form == TransactionForm::TxV1 && self.scheme != Scheme::MlDsa65 {
            return refuse("scheme", format!("TXv1 does not support {}; use ML-DSA-65 or TXv2", self.scheme));
        }
        if self.form == TransactionForm::TxV1 && self.format == BlockFormat::Parquet {
            return refuse("format", "Parquet files can contain only TXv2; use the `block` format for TXv1".into());
        }
        Ok(())
    }

    /// Returns the position of a sender's first transaction in a block that is sorted by sender. Every sender has at
    /// least one transaction, because `count` is at least `senders`.
    fn first_of(&self, sender: u64) -> u64 {
        // The product of two 64-bit numbers needs 128 bits.
        (u128::from(sender) * u128::from(self.count) / u128::from(self.senders)) as u64
    }
}

/// Selects exactly the requested number of invalid transactions at random positions (selection sampling; Knuth, The Art
/// of Computer Programming, volume 2, algorithm 3.4.2 S).
struct Flaws {
    random: ChaCha8Rng,
    count: u64,
    left: u64,
    chosen: usize,
}

impl Flaws {
    /// Starts the selection and replays the choices for all transactions before `first`, so that [`next`](Self::next)
    /// continues at `first`.
    fn new(request: &GenerateRequest, first: u64) -> Flaws {
        let random = generator(request.seed, b'f', 0);
        let mut flaws = Flaws { random, count: request.count, left: request.invalid, chosen: 0 };
        for index in 0..first {
            flaws.next(index);
        }
        flaws
    }

    /// Returns the fault for the transaction at `index`; `None` if the transaction is valid. Indices must be
    /// consecutive.
    fn next(&mut self, index: u64) -> Option<InjectedFault> {
        if self.left == 0 || self.random.random_range(0..self.count - index) >= self.left {
            return None;
        }
        self.left -= 1;
        self.chosen += 1;
        Some(InjectedFault::ALL[(self.chosen - 1) % InjectedFault::ALL.len()])
    }
}

struct Sender {
    key: Box<dyn SigningKey>,
    public_key: Vec<u8>,
}

/// Callback that receives encoded transactions, in order.
pub(super) type Take<'a> = dyn FnMut(&[Vec<u8>]) -> Result<(), LabError> + 'a;

/// Generates the transactions of a block or of a part of it. The division into parts does not change the transactions.
pub(super) struct Factory<'a> {
    pub(super) request: &'a GenerateRequest,
    pub(super) scheme: Arc<dyn SignatureScheme>,
    pub(super) sha256: Arc<dyn Hash>,
}

impl Factory<'_> {
    /// Generates the transactions of a part in order and passes them to `take`, up to [`AT_ONCE`] at a time. Returns
    /// `false` if `stop` was set before the end.
    pub(super) fn make(
        &self,
        provider: &str,
        pool: &rayon::ThreadPool,
        part: Range<u64>,
        stop: &AtomicBool,
        take: &mut Take<'_>,
    ) -> Result<bool, LabError> {
        let failed = |error| LabError::library(provider, error);
        let request = self.request;
        let mut flaws = Flaws::new(request, part.start);
        let mut senders = 0;
        while senders < request.senders {
            let window = senders..request.senders.min(senders + WINDOW);
            senders = window.end;
            let begin = request.first_of(window.start);
            let (mut next, end) = (begin.max(part.start), request.first_of(window.end).min(part.end));
            if next >= end {
                continue;
            }
            let keys = pool.install(|| {
                let keys = window.into_par_iter().map(|sender| self.sender(sender));
                keys.collect::<Result<Vec<_>, _>>()
            });
            let keys = keys.map_err(failed)?;
            while next < end {
                if stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                let jobs: Vec<(u64, Option<InjectedFault>)> =
                    (next..end.min(next + AT_ONCE)).map(|index| (index, flaws.next(index))).collect();
                next += jobs.len() as u64;
                let transactions = pool.install(|| {
                    let transactions = jobs.into_par_iter().map_init(Scratch::new, |scratch, (index, fault)| {
                        self.transaction(index, index - begin, &keys, fault, scratch)
                    });
                    transactions.collect::<Result<Vec<_>, _>>()
                });
                take(&transactions.map_err(failed)?)?;
            }
        }
        Ok(true)
    }

    fn sender(&self, number: u64) -> Result<Sender, Error> {
        let info = self.scheme.info();
        let mut coins = vec![0; info.parameters.keygen_coins];
        generator(self.request.seed, b'k', number).fill_bytes(&mut coins);
        let key = self.scheme.generate(if info.coins.keygen { Coins::Exact(&coins) } else { Coins::Internal })?;
        let mut public_key = vec![0; info.parameters.verifying_key];
        let length = key.verifying_key()?.encode(&mut public_key)?;
        public_key.truncate(length);
        Ok(Sender { key, public_key })
    }

    /// Generates the transaction at position `index` in the block. `place` is its position among the transactions of
    /// the current window of senders. `keys` contains the keys of these senders.
    fn transaction(
        &self,
        index: u64,
        place: u64,
        keys: &[Sender],
        fault: Option<InjectedFault>,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, Error> {
        let senders = keys.len() as u64;
        let Sender { key, public_key } = &keys[(place % senders) as usize];
        let nonce = place / senders;
        let mut random = generator(self.request.seed, b't', index);
        let mut to = [0; 32];
        random.fill_bytes(&mut to);
        let (amount, fee) = (random.random_range(1..1_000_000_000), random.random_range(1..10_000));
        let chain_id = self.request.chain_id;
        let chain_id = fault.map_or(chain_id, |fault| fault.chain_id(chain_id));
        let mut coins = vec![0; self.scheme.info().parameters.signing_coins];
        random.fill_bytes(&mut coins);
        let coins = if self.reproducible() { Coins::Exact(&coins) } else { Coins::Internal };
        let sha256 = self.sha256.as_ref();
        let mut out = vec![0; self.request.scheme.transaction()];
        let length = match self.request.form {
            TransactionForm::TxV2 => {
                let scheme = self.request.scheme;
                let body = Body { chain_id, scheme, nonce, to: &to, amount, fee, public_key };
                body.sign(key.as_ref(), sha256, coins, scratch, &mut out)?
            }
            TransactionForm::TxV1 => {
                let body = reference::Body { chain_id, nonce, public_key, to: &to, amount, fee };
                let signers = reference::Signers { ml_dsa_65: key.as_ref(), ed25519: None };
                body.sign(&signers, sha256, coins, scratch, &mut out)?
            }
        };
        out.truncate(length);
        if let Some(fault) = fault {
            fault.inject(&mut out);
        }
        Ok(out)
    }

    pub(super) fn keys_of_a_seed(&self) -> bool {
        self.scheme.info().coins.keygen
    }

    pub(super) fn reproducible(&self) -> bool {
        let coins = self.scheme.info().coins;
        self.keys_of_a_seed() && (coins.operation || self.scheme.info().parameters.signing_coins == 0)
    }
}

/// Returns a random number generator that depends only on the arguments. Each key and transaction has its own
/// generator, so the values do not depend on the number of threads or the windows of senders.
fn generator(seed: u64, purpose: u8, number: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    bytes[16] = purpose;
    ChaCha8Rng::from_seed(bytes)
}
