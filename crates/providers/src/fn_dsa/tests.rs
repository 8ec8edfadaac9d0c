use super::*;
use crate::shared::testing::*;

/// Version 0.4 of the crate implements the draft of FN-DSA, which is a different algorithm.
#[test]
fn the_version_is_the_last_with_falcon() {
    let provider = providers().pop().unwrap();
    assert!(provider.build_info.version.starts_with("0.3."), "{:?}", provider.build_info);
}

/// Falcon keys contain a header and coefficients of limited size (Falcon specification, sections 3.11.4 and 3.11.5).
#[test]
fn rejects_damaged_keys() {
    for scheme in &providers().pop().unwrap().signatures {
        let key = scheme.generate(Coins::Internal).unwrap();
        let mut public = encoded_verifying_key(scheme.info(), &*key.verifying_key().unwrap());
        let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        public[0] ^= 1;
        private[0] ^= 1;
        assert!(malformed_error(scheme.load_verifying_key(&public)), "accepted a wrong header");
        assert!(malformed_error(scheme.load_signing_key(KeyEncoding::Expanded, &private)));
        let mut out = vec![0; scheme.info().parameters.signature];
        let signed = scheme.sign_from(KeyEncoding::Expanded, &private, b"", b"message", Coins::Internal, &mut out);
        assert!(malformed_error(signed));
        public[0] ^= 1;
        public[1] = 0xff;
        public[2] = 0xff;
        assert!(malformed_error(scheme.load_verifying_key(&public)), "accepted coefficient above q");
    }
}

#[test]
fn signatures_begin_with_the_header_of_the_padded_encoding() {
    let provider = providers().pop().unwrap();
    for (algorithm, header) in [("Falcon-padded-512", 0x39), ("Falcon-padded-1024", 0x3a)] {
        let scheme = provider.signature(algorithm).unwrap();
        let key = scheme.generate(Coins::Internal).unwrap();
        assert_eq!(sign(scheme.info(), &*key, b"", b"message", Coins::Internal)[0], header);
    }
}
