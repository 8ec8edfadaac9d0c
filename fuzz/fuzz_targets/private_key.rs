//! Decoder of PKCS #8 private keys in DER and PEM.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::keys::PrivateKey;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = PrivateKey::from_der(bytes) {
        assert_eq!(key.to_der().expect("a decoded key must encode").as_slice(), bytes);
    }
    if let Ok(key) = std::str::from_utf8(bytes).map_err(drop).and_then(|text| PrivateKey::from_pem(text).map_err(drop))
    {
        assert_eq!(PrivateKey::from_der(&key.to_der().expect("a decoded key must encode")), Ok(key));
    }
});
