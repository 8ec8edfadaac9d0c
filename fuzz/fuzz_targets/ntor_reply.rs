//! The client's side of a circuit handshake: it must not panic, and must accept only the relay's reply.
#![no_main]

mod handshakes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((handshake, message)) = handshakes::choose(bytes) else { return };
    let reply = message(&handshake.reply);
    let finished = handshake.finish(handshake.start(), &reply);
    assert_eq!(finished.is_some(), reply == handshake.reply, "a reply that the relay did not send is believed");
    assert!(finished.is_none_or(|finished| finished == handshake.keys), "the two sides have different keys");
});
