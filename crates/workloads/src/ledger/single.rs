//! Trials for one transaction at a time: encode, decode, sign, verify.

use super::fixture::{CHAIN, Decoded, Fixture, Item, LONGEST, Sender, Transactions, Unsigned, decoded};
use crate::fault;
use crate::inputs::{POOL, Turn};
use pqlab_constructions::ledger::{Examined, Form, PreparedKey, Rejection, Scratch, Verifier};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::Hash;
use std::hint::black_box;
use std::sync::Arc;

/// Returns the transactions that a trial uses in rotation, and the number of their senders.
fn rotating(fixture: &mut Fixture) -> Result<(Arc<Transactions>, u64), Fault> {
    let count = POOL as u64;
    let senders = count.min(Fixture::most_senders(fixture.scheme));
    Ok((fixture.pool(count, senders, 0).map_err(fault)?, senders))
}

pub(super) fn encode(fixture: &mut Fixture) -> Result<Box<dyn Trial>, Fault> {
    let (pool, _) = rotating(fixture)?;
    let items = decoded(fixture.form, &pool);
    Ok(Box::new(Encode { turn: Turn::new(items.len()), items, out: vec![0; LONGEST], length: 0 }))
}

pub(super) fn decode(fixture: &mut Fixture) -> Result<Box<dyn Trial>, Fault> {
    let (pool, _) = rotating(fixture)?;
    Ok(Box::new(Decode { form: fixture.form, turn: Turn::new(pool.transactions.len()), pool }))
}

pub(super) fn sign(fixture: &mut Fixture) -> Result<Box<dyn Trial>, Fault> {
    let (_, senders) = rotating(fixture)?;
    let senders = fixture.senders(senders).map_err(fault)?.to_vec();
    let (form, scheme) = (fixture.form, fixture.scheme);
    Ok(Box::new(Sign {
        verifier: fixture.verifier(1, false).map_err(fault)?,
        sha256: Arc::clone(&fixture.sha256),
        turn: Turn::new(senders.len()),
        senders,
        unsigned: Unsigned { form, scheme, chain_id: CHAIN, nonce: 0, to: [7; 32], amount: 5, fee: 1 },
        scratch: Scratch::new(),
        out: vec![0; LONGEST],
        length: 0,
    }))
}

pub(super) fn verify(fixture: &mut Fixture, prepared: bool) -> Result<Box<dyn Trial>, Fault> {
    let (pool, _) = rotating(fixture)?;
    let items = decoded(fixture.form, &pool);
    let verifier = fixture.verifier(1, false).map_err(fault)?;
    let keys = if prepared { keys(&verifier, fixture, &items)? } else { Vec::new() };
    let (turn, outcome) = (Turn::new(items.len()), Ok(()));
    Ok(Box::new(Verify { verifier, items, keys, turn, scratch: Scratch::new(), outcome }))
}

/// Prepares the sender's key of each transaction. `None` for a malformed transaction.
pub(super) fn keys(verifier: &Verifier, fixture: &Fixture, items: &[Item]) -> Result<Vec<Option<PreparedKey>>, Fault> {
    let mut known: Vec<(&[u8], PreparedKey)> = Vec::new();
    let mut keys = Vec::new();
    for item in items {
        let Some(public_key) = item.borrow_dependent().public_key() else {
            keys.push(None);
            continue;
        };
        let key = match known.iter().find(|(other, _)| *other == public_key) {
            Some((_, key)) => key.clone(),
            None => {
                let key = verifier.prepare_key(fixture.scheme, public_key).map_err(rejected)?;
                known.push((public_key, key.clone()));
                key
            }
        };
        keys.push(Some(key));
    }
    Ok(keys)
}

/// Checks a decoded transaction, except for its signature. Rejects a malformed transaction.
#[inline]
pub(super) fn examine<'a>(
    verifier: &Verifier,
    item: &Decoded<'a>,
    scratch: &mut Scratch,
) -> Result<Examined<'a>, Rejection> {
    match item {
        Decoded::TxV2(transaction) => verifier.examine_decoded(transaction, scratch),
        Decoded::TxV1(transaction) => verifier.examine_reference(transaction, scratch),
        Decoded::Malformed(malformed) => Err((*malformed).into()),
    }
}

