//! Reader of block files: it must not panic, files it reads completely must be rewritten to the same bytes, and the
//! parts found by the index must be the whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let Ok(mut reader) = BlockReader::new(data) else { return };
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), reader.header().form).expect("memory takes all");
    let mut transaction = Vec::new();
    let indexed = reader.header().indexed;
    let mut all = Vec::new();
    loop {
        transaction.clear();
        match reader.read_into(&mut transaction) {
            Ok(Some(_)) => {
                writer.push(&transaction).expect("memory takes all");
                all.push(transaction.clone());
            }
            Ok(None) => break,
            Err(_) => return,
        }
    }
    if !indexed {
        return;
    }
    let half = all.len() as u64 / 2;
    for (first, count) in [(0, half), (half, all.len() as u64 - half)] {
        let mut part = BlockReader::part(Cursor::new(data), first, count).expect("the whole block was read");
        for expected in &all[first as usize..][..count as usize] {
            transaction.clear();
            part.read_into(&mut transaction).expect("the whole block was read");
            assert_eq!(transaction, *expected);
        }
    }
    assert_eq!(writer.finish().expect("memory takes all").into_inner(), data);
});
