use super::*;
use crate::shared::testing::*;
use pqlab_primitives::{Coins, KeyEncoding};
use pqlab_testing::{Need, require};

const CPU: Need = Need::Machine("AVX2, ADX and AES, or an AArch64");

fn provider() -> Option<Provider> {
    providers().pop().filter(|provider| !provider.algorithms().is_empty())
}

#[test]
fn offers_everything_in_the_crate() {
    let provider = require!(provider(), CPU);
    for scheme in ["Ed25519", "ECDSA-P-256", "ECDSA-P-384"] {
        assert!(provider.signature(scheme).is_some(), "{scheme}");
    }
    assert!(provider.kem("X25519").is_some() && provider.key_agreement("X25519").is_some());
    assert_eq!((provider.hashes.len(), provider.xofs.len()), (4, 2));
    assert!(provider.mac("HMAC-SHA256").is_some() && provider.aead("AES-256-GCM").is_some());
}

/// Checks the known answer in RFC 8032, section 7.1, test 2.
#[test]
fn ed25519_matches_rfc_8032() {
    let scheme = require!(provider(), CPU).signature("Ed25519").unwrap().clone();
    let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let key = scheme.load_signing_key(KeyEncoding::Seed, &seed).unwrap();
    let signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                     085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    assert_eq!(sign(scheme.info(), &*key, b"", &[0x72], Coins::Internal), hex(signature));
}

#[test]
fn ecdsa_draws_for_each_signature_and_rejects_compressed_points() {
    for algorithm in ["ECDSA-P-256", "ECDSA-P-384"] {
        let scheme = require!(provider(), CPU).signature(algorithm).unwrap().clone();
        let key = scheme.generate(Coins::Internal).unwrap();
        let one = sign(scheme.info(), &*key, b"", b"message", Coins::Internal);
        assert_ne!(one, sign(scheme.info(), &*key, b"", b"message", Coins::Internal));
        assert!(unsupported_error(key.sign(b"", b"message", Coins::Exact(&[]), &mut one.clone())));
        let mut point = encoded_verifying_key(scheme.info(), &*key.verifying_key().unwrap());
        point.truncate(point.len() / 2 + 1);
        point[0] = 2;
        assert!(length_error(scheme.load_verifying_key(&point)));
    }
}

#[test]
fn aes_gcm_opens_only_what_it_sealed() {
    let provider = require!(provider(), CPU);
    let key = provider.aead("AES-256-GCM").unwrap().load_key(&bytes(32, 1)).unwrap();
    let (mut text, mut tag) = (bytes(100, 2), [0; 16]);
    key.seal(&[3; 12], b"data", &mut text, &mut tag).unwrap();
    let sealed = text.clone();
    key.open(&[3; 12], b"data", &mut text, &tag).unwrap();
    assert_eq!(text, bytes(100, 2));
    tag[15] ^= 1;
    assert_eq!(key.open(&[3; 12], b"data", &mut sealed.clone(), &tag), Err(Error::VerificationFailed));
    assert!(length_error(key.open(&[3; 12], b"data", &mut sealed.clone(), &tag[..15])));
    assert!(length_error(key.seal(&[3; 11], b"", &mut [], &mut tag)));
}
