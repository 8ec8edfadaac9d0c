//! Data that all cases of a provider and algorithm share: senders' keys, and transactions signed with them.

use crate::signature::signing_key;
use pqlab_constructions::ledger::{
    Body, Form, InjectedFault, Malformed, Scheme, Scratch, Transaction, Verifier, reference,
};
use pqlab_primitives::{BatchVerifier, Coins, Hash, Result, SignatureScheme, SigningKey};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of different transactions in a process. Larger blocks repeat transactions.
pub(super) const POOL: u64 = 1_000;
/// Chain id that the verifier accepts.
pub(super) const CHAIN: u32 = 1;
/// Maximum length of a transaction in bytes.
pub(super) const LONGEST: usize = 1 << 14;

/// Encoded transactions, some of them invalid.
pub(super) struct Transactions {
    pub(super) transactions: Vec<Box<[u8]>>,
    /// Positions of invalid transactions, in ascending order.
    pub(super) bad: Vec<u64>,
}

pub(super) struct Sender {
    pub(super) key: Box<dyn SigningKey>,
    pub(super) public_key: Vec<u8>,
}

/// Signer and verifier for a fixture's transactions.
pub(super) struct Parties {
    pub(super) signer: Arc<dyn SignatureScheme>,
    /// Batch verifier. If it is `None`, `signer` verifies signatures one by one.
    pub(super) batches: Option<Arc<dyn BatchVerifier>>,
}

pub(super) struct Fixture {
    pub(super) form: Form,
    pub(super) scheme: Scheme,
    parties: Parties,
    pub(super) sha256: Arc<dyn Hash>,
    generator: ChaCha8Rng,
    senders: Vec<Arc<Sender>>,
    pools: HashMap<(u64, u64, u64), Arc<Transactions>>,
}

impl Fixture {
    pub(super) fn new(
        form: Form,
        scheme: Scheme,
        parties: Parties,
        sha256: Arc<dyn Hash>,
        generator: ChaCha8Rng,
    ) -> Fixture {
        Fixture { form, scheme, parties, sha256, generator, senders: Vec::new(), pools: HashMap::new() }
    }

    /// Returns the maximum number of senders per process. The number is low for schemes with slow key generation.
    /// Generating an RSA key takes a tenth of a second, a Falcon key a hundredth.
    pub(super) fn most_senders(scheme: Scheme) -> u64 {
        match scheme {
            Scheme::Rsa2048 => 4,
            Scheme::Falcon512 | Scheme::FalconPadded512 => 32,
            _ => POOL,
        }
    }

    /// Creates a verifier for the chain [`CHAIN`]. The verifier verifies up to `batch` transactions together, if the
    /// library supports batches. It caches the prepared keys of senders if `cache` is set.
    pub(super) fn verifier(&self, batch: usize, cache: bool) -> Result<Verifier> {
        let verifier = Verifier::new(self.form, CHAIN, Arc::clone(&self.sha256)).in_batches_of(batch);
        let verifier = match &self.parties.batches {
            Some(batches) => verifier.with_batches(self.scheme, Arc::clone(batches))?,
            None => verifier.with_scheme(self.scheme, Arc::clone(&self.parties.signer))?,
        };
        Ok(if cache { verifier.with_key_cache(POOL as usize) } else { verifier })
    }

    /// Returns the first `count` senders. Generates missing keys.
    pub(super) fn senders(&mut self, count: u64) -> Result<&[Arc<Sender>]> {
        while (self.senders.len() as u64) < count {
            let signer = self.parties.signer.as_ref();
            let (key, _) = signing_key(signer, &mut self.generator)?;
            let mut public_key = vec![0; signer.info().parameters.verifying_key];
            let length = key.verifying_key()?.encode(&mut public_key)?;
            public_key.truncate(length);
            self.senders.push(Arc::new(Sender { key, public_key }));
        }
        Ok(&self.senders[..count as usize])
    }

