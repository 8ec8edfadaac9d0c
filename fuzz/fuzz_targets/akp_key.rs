//! ML-DSA keys as JWK and as COSE_Key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::token::AkpKey;

fuzz_target!(|bytes: &[u8]| {
    let of_text = std::str::from_utf8(bytes).ok().and_then(|text| AkpKey::from_jwk(text).ok());
    for key in [of_text, AkpKey::from_cose_key(bytes).ok()].into_iter().flatten() {
        let again = AkpKey::from_jwk(&key.public_jwk()).expect("it was written here");
        assert_eq!(again.public(), key.public());
        let again = AkpKey::from_cose_key(&key.public_cose_key().expect("it was read")).expect("it was written here");
        assert_eq!(again.public(), key.public());
    }
});
