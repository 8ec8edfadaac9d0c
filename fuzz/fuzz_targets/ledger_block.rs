//! Reader of block files: no panic, and whatever is read whole is written to the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let Ok(mut reader) = BlockReader::new(data) else { return };
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), reader.header().form).expect("memory takes all");
    let mut transaction = Vec::new();
    loop {
        transaction.clear();
        match reader.read_into(&mut transaction) {
            Ok(Some(_)) => writer.push(&transaction).expect("memory takes all"),
            Ok(None) => break,
            Err(_) => return,
        }
    }
    assert_eq!(writer.finish().expect("memory takes all").into_inner(), data);
});
