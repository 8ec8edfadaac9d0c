use super::*;
use crate::ledger::{
    BlockFormat, Scheme, TransactionForm, VerifyBlockRequest, block_facts, footer_length, generate, timed, verify_block,
};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

fn laboratory() -> Laboratory {
    Laboratory::new(crate::WorkerProgram::pqlab("no worker is started"))
}

fn request(path: PathBuf, format: BlockFormat, senders: u64) -> GenerateRequest {
    GenerateRequest {
        path,
        format,
        form: TransactionForm::TxV2,
        scheme: Scheme::Ed25519,
        count: 5000,
        senders,
        invalid: 50,
        chain_id: 1,
        seed: 3,
        provider: None,
        threads: 1,
    }
}

#[test]
fn separate_parts_assemble_to_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    for format in [BlockFormat::Block, BlockFormat::Parquet] {
        // Test one window of senders, windows that end within parts, and one sender per transaction.
        for senders in [7, 999, 5000] {
            let whole = request(folder.path().join("whole"), format, senders);
            let made = generate(&laboratory(), &whole, &mut |_| {}, &never).unwrap().unwrap();
            let apart = request(folder.path().join("apart"), format, senders);
            let mut assembly = Assembly::new(&laboratory(), &apart).unwrap();
            for part in [0..1024, 1024..1025, 1025..1025, 1025..4096, 4096..5000] {
                let bytes = generate_part(&laboratory(), &apart, part.clone(), &never).unwrap().unwrap();
                assert_eq!(assembly.add(&bytes).unwrap(), part.end);
            }
            assert_eq!(assembly.finish().unwrap(), made);
            assert!(fs::read(&whole.path).unwrap() == fs::read(&apart.path).unwrap(), "{format:?} {senders}");
        }
    }
}

#[test]
fn rejects_blocks_with_missing_or_damaged_parts() {
    let folder = tempfile::tempdir().unwrap();
    let apart = request(folder.path().join("apart"), BlockFormat::Block, 10);
    let never = AtomicBool::new(false);
    let bytes = generate_part(&laboratory(), &apart, 0..10, &never).unwrap().unwrap();
    let mut assembly = Assembly::new(&laboratory(), &apart).unwrap();
    assert!(assembly.add(&bytes[..bytes.len() - 1]).is_err());
    let mut assembly = Assembly::new(&laboratory(), &apart).unwrap();
    assembly.add(&bytes).unwrap();
    assert!(assembly.finish().unwrap_err().to_string().contains("10 of 5000 transactions"));
    assert!(!apart.path.exists());
    for part in [10..5001, 5001..5001] {
        assert!(generate_part(&laboratory(), &apart, part, &never).is_err());
    }
    assert!(generate_part(&laboratory(), &apart, 0..5000, &AtomicBool::new(true)).unwrap().is_none());
}

/// Verifying a part of a remote file must need only the bytes of the part and both ends of the file.
#[test]
fn a_part_is_verified_with_only_the_bytes_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    for format in [BlockFormat::Block, BlockFormat::Parquet] {
        let whole = request(folder.path().join("whole"), format, 10);
        generate(&laboratory(), &whole, &mut |_| {}, &AtomicBool::new(false)).unwrap().unwrap();
        let bytes = fs::read(&whole.path).unwrap();
        let footer = footer_length(&bytes[..32], &bytes[bytes.len() - 32..]) as usize;
        assert!(footer > 20 && footer < bytes.len() / 4, "{footer}");
        for part in [0..5000, 0..1024, 1024..3072, 4096..5000, 100..200, 5000..5000, 2000..2000] {
            let path = folder.path().join("part");
            let file = File::create(&path).unwrap();
            file.set_len(bytes.len() as u64).unwrap();
            file.write_all_at(&bytes[..32], 0).unwrap();
            file.write_all_at(&bytes[bytes.len() - footer..], (bytes.len() - footer) as u64).unwrap();
            assert_eq!(block_facts(&path).unwrap(), block_facts(&whole.path).unwrap());
            let needed = bytes_of_part(&path, part.clone()).unwrap();
            let (from, to) = (needed.start as usize, needed.end as usize);
            file.write_all_at(&bytes[from..to], needed.start).unwrap();
            let verified = |path: PathBuf| {
                let part_request = VerifyBlockRequest {
                    path,
                    form: TransactionForm::TxV2,
                    chain_id: 1,
                    threads: 1,
                    provider: None,
                    keep_keys: false,
                    part: Some(part.clone()),
                    batch: None,
                };
                let report = verify_block(&laboratory(), &part_request, &timed(), &mut |_| {}).unwrap();
                (report.transactions, report.bytes, report.list)
            };
            assert_eq!(verified(path), verified(whole.path.clone()), "{format:?} {part:?}");
        }
        assert!(bytes_of_part(&whole.path, 0..5001).is_err());
    }
    assert_eq!((footer_length(b"", b""), footer_length(b"PAR1", b"PAR1")), (0, 0));
}
