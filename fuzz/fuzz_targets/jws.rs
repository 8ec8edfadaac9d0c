//! Decoder of JWS tokens in compact serialization.
#![no_main]

mod any_signature;

use any_signature::AnySignature;
use libfuzzer_sys::fuzz_target;
use pqlab_constructions::token::{Algorithm, jws};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(token) = jws::Jws::parse(text) else { return };
    // A payload has only one base64url encoding, so encoding it again must give the same text.
    let payloads = Algorithm::all().filter_map(|algorithm| token.verify(algorithm, &AnySignature).ok());
    let payload = text.split('.').nth(1).expect("a token has three parts");
    for found in payloads {
        assert_eq!(jws::key_id_text(found), payload);
    }
});
