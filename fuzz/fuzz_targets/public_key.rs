//! Decoder of SubjectPublicKeyInfo in DER and PEM.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::keys::PublicKey;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = PublicKey::from_der(bytes) {
        assert_eq!(key.to_der().expect("a decoded key must encode"), bytes);
    }
    if let Ok(key) = std::str::from_utf8(bytes).map_err(drop).and_then(|text| PublicKey::from_pem(text).map_err(drop)) {
        assert_eq!(PublicKey::from_der(&key.to_der().expect("a decoded key must encode")), Ok(key));
    }
});
