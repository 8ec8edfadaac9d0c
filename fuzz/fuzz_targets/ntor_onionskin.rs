//! Relay side of circuit handshakes. The relay must not panic, and both sides must finish only if the onionskin arrives
//! unchanged.
#![no_main]

mod handshakes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((handshake, message)) = handshakes::choose(bytes) else { return };
    let honest = &handshake.onionskin;
    let onionskin = message(honest);
    let answered = handshake.respond(&onionskin);
    if onionskin == *honest {
        assert!(answered.is_some(), "the relay must accept an honest onionskin");
    }
    let Some((reply, keys)) = answered else { return };
    let finished = handshake.finish(handshake.start(), &reply);
    assert_eq!(finished.is_some(), onionskin == *honest, "only an unchanged onionskin must succeed");
    assert!(finished.is_none_or(|finished| finished == keys), "both sides must have the same keys");
});
