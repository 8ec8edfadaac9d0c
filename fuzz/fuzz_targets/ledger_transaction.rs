//! Decoders of transactions. They must not panic, and an accepted transaction must encode to the
//! same bytes again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::ledger::{LONGEST_TRANSACTION, Transaction, reference};

fuzz_target!(|data: &[u8]| {
    if data.len() > LONGEST_TRANSACTION {
        return;
    }
    let mut out = vec![0; data.len()];
    if let Ok(decoded) = Transaction::decode(data) {
        assert_eq!(decoded.encode(&mut out).expect("the buffer must fit"), data.len());
        assert_eq!(out, data);
    }
    if let Ok(decoded) = reference::Transaction::decode(data) {
        assert_eq!(decoded.encode(&mut out).expect("the buffer must fit"), data.len());
        assert_eq!(out, data);
    }
});
