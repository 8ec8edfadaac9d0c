use super::super::block::{BlockError, BlockReader, BlockWriter};
use super::super::stream::{BlockProgress, Chunk, TransactionSource, verify_positions, verify_source};
use super::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, Cursor, Read};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn verifier_of_ed25519() -> Verifier {
    let ed25519 = implementation("rustcrypto", "Ed25519");
    Verifier::new(Form::TxV2, CHAIN, sha256()).with_scheme(Scheme::Ed25519, ed25519).unwrap()
}

/// Returns transactions and the expected rejections. Every seventh transaction contains one of the five faults.
fn mixed(count: u64) -> (Vec<Vec<u8>>, Vec<(u64, &'static str)>) {
    let sender = Sender::new(Scheme::Ed25519, implementation("rustcrypto", "Ed25519").as_ref());
    let (mut all, mut bad) = (Vec::new(), Vec::new());
    for index in 0..count {
        let mut bytes = sender.sign(CHAIN, index);
        let middle = bytes.len() - 40;
        let kind = match index % 35 {
            0 => {
                bytes[middle] ^= 1;
                "wrong-signature"
            }
            7 => {
                bytes = sender.sign(CHAIN ^ 1, index);
                "wrong-chain"
            }
            14 => {
                bytes.truncate(middle);
                "truncated"
            }
            21 => {
                bytes.push(0);
                "trailing-bytes"
            }
            28 => {
                bytes[5] = 9;
                "scheme"
            }
            _ => {
                all.push(bytes);
                continue;
            }
        };
        all.push(bytes);
        bad.push((index, kind));
    }
    (all, bad)
}

fn block(transactions: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), Form::TxV2).unwrap();
    transactions.iter().for_each(|transaction| writer.push(transaction).unwrap());
    writer.finish().unwrap().into_inner()
}

fn listed(rejections: Rejections) -> Vec<(u64, &'static str)> {
    rejections.into_list().into_iter().map(|rejected| (rejected.index, rejected.reason.kind())).collect()
}

#[test]
fn result_is_independent_of_threads_and_source() {
    let (transactions, bad) = mixed(1500);
    let bytes = block(&transactions);
    let verifier = verifier_of_ed25519();
    for threads in [None, Some(1), Some(2), Some(5)] {
        let pool = threads.map(pool);
        let progress = BlockProgress::default();
        let mut source = BlockReader::new(&bytes[..]).unwrap();
        let rejections = verify_source(&mut source, &verifier, pool.as_ref(), &progress).unwrap();
        assert_eq!(progress.transactions(), 1500);
        assert_eq!(progress.bytes(), transactions.iter().map(|transaction| transaction.len() as u64).sum::<u64>());
        assert_eq!(rejections.count(), bad.len() as u64);
        assert_eq!(listed(rejections), bad, "{threads:?}");
        let in_memory = verify_positions(1500, pool.as_ref(), |index, scratch| {
            verifier.verify(&transactions[index as usize], scratch)
        });
        assert_eq!(listed(in_memory), bad, "{threads:?}");
    }
}

#[test]
fn unreadable_blocks_fail_and_stop_the_threads() {
    let bytes = block(&mixed(700).0);
    let verifier = verifier_of_ed25519();
    for threads in [None, Some(2)] {
        let pool = threads.map(pool);
        // Truncate the file in the index, in the last transaction, and in the middle.
        for cut in [1, 21, bytes.len() / 2] {
            let mut source = BlockReader::new(&bytes[..bytes.len() - cut]).unwrap();
            let outcome = verify_source(&mut source, &verifier, pool.as_ref(), &BlockProgress::default());
            match outcome {
                Err(BlockError::Index(_)) => assert_eq!(cut, 1),
                Err(BlockError::Truncated { count: 700, .. }) => assert!(cut > 1),
                other => panic!("{cut} bytes removed: {other:?}"),
            }
        }
    }
}

/// File that grows while it is being read.
struct Growing {
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Growing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = (&self.bytes[self.at..]).read(out)?;
        self.at += count;
        self.bytes.extend([0; 3]);
        Ok(count)
    }
}

#[test]
fn rejects_files_that_grow_while_being_read() {
    let mut source = BlockReader::new(Growing { bytes: block(&mixed(50).0), at: 0 }).unwrap();
    let outcome = verify_source(&mut source, &verifier_of_ed25519(), Some(&pool(2)), &BlockProgress::default());
    assert!(matches!(outcome, Err(BlockError::Grown { count: 50 })));
}

/// Endless source that counts the transactions it delivers.
struct Endless {
    transaction: Vec<u8>,
    read: u64,
}

impl TransactionSource for Endless {
    type Error = io::Error;

    fn fill(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        while chunk.has_room() {
            chunk.push(&self.transaction);
            self.read += 1;
        }
        Ok(())
    }
}

#[test]
fn reader_waits_for_verifiers_and_stops_on_request() {
    let transaction = Sender::new(Scheme::Ed25519, implementation("rustcrypto", "Ed25519").as_ref()).sign(CHAIN, 1);
    let (verifier, pool, progress) = (verifier_of_ed25519(), pool(2), BlockProgress::default());
    let mut source = Endless { transaction, read: 0 };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while progress.transactions() < 5_000 {
                std::thread::yield_now();
            }
            progress.stop();
        });
        let rejections = verify_source(&mut source, &verifier, Some(&pool), &progress).unwrap();
        assert_eq!(rejections.count(), 0);
    });
    // At most four chunks of 256 transactions may be in flight.
    assert!(source.read >= 5_000 && source.read - progress.transactions() <= 4 * 256, "{} read", source.read);
}

#[test]
fn library_panics_reject_one_transaction() {
    let verify = |index, _: &mut Scratch| if index == 3 { panic!("test panic") } else { Ok(()) };
    for pool in [None, Some(pool(2))] {
        assert_eq!(listed(verify_positions(10, pool.as_ref(), verify)), [(3, "library-fault")]);
    }
}
