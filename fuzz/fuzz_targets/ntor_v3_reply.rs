//! Client side of ntor v3. The client must not panic, and must accept only the relay's reply.
#![no_main]

mod sha3_handshakes;

use libfuzzer_sys::fuzz_target;
use sha3_handshakes::To;

fuzz_target!(|bytes: &[u8]| sha3_handshakes::v3(bytes, To::Client));
