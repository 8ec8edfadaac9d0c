use super::*;
use crate::shared::testing::{check_threads, hex, length_error};

/// Order of the group (SEC 2, section 2.4.1).
const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

fn scheme() -> Arc<dyn SignatureScheme> {
    providers().pop().unwrap().signature("ECDSA-secp256k1").unwrap().clone()
}

fn scalar(last: u8) -> [u8; 32] {
    let mut scalar = [0; 32];
    scalar[31] = last;
    scalar
}

fn sign(key: &dyn SigningKey, message: &[u8], coins: Coins) -> [u8; 64] {
    let mut out = [0; 64];
    assert_eq!(key.sign(b"", message, coins, &mut out), Ok(64));
    out
}

fn malformed<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Malformed(_)))
}

/// Replaces `s` in the signature with the group order minus `s`. The result is also a valid signature.
fn other_s(signature: &[u8; 64]) -> [u8; 64] {
    let (order, mut other, mut borrow) = (hex(ORDER), *signature, false);
    for i in (0..32).rev() {
        let (difference, first) = order[i].overflowing_sub(signature[32 + i]);
        let (difference, second) = difference.overflowing_sub(u8::from(borrow));
        (other[32 + i], borrow) = (difference, first || second);
    }
    other
}

#[test]
fn build_info_names_the_versions() {
    let provider = providers().pop().unwrap();
    assert!(provider.build_info.version.starts_with("secp256k1 0.33."), "{:?}", provider.build_info);
    assert!(!provider.build_info.version.contains("unknown"), "{:?}", provider.build_info);
    assert!(provider.build_info.build.contains("SHA-256 by sha2 0."), "{:?}", provider.build_info);
}

/// Checks the signature of "Satoshi Nakamoto" with the scalar 1 and a nonce from RFC 6979, which wallets publish as a
/// test vector. The public key is the generator of the group (SEC 2, section 2.4.1).
#[test]
fn signs_the_known_answer() {
    let scheme = scheme();
    let (mut public, mut private) = ([0; 33], [0; 32]);
    let lengths = scheme.generate_encoded(Coins::Exact(&scalar(1)), &mut public, &mut private).unwrap();
    assert_eq!((lengths, private), ((33, 32), scalar(1)));
    assert_eq!(public[..], hex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"));
    let key = scheme.load_signing_key(KeyEncoding::Scalar, &private).unwrap();
    let answer = hex("934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8\
                      2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5");
    assert_eq!(sign(&*key, b"Satoshi Nakamoto", Coins::Internal)[..], answer);
    assert_eq!(sign(&*key, b"Satoshi Nakamoto", Coins::Exact(&[]))[..], answer);
    let verifying = scheme.load_verifying_key(&public).unwrap();
    assert_eq!(verifying.verify(b"", b"Satoshi Nakamoto", &answer), Ok(()));
}

#[test]
fn round_trips_and_rejects_tampering() {
    let scheme = scheme();
    let key = scheme.generate(Coins::Internal).unwrap();
    let (mut public, mut private) = ([0; 33], [0; 32]);
    assert_eq!(key.verifying_key().unwrap().encode(&mut public), Ok(33));
    assert_eq!(key.encode(KeyEncoding::Scalar, &mut private), Ok(32));
    let loaded = scheme.load_signing_key(KeyEncoding::Scalar, &private).unwrap();
    let mut signature = sign(&*key, b"message", Coins::Internal);
    assert_eq!(sign(&*loaded, b"message", Coins::Internal), signature);
    let verifying = scheme.load_verifying_key(&public).unwrap();
    let refused = Err(Error::VerificationFailed);
    assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
    assert_eq!(verifying.verify(b"", b"massage", &signature), refused);
    assert_eq!(verifying.verify(b"", b"message", &signature[1..]), refused);
    assert_eq!(verifying.verify(b"", b"message", b""), refused);
    assert_eq!(verifying.verify(b"", b"message", &[0; 64]), refused);
    assert_eq!(verifying.verify(b"", b"message", &[0xff; 64]), refused);
    signature[40] ^= 1;
    assert_eq!(verifying.verify(b"", b"message", &signature), refused);
}

#[test]
fn signs_with_low_s_and_accepts_both() {
    let scheme = scheme();
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifying = key.verifying_key().unwrap();
    for i in 0..8u8 {
        let low = sign(&*key, &[i], Coins::Internal);
        let high = other_s(&low);
        assert!(low[32..] < high[32..]);
        assert_eq!(verifying.verify(b"", &[i], &low), Ok(()));
        assert_eq!(verifying.verify(b"", &[i], &high), Ok(()));
    }
}

#[test]
fn accepts_compressed_and_uncompressed_points() {
    let scheme = scheme();
    let key = scheme.generate(Coins::Exact(&scalar(1))).unwrap();
    let signature = sign(&*key, b"message", Coins::Internal);
    let mut point = hex("0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                         483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8");
    let verifying = scheme.load_verifying_key(&point).unwrap();
    assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
    let mut compressed = [0; 33];
    assert_eq!(verifying.encode(&mut compressed), Ok(33));
    assert_eq!((compressed[0], &compressed[1..]), (2, &point[1..33]));
    point[64] ^= 1;
    assert!(malformed(scheme.load_verifying_key(&point)));
    assert!(malformed(scheme.load_verifying_key(&[0xff; 33])));
    assert!(length_error(scheme.load_verifying_key(&point[..64])));
}

#[test]
fn rejects_scalars_out_of_range() {
    let scheme = scheme();
    for outside in [vec![0; 32], hex(ORDER), vec![0xff; 32]] {
        assert!(malformed(scheme.load_signing_key(KeyEncoding::Scalar, &outside)));
        assert!(malformed(scheme.generate(Coins::Exact(&outside))));
    }
    let mut last = hex(ORDER);
    last[31] -= 1;
    assert!(scheme.load_signing_key(KeyEncoding::Scalar, &last).is_ok());
}

#[test]
fn rejects_wrong_lengths_encodings_and_contexts() {
    let scheme = scheme();
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifying = key.verifying_key().unwrap();
    assert!(length_error(scheme.generate(Coins::Exact(&[1]))));
    assert!(length_error(scheme.load_signing_key(KeyEncoding::Scalar, &[1; 33])));
    assert!(length_error(key.sign(b"", b"message", Coins::Internal, &mut [0; 63])));
    assert!(length_error(key.sign(b"", b"message", Coins::Exact(&[1]), &mut [0; 64])));
    assert!(length_error(key.encode(KeyEncoding::Scalar, &mut [0; 31])));
    assert!(length_error(verifying.encode(&mut [0; 32])));
    assert!(length_error(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
    assert!(matches!(scheme.load_signing_key(KeyEncoding::Seed, &[1; 32]), Err(Error::Unsupported(_))));
    assert!(matches!(key.encode(KeyEncoding::Der, &mut [0; 32]), Err(Error::Unsupported(_))));
    assert!(matches!(key.sign(b"context", b"", Coins::Internal, &mut [0; 64]), Err(Error::Unsupported(_))));
    assert!(matches!(verifying.verify(b"context", b"", &[0; 64]), Err(Error::Unsupported(_))));
}

#[test]
fn keys_work_in_several_threads() {
    check_threads(&providers().pop().unwrap(), |_| true);
}
