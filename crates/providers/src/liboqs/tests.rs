use super::*;
use crate::shared::testing::*;
use pqlab_primitives::{Coins, Error, KeyEncoding};

fn provider() -> Provider {
    providers().pop().unwrap()
}

#[test]
fn build_info_names_the_build() {
    let BuildInfo { version, build } = provider().build_info;
    assert_eq!(crate_version("oqs-sys").split_once("+liboqs-").unwrap().1, version);
    assert!(build.contains("OQS_DIST_BUILD=1"), "{build}");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(build.contains(" avx2 "), is_x86_feature_detected!("avx2"), "{build}");
}

/// Falcon keys contain a header and coefficients of limited size (Falcon specification, sections 3.11.4 and 3.11.5).
/// The library checks both when a key is used.
#[test]
fn rejects_damaged_falcon_keys_on_first_use() {
    for scheme in provider().signatures.iter().filter(|scheme| scheme.info().parameters.algorithm.starts_with("Falcon"))
    {
        let info = scheme.info();
        let key = scheme.generate(Coins::Internal).unwrap();
        let signature = sign(info, &*key, b"", b"message", Coins::Internal);
        let mut public = encoded_verifying_key(info, &*key.verifying_key().unwrap());
        let mut private = vec![0; info.signing_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        public[0] ^= 1;
        private[0] ^= 1;
        let verifying = scheme.load_verifying_key(&public).unwrap();
        assert_eq!(verifying.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let refused = loaded.sign(b"", b"message", Coins::Internal, &mut vec![0; info.parameters.signature]);
        assert_eq!(refused, Err(Error::Malformed("signing key")));
    }
}

/// Falcon signatures consist of a header, a nonce of 40 bytes and a compressed vector, with or without zero padding
/// (Falcon specification, section 3.11.3).
#[test]
fn falcon_signatures_have_one_header_and_two_lengths() {
    let provider = provider();
    for (degree, header, padded_length) in [("512", 0x39, 666), ("1024", 0x3a, 1280)] {
        let variable = provider.signature(&format!("Falcon-{degree}")).unwrap();
        let padded = provider.signature(&format!("Falcon-padded-{degree}")).unwrap();
        let key = variable.generate(Coins::Internal).unwrap();
        let mut private = vec![0; variable.info().signing_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        let public = encoded_verifying_key(variable.info(), &*key.verifying_key().unwrap());
        let padded_key = padded.load_signing_key(KeyEncoding::Expanded, &private).unwrap();
        let signatures: Vec<Vec<u8>> =
            (0..16u8).map(|i| sign(variable.info(), &*key, b"", &[i], Coins::Internal)).collect();
        assert!(signatures.iter().any(|signature| signature.len() != signatures[0].len()));
        assert!(signatures.iter().all(|signature| signature[0] == header));

        let fixed = sign(padded.info(), &*padded_key, b"", b"message", Coins::Internal);
        assert_eq!((fixed[0], fixed.len()), (header, padded_length));
        let verifying = padded.load_verifying_key(&public).unwrap();
        assert_eq!(verifying.verify(b"", b"message", &fixed), Ok(()));
        for (i, signature) in (0u8..).zip(&signatures).filter(|(_, signature)| signature.len() < padded_length) {
            assert_eq!(verifying.verify(b"", &[i], signature), Err(Error::VerificationFailed), "must require padding");
            let mut with_zeros = signature.clone();
            with_zeros.resize(padded_length, 0);
            assert_eq!(verifying.verify(b"", &[i], &with_zeros), Ok(()), "must accept zero padding");
        }
    }
}
