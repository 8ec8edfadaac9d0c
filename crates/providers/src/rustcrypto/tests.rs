use super::*;
use pqlab_primitives::{Error, KeyEncoding};

fn provider() -> Provider {
    providers().pop().unwrap()
}

/// Without the adapter's check, the crate would panic on an expanded key with a coefficient out of
/// range.
#[test]
fn rejects_damaged_expanded_ml_dsa_keys() {
    for scheme in provider().signatures.iter().filter(|s| s.info().parameters.algorithm.starts_with("ML-DSA")) {
        let mut key = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
        assert!(scheme.load_signing_key(KeyEncoding::Expanded, &key).is_ok(), "zeros must be in range");
        let public = scheme.info().parameters.verifying_key - 32;
        let t0 = 416 * public / 320;
        let (first, last) = (128, key.len() - t0 - 1);
        for position in [first, last] {
            key[position] = 0xff;
            let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &key);
            assert!(matches!(loaded, Err(Error::Malformed(_))), "byte {position}");
            key[position] = 0;
        }
        for outside in [first - 1, last + 1] {
            key[outside] = 0xff;
            assert!(scheme.load_signing_key(KeyEncoding::Expanded, &key).is_ok(), "byte {outside}");
        }
    }
}

/// Tries every value for each of eight coefficients that are packed together.
#[test]
fn checks_every_coefficient_of_expanded_ml_dsa_keys() {
    for (algorithm, eta) in [("ML-DSA-44", 2_usize), ("ML-DSA-65", 4), ("ML-DSA-87", 2)] {
        let scheme = provider().signature(algorithm).unwrap().clone();
        let bits = if eta == 2 { 3 } else { 4 };
        for place in 0..8 {
            for packed in 0..1_u32 << bits {
                let mut key = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
                // Change the second group of eight coefficients. The key begins with rho, K and tr,
                // 128 bytes in total.
                let group = (packed << (place * bits)).to_le_bytes();
                key[128 + bits..][..bits].copy_from_slice(&group[..bits]);
                let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &key);
                assert_eq!(loaded.is_ok(), packed as usize <= 2 * eta, "{algorithm}, {packed} at {place}");
            }
        }
    }
}

#[test]
fn aes_gcm_keeps_the_ciphertext_if_the_tag_is_wrong() {
    let key = provider().aead("AES-256-GCM").unwrap().load_key(&[1; 32]).unwrap();
    let mut buffer = [3; 100];
    assert_eq!(key.open(&[2; 12], b"", &mut buffer, &[4; 16]), Err(Error::VerificationFailed));
    assert_eq!(buffer, [3; 100]);
}
