use super::super::block::{BlockReader, BlockWriter};
use super::super::stream::{BlockProgress, verify_batches, verify_source};
use super::*;
use pqlab_primitives::{BatchKey, BatchVerifier, Claim, Error, Result, SignatureParameters};
use rayon::ThreadPoolBuilder;
use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the batch verifiers for `scheme` that give each signature a verdict, with their providers' ids.
fn batches(scheme: Scheme) -> Vec<(String, Arc<dyn BatchVerifier>)> {
    let offered = PROVIDERS.iter().filter_map(|provider| {
        let batches = provider.batch_verifier(scheme.algorithm())?;
        batches.answers_for_each().then(|| (provider.id(), Arc::clone(batches)))
    });
    offered.collect()
}

/// Builds a block that cycles through five senders. Every third transaction contains a fault, and the block cycles
/// through all faults.
fn block(count: u64) -> Vec<Vec<u8>> {
    let schemes = [Scheme::MlDsa65, Scheme::MlDsa44, Scheme::MlDsa65, Scheme::MlDsa87, Scheme::Ed25519];
    let senders: Vec<Sender> = schemes
        .into_iter()
        .map(|scheme| {
            let known = super::schemes().into_iter().find(|(other, _)| *other == scheme).unwrap().1;
            Sender::new(scheme, known.as_ref())
        })
        .collect();
    let block = (0..count).map(|index| {
        let sender = &senders[index as usize % senders.len()];
        let fault = (index % 3 == 1).then(|| InjectedFault::ALL[index as usize / 3 % InjectedFault::ALL.len()]);
        let mut transaction = sender.sign(fault.map_or(CHAIN, |fault| fault.chain_id(CHAIN)), index);
        if let Some(fault) = fault {
            fault.inject(&mut transaction);
        }
        transaction
    });
    block.collect()
}

fn written(transactions: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), Form::TxV2).unwrap();
    transactions.iter().for_each(|transaction| writer.push(transaction).unwrap());
    writer.finish().unwrap().into_inner()
}

/// Returns a verifier for all schemes, with a key cache if `kept` is set. The first available batch verifier checks
/// ML-DSA signatures in batches of `of` transactions.
fn in_batches(of: usize, kept: bool) -> Verifier {
    let verifier = [Scheme::MlDsa44, Scheme::MlDsa65, Scheme::MlDsa87].into_iter().fold(verifier(), |all, scheme| {
        let (_, batches) = batches(scheme).into_iter().next().unwrap();
        all.with_batches(scheme, batches).unwrap()
    });
    let verifier = verifier.in_batches_of(of);
    if kept { verifier.with_key_cache(10) } else { verifier }
}

#[test]
fn batches_reject_what_single_verification_rejects() {
    let transactions = block(330);
    let bytes = written(&transactions);
    let singly = {
        let mut source = BlockReader::new(&bytes[..]).unwrap();
        verify_source(&mut source, &verifier(), None, &BlockProgress::default()).unwrap().into_list()
    };
    assert_eq!(singly.len(), 110);
    for of in [1, 2, 7, 100, 1000] {
        for (threads, kept) in [(None, false), (None, true), (Some(1), false), (Some(2), true), (Some(5), false)] {
            let verifier = in_batches(of, kept);
            assert_eq!(verifier.batch(), of);
            let pool = threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
            let mut source = BlockReader::new(&bytes[..]).unwrap();
            let read = verify_source(&mut source, &verifier, pool.as_ref(), &BlockProgress::default()).unwrap();
            assert_eq!(read.into_list(), singly, "batch {of}, threads {threads:?}, cache {kept}");
            let in_memory = verify_batches(transactions.len() as u64, of as u64, pool.as_ref(), |range, scratch| {
                let range = range.start as usize..range.end as usize;
                verifier.verify_batch(&transactions[range].iter().map(Vec::as_slice).collect::<Vec<_>>(), scratch)
            });
            assert_eq!(in_memory.into_list(), singly, "batch {of}, threads {threads:?}, cache {kept}");
        }
    }
}

#[test]
fn rejects_only_the_bad_transaction_in_a_batch() {
    let sender = Sender::new(Scheme::MlDsa44, implementation("aws-lc", "ML-DSA-44").as_ref());
    let good: Vec<Vec<u8>> = (0..9).map(|index| sender.sign(CHAIN, index)).collect();
    for (id, batches) in batches(Scheme::MlDsa44) {
        let plain = Verifier::new(Form::TxV2, CHAIN, sha256());
        let verifier = plain.with_batches(Scheme::MlDsa44, batches).unwrap();
        let mut scratch = Scratch::new();
        for place in 0..good.len() {
            for fault in InjectedFault::ALL {
                let mut block = good.clone();
                block[place] = sender.sign(fault.chain_id(CHAIN), place as u64);
                fault.inject(&mut block[place]);
                let verdicts =
                    verifier.verify_batch(&block.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut scratch);
                let alone: Vec<_> = block.iter().map(|one| verifier.verify(one, &mut scratch)).collect();
                assert_eq!(verdicts, alone, "{id} {place} {fault:?}");
                let bad: Vec<usize> = (0..block.len()).filter(|index| verdicts[*index].is_err()).collect();
                assert_eq!(bad, [place], "{id} {fault:?}");
            }
        }
        assert_eq!(verifier.verify_batch(&[], &mut scratch), []);
    }
}

