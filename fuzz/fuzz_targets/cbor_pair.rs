//! Decoder of hybrid keys in the reference form: a CBOR array of two byte strings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::keys::cbor_pair;

fuzz_target!(|bytes: &[u8]| {
    for lengths in [[32, 1184], [32, 1952], [32, 64], [32, 32], [0, 0], [1, 1]] {
        if let Ok([first, second]) = cbor_pair::decode(bytes, lengths) {
            assert_eq!(cbor_pair::encode(first, second).expect("a decoded pair must encode"), bytes);
        }
    }
});
