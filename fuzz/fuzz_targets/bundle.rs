//! Decoder of certificates with a detached signature.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::certificate::detached::Bundle;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::decode(bytes) {
        assert_eq!(bundle.encode().expect("a decoded bundle must encode"), bytes);
    }
});
