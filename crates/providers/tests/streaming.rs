//! Checks that hashing a message in parts gives the same output as hashing it in one call.

#![allow(clippy::unwrap_used)]

use pqlab_primitives::Error;
use pqlab_providers::providers;

#[test]
fn parts_give_the_output_of_one_call() {
    let message: Vec<u8> = (0..1000_u32).map(|index| (index * 7 % 251) as u8).collect();
    let mut tried = 0;
    for provider in providers() {
        for xof in &provider.xofs {
            let null = provider.library == "null";
            let mut whole = vec![0; 400];
            xof.digest(&message, &mut whole).unwrap();
            for step in [1, 7, 136, 168, 169, 512, 1000, 4096] {
                let mut absorber = match xof.absorber() {
                    Ok(absorber) => absorber,
                    Err(Error::Unsupported(_)) => continue,
                    Err(error) => panic!("{} {}: {error}", provider.id(), xof.info().algorithm),
                };
                for part in message.chunks(step) {
                    absorber.update(part).unwrap();
                }
                absorber.update(&[]).unwrap();
                let mut reader = absorber.finish().unwrap();
                let mut out = vec![0; 400];
                // `null` writes the same bytes to every part, so squeeze its output in one part.
                for part in out.chunks_mut(if null { 400 } else { step }) {
                    reader.squeeze(part).unwrap();
                }
                assert_eq!(out, whole, "{} {} in parts of {step}", provider.id(), xof.info().algorithm);
                tried += 1;
            }
        }
    }
    assert!(tried >= 8);
}

#[test]
fn abandoned_messages_do_no_harm() {
    for xof in providers().iter().flat_map(|provider| &provider.xofs) {
        if let Ok(mut absorber) = xof.absorber() {
            absorber.update(b"half of a").unwrap();
        }
    }
}