/// Verifies a decoded transaction, with its sender's prepared key if there is one.
#[inline]
pub(super) fn verify_decoded(
    verifier: &Verifier,
    item: &Decoded<'_>,
    key: Option<&PreparedKey>,
    scratch: &mut Scratch,
) -> Result<(), Rejection> {
    verifier.check(&examine(verifier, item, scratch)?, key)
}

/// Converts the rejection of a valid transaction to a fault.
fn rejected(rejection: Rejection) -> Fault {
    match rejection {
        Rejection::Library(what) => Fault::Library(what.into()),
        other => Fault::WrongAnswer(format!("a valid transaction was rejected: {other}")),
    }
}

struct Encode {
    items: Vec<Item>,
    turn: Turn,
    out: Vec<u8>,
    length: usize,
}

impl Trial for Encode {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let item = &self.items[self.turn.advance()];
            self.length = item.borrow_dependent().encode(black_box(&mut self.out)).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let right = self.out[..self.length] == self.items[self.turn.last()].borrow_owner()[..];
        if right { Ok(()) } else { Err(Fault::WrongAnswer("encoding a transaction gives different bytes".into())) }
    }
}

struct Decode {
    form: Form,
    pool: Arc<Transactions>,
    turn: Turn,
}

impl Trial for Decode {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let bytes = &self.pool.transactions[self.turn.advance()];
            if let Decoded::Malformed(malformed) = black_box(Decoded::new(self.form, black_box(bytes))) {
                return Err(rejected(malformed.into()));
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let bytes = &self.pool.transactions[self.turn.last()];
        let mut out = vec![0; LONGEST];
        let length = Decoded::new(self.form, bytes).encode(&mut out).map_err(fault)?;
        let right = out[..length] == bytes[..];
        if right { Ok(()) } else { Err(Fault::WrongAnswer("decoding and re-encoding changes a transaction".into())) }
    }
}

struct Sign {
    senders: Vec<Arc<Sender>>,
    verifier: Verifier,
    sha256: Arc<dyn Hash>,
    unsigned: Unsigned,
    turn: Turn,
    scratch: Scratch,
    out: Vec<u8>,
    length: usize,
}

impl Trial for Sign {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.length = 0;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            // A new nonce makes a new transaction.
            self.unsigned.nonce += 1;
            let sender = &self.senders[self.turn.advance()];
            let signed = self.unsigned.sign(sender, self.sha256.as_ref(), &mut self.scratch, &mut self.out);
            self.length = signed.map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let signed = &self.out[..self.length];
        self.verifier.verify(signed, &mut self.scratch).map_err(rejected)?;
        refuses_tampered(&self.verifier, signed)
    }
}

struct Verify {
    verifier: Verifier,
    items: Vec<Item>,
    /// Prepared keys. If there are none, each key is parsed from its transaction.
    keys: Vec<Option<PreparedKey>>,
    turn: Turn,
    scratch: Scratch,
    outcome: Result<(), Rejection>,
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let index = self.turn.advance();
            let key = self.keys.get(index).and_then(Option::as_ref);
            let item = self.items[index].borrow_dependent();
            let outcome = verify_decoded(&self.verifier, item, key, &mut self.scratch);
            if outcome.is_err() {
                self.outcome = outcome;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.outcome.clone().map_err(rejected)?;
        refuses_tampered(&self.verifier, self.items[self.turn.last()].borrow_owner())
    }
}

/// Checks that the verifier rejects a tampered transaction, because a broken verifier may accept everything.
fn refuses_tampered(verifier: &Verifier, transaction: &[u8]) -> Result<(), Fault> {
    let mut tampered = transaction.to_vec();
    // This byte belongs to the receiver's address or, in the reference implementation's form, to
    // the sender's key.
    tampered[20] ^= 1;
    match verifier.verify(&tampered, &mut Scratch::new()) {
        Err(_) => Ok(()),
        Ok(()) => Err(Fault::WrongAnswer("a transaction with a bit flipped was accepted".into())),
    }
}