#[test]
fn batch_keys_verify_alone_and_in_batches() {
    let sender = Sender::new(Scheme::MlDsa65, implementation("aws-lc", "ML-DSA-65").as_ref());
    let mut scratch = Scratch::new();
    let bytes = sender.sign(CHAIN, 1);
    for (id, batches) in batches(Scheme::MlDsa65) {
        let plain = Verifier::new(Form::TxV2, CHAIN, sha256());
        let verifier = plain.with_batches(Scheme::MlDsa65, batches).unwrap();
        let key = verifier.prepare_key(Scheme::MlDsa65, &sender.public_key).unwrap();
        let examined = verifier.examine(&bytes, &mut scratch).unwrap();
        assert_eq!(verifier.check(&examined, Some(&key)), Ok(()), "{id}");
        let others = vec![(Ok(examined), Some(&key)), (Err(Rejection::UnknownSender), None), (Ok(examined), None)];
        assert_eq!(verifier.check_batch(others), [Ok(()), Err(Rejection::UnknownSender), Ok(())], "{id}");
        // A batch verifier cannot use a key that another implementation prepared.
        let foreign = super::verifier().prepare_key(Scheme::MlDsa65, &sender.public_key).unwrap();
        assert_eq!(verifier.check(&examined, Some(&foreign)), Err(Rejection::PublicKey), "{id}");
    }
}

/// Batch verifier that fails. If `panics` is set, it panics on batches of several claims. Otherwise, it returns one
/// verdict too few.
struct Failing {
    parameters: SignatureParameters,
    calls: AtomicUsize,
    panics: bool,
    each: bool,
}

impl BatchVerifier for Failing {
    fn parameters(&self) -> &SignatureParameters {
        &self.parameters
    }

    fn answers_for_each(&self) -> bool {
        self.each
    }

    fn prepare(&self, _verifying_key: &[u8]) -> Result<Box<dyn BatchKey>> {
        Err(Error::Malformed("verifying key"))
    }

    fn verify(&self, claims: &[Claim<'_>]) -> Vec<Result<()>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        assert!(!self.panics || claims.len() == 1, "test panic");
        vec![Ok(()); if self.panics { 1 } else { claims.len() - 1 }]
    }
}

fn failing(panics: bool, each: bool) -> Arc<Failing> {
    let parameters = batches(Scheme::MlDsa44)[0].1.parameters().clone();
    Arc::new(Failing { parameters, calls: AtomicUsize::new(0), panics, each })
}

#[test]
fn failing_batches_reject_nothing_that_verifies_alone() {
    let sender = Sender::new(Scheme::MlDsa44, implementation("aws-lc", "ML-DSA-44").as_ref());
    let bytes = written(&(0..5).map(|index| sender.sign(CHAIN, index)).collect::<Vec<_>>());
    let rejected = |failing: &Arc<Failing>| {
        let plain = Verifier::new(Form::TxV2, CHAIN, sha256());
        let verifier = plain.with_batches(Scheme::MlDsa44, Arc::clone(failing) as Arc<dyn BatchVerifier>).unwrap();
        let mut source = BlockReader::new(&bytes[..]).unwrap();
        verify_source(&mut source, &verifier, None, &BlockProgress::default()).unwrap().into_list()
    };
    let panicking = failing(true, true);
    assert_eq!(rejected(&panicking), []);
    assert_eq!(panicking.calls.load(Ordering::Relaxed), 1 + 5);
    let short = rejected(&failing(false, true));
    assert_eq!(short.len(), 5);
    assert!(short.iter().all(|one| one.reason.kind() == "library-fault"), "{short:?}");
}

#[test]
fn rejects_unsuitable_batch_verifiers() {
    let plain = || Verifier::new(Form::TxV2, CHAIN, sha256());
    let (_, other) = batches(Scheme::MlDsa65).into_iter().next().unwrap();
    assert_eq!(
        plain().with_batches(Scheme::MlDsa44, other).unwrap_err(),
        Error::Malformed("implementation of the scheme")
    );
    assert!(matches!(plain().with_batches(Scheme::MlDsa44, failing(false, false)), Err(Error::Unsupported(_))));
    assert_eq!(verifier().batch(), 1, "without batch verifiers, the batch size must be 1");
}
