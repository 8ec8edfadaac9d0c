//! Reader of block files. The reader must not panic. If it reads a file completely, the writer must produce the same
//! bytes, and the parts that the index locates must make up the whole block.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let Ok(mut reader) = BlockReader::new(data) else { return };
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), reader.header().form).expect("writes to memory succeed");
    let mut transaction = Vec::new();
    let indexed = reader.header().indexed;
    let mut all = Vec::new();
    loop {
        transaction.clear();
        match reader.read_into(&mut transaction) {
            Ok(Some(_)) => {
                writer.push(&transaction).expect("writes to memory succeed");
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
        let mut part = BlockReader::part(Cursor::new(data), first, count).expect("the whole block was readable");
        for expected in &all[first as usize..][..count as usize] {
            transaction.clear();
            part.read_into(&mut transaction).expect("the whole block was readable");
            assert_eq!(transaction, *expected);
        }
    }
    assert_eq!(writer.finish().expect("writes to memory succeed").into_inner(), data);
});
