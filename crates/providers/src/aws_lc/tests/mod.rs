//! Tests of the AWS-LC provider: the contract of the traits, published test vectors, and misuse.

mod kem;
mod signature;
mod symmetric;

use super::providers;
use crate::shared::testing::hex;
use pqlab_primitives::Provider;

fn provider() -> Provider {
    providers().remove(0)
}

/// Returns the SHA-256 digest in hexadecimal. Tests use it to compare long outputs.
fn digest_of(bytes: &[u8]) -> String {
    let mut digest = [0; 32];
    provider().hash("SHA-256").unwrap().digest(bytes, &mut digest).unwrap();
    hex::encode(digest)
}

/// Returns a reproducible pattern of bytes that depends only on `length` and `start`.
fn pattern(length: usize, start: u8) -> Vec<u8> {
    (0..length).map(|i| start.wrapping_add((i as u8).wrapping_mul(37))).collect()
}

fn error_queue_is_empty() -> bool {
    // SAFETY: the call takes no arguments and reads this thread's error queue.
    unsafe { aws_lc_sys::ERR_peek_error() == 0 }
}

#[test]
fn offers_every_algorithm_once() {
    let provider = provider();
    assert_eq!(provider.id(), "aws-lc");
    for kem in ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024", "X25519"] {
        assert!(provider.kem(kem).is_some(), "{kem}");
    }
    assert_eq!(provider.kems.len(), 4);
    for signature in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Ed25519", "RSA-2048"] {
        assert!(provider.signature(signature).is_some(), "{signature}");
    }
    for signature in ["ECDSA-secp256k1", "ECDSA-P-256", "ECDSA-P-384"] {
        assert!(provider.signature(signature).is_some(), "{signature}");
    }
    assert_eq!(provider.signatures.len(), 8);
    assert_eq!(provider.key_agreements.len(), 1);
    assert_eq!((provider.hashes.len(), provider.xofs.len()), (6, 2));
    assert_eq!((provider.macs.len(), provider.kdfs.len(), provider.aeads.len()), (1, 1, 1));
}

#[test]
fn lists_the_twelve_slh_dsa_sets_as_unsupported() {
    let provider = provider();
    assert_eq!(provider.unsupported.len(), 12);
    for gap in &provider.unsupported {
        assert!(pqlab_primitives::SignatureParameters::of(&gap.algorithm).is_some(), "{}", gap.algorithm);
        assert!(provider.signature(&gap.algorithm).is_none());
    }
}

#[test]
fn build_info_is_one_line_and_distinguishes_builds() {
    let info = provider().build_info;
    assert_eq!(info.version.as_bytes(), aws_lc_sys::AWSLC_VERSION_NUMBER_STRING.strip_suffix(&[0]).unwrap());
    assert!(info.build.starts_with("aws-lc-sys 0."), "{}", info.build);
    assert!(info.build.contains("assembly") && info.build.contains("FIPS"), "{}", info.build);
    assert!(!info.build.contains('\n'));
    #[cfg(target_arch = "x86_64")]
    {
        use pqlab_cpu::{Feature, is_hidden};
        let avx2 = std::is_x86_feature_detected!("avx2") && !is_hidden(Feature::Avx2);
        assert_eq!(info.build.contains(" avx2"), avx2, "{}", info.build);
        assert!(!info.build.contains(" avx512") || !is_hidden(Feature::Avx512), "{}", info.build);
    }
}
