//! Client side of hs-ntor. The client must not panic, and must accept only the service's answer.
#![no_main]

mod sha3_handshakes;

use libfuzzer_sys::fuzz_target;
use sha3_handshakes::To;

fuzz_target!(|bytes: &[u8]| sha3_handshakes::onion_service(bytes, To::Client));
