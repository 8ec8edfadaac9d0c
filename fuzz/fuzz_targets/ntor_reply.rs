//! Client side of circuit handshakes. The client must not panic, and must accept only the relay's reply.
#![no_main]

mod handshakes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((handshake, message)) = handshakes::choose(bytes) else { return };
    let reply = message(&handshake.reply);
    let finished = handshake.finish(handshake.start(), &reply);
    assert_eq!(finished.is_some(), reply == handshake.reply, "the client must accept only the relay's reply");
    assert!(finished.is_none_or(|finished| finished == handshake.keys), "both sides must have the same keys");
});
