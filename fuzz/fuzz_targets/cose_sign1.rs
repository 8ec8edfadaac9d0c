//! Decoder of COSE_Sign1 tokens.
#![no_main]

mod any_signature;

use any_signature::AnySignature;
use libfuzzer_sys::fuzz_target;
use pqlab_constructions::token::{Algorithm, cose};

fuzz_target!(|bytes: &[u8]| {
    let Ok(token) = cose::Sign1::parse(bytes) else { return };
    // Headers and payload have only one encoding, so their content determines their length.
    for algorithm in Algorithm::all() {
        if let Ok(payload) = token.verify(algorithm, &AnySignature) {
            let before =
                cose::length(algorithm, token.key_id(), payload.len()) - cose::string_len(algorithm.signature());
            let signature = bytes.len() - before;
            assert!((0..=bytes.len()).any(|length| cose::string_len(length) == signature));
        }
    }
});
