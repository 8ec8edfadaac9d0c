//! Relay side of ntor v3. The relay must not panic, and must answer only the client's onionskin.
#![no_main]

mod sha3_handshakes;

use libfuzzer_sys::fuzz_target;
use sha3_handshakes::To;

fuzz_target!(|bytes: &[u8]| sha3_handshakes::v3(bytes, To::Responder));
