//! Decoders of ML-DSA keys: JWK and COSE_Key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::token::AkpKey;

fuzz_target!(|bytes: &[u8]| {
    let jwk = std::str::from_utf8(bytes).ok().and_then(|text| AkpKey::from_jwk(text).ok());
    for key in [jwk, AkpKey::from_cose_key(bytes).ok()].into_iter().flatten() {
        let again = AkpKey::from_jwk(&key.public_jwk()).expect("an encoded key must decode");
        assert_eq!(again.public(), key.public());
        let cose_key = key.public_cose_key().expect("a decoded key must encode");
        let again = AkpKey::from_cose_key(&cose_key).expect("an encoded key must decode");
        assert_eq!(again.public(), key.public());
    }
});
