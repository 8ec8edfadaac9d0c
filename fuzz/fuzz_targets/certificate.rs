//! Decoder of X.509 certificates in DER and PEM.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_constructions::certificate::{Certificate, Schemes};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(certificate) = Certificate::from_der(bytes) {
        assert_eq!(certificate.as_der(), bytes);
        // Without signature schemes, no certificate verifies.
        assert!(certificate.verify(&certificate, &Schemes::default()).is_err());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Certificate::from_pem(text);
    }
});