    /// Returns `count` signed transactions from `senders` senders. `bad` is the number of invalid transactions, which
    /// are spread evenly.
    pub(super) fn pool(&mut self, count: u64, senders: u64, bad: u64) -> Result<Arc<Transactions>> {
        if let Some(pool) = self.pools.get(&(count, senders, bad)) {
            return Ok(Arc::clone(pool));
        }
        self.senders(senders)?;
        let positions: Vec<u64> = (0..bad).map(|number| number * count / bad + count / (2 * bad)).collect();
        let mut scratch = Scratch::new();
        let mut transactions = Vec::new();
        for index in 0..count {
            let fault = positions
                .binary_search(&index)
                .ok()
                .map(|number| InjectedFault::ALL[number % InjectedFault::ALL.len()]);
            let chain = fault.map_or(CHAIN, |fault| fault.chain_id(CHAIN));
            let sender = Arc::clone(&self.senders[(index % senders) as usize]);
            let mut transaction = self.sign(&sender, chain, index / senders, &mut scratch)?;
            if let Some(fault) = fault {
                fault.inject(&mut transaction);
            }
            transactions.push(transaction.into_boxed_slice());
        }
        let pool = Arc::new(Transactions { transactions, bad: positions });
        self.pools.insert((count, senders, bad), Arc::clone(&pool));
        Ok(pool)
    }

    fn sign(&mut self, sender: &Sender, chain_id: u32, nonce: u64, scratch: &mut Scratch) -> Result<Vec<u8>> {
        let mut to = [0; 32];
        self.generator.fill_bytes(&mut to);
        let (amount, fee) = (u64::from(self.generator.next_u32()), u64::from(self.generator.next_u32() >> 16));
        let unsigned = Unsigned { form: self.form, scheme: self.scheme, chain_id, nonce, to, amount, fee };
        let mut out = vec![0; LONGEST];
        let length = unsigned.sign(sender, self.sha256.as_ref(), scratch, &mut out)?;
        out.truncate(length);
        Ok(out)
    }
}

/// Transaction to be signed.
pub(super) struct Unsigned {
    pub(super) form: Form,
    pub(super) scheme: Scheme,
    pub(super) chain_id: u32,
    pub(super) nonce: u64,
    pub(super) to: [u8; 32],
    pub(super) amount: u64,
    pub(super) fee: u64,
}

impl Unsigned {
    #[inline]
    pub(super) fn sign(
        &self,
        sender: &Sender,
        sha256: &dyn Hash,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) -> Result<usize> {
        let Unsigned { form, scheme, chain_id, nonce, ref to, amount, fee } = *self;
        let (key, public_key) = (sender.key.as_ref(), &sender.public_key[..]);
        match form {
            Form::TxV2 => {
                let body = Body { chain_id, scheme, nonce, to, amount, fee, public_key };
                body.sign(key, sha256, Coins::Internal, scratch, out)
            }
            Form::TxV1 => {
                let body = reference::Body { chain_id, nonce, public_key, to, amount, fee };
                let signers = reference::Signers { ml_dsa_65: key, ed25519: None };
                body.sign(&signers, sha256, Coins::Internal, scratch, out)
            }
        }
    }
}

/// Decoded transaction, or the error from decoding it.
pub(super) enum Decoded<'a> {
    TxV2(Transaction<'a>),
    TxV1(reference::Transaction<'a>),
    Malformed(Malformed),
}

impl<'a> Decoded<'a> {
    #[inline]
    pub(super) fn new(form: Form, bytes: &'a [u8]) -> Decoded<'a> {
        let decoded = match form {
            Form::TxV2 => Transaction::decode(bytes).map(Decoded::TxV2),
            Form::TxV1 => reference::Transaction::decode(bytes).map(Decoded::TxV1),
        };
        decoded.unwrap_or_else(Decoded::Malformed)
    }

    /// Encodes the transaction again.
    #[inline]
    pub(super) fn encode(&self, out: &mut [u8]) -> Result<usize> {
        match self {
            Decoded::TxV2(transaction) => transaction.encode(out),
            Decoded::TxV1(transaction) => transaction.encode(out),
            Decoded::Malformed(_) => Err(pqlab_primitives::Error::Malformed("transaction")),
        }
    }

    /// Returns the sender's encoded key.
    pub(super) fn public_key(&self) -> Option<&'a [u8]> {
        match self {
            Decoded::TxV2(transaction) => Some(transaction.body().public_key),
            Decoded::TxV1(transaction) => Some(transaction.body().public_key),
            Decoded::Malformed(_) => None,
        }
    }
}

self_cell::self_cell!(
    /// Transaction together with the bytes that it borrows from.
    pub(super) struct Item {
        owner: Box<[u8]>,
        #[covariant]
        dependent: Decoded,
    }
);

/// Decodes every transaction of a pool.
pub(super) fn decoded(form: Form, pool: &Transactions) -> Vec<Item> {
    pool.transactions.iter().map(|bytes| Item::new(bytes.clone(), |bytes| Decoded::new(form, bytes))).collect()
}
