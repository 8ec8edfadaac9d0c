//! The client's side of a circuit handshake: no panic, and no reply is believed but the relay's.
#![no_main]

mod handshakes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((handshake, message)) = handshakes::choose(bytes) else { return };
    let (pending, onionskin) = handshake.start();
    let (honest, keys) = handshake.respond(&onionskin).expect("the onionskin is honest");
    let reply = message(&honest);
    let finished = handshake.finish(pending, &reply);
    assert_eq!(finished.is_some(), reply == honest, "a reply that the relay did not send is believed");
    assert!(finished.is_none_or(|finished| finished == keys), "the two sides have different keys");
});
