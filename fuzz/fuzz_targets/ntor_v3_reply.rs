//! The client's side of ntor v3: no panic, and no reply is believed but the relay's.
#![no_main]

mod sha3_handshakes;

use libfuzzer_sys::fuzz_target;
use sha3_handshakes::To;

fuzz_target!(|bytes: &[u8]| sha3_handshakes::v3(bytes, To::Client));
