//! Helpers for the conformance tests and for the tests of several libraries. The enabled features determine which
//! helpers are used.

use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Provider, Result, SignatureInfo, SigningKey,
    VerifyingKey,
};

/// Returns `length` bytes, beginning with `start`, in which neighboring bytes differ.
pub(crate) fn bytes(length: usize, start: u8) -> Vec<u8> {
    (0..length).map(|i| start.wrapping_add((i * 7) as u8)).collect()
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

pub(crate) fn length_error<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Length { .. }))
}

pub(crate) fn malformed_error<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Malformed(_)))
}

pub(crate) fn unsupported_error<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Unsupported(_)))
}

#[derive(Debug, PartialEq)]
pub(crate) struct Encapsulated {
    pub(crate) ciphertext: Vec<u8>,
    pub(crate) secret: Vec<u8>,
}

pub(crate) fn encapsulate(kem: &dyn Kem, key: &dyn EncapsulationKey, coins: Coins) -> Encapsulated {
    try_encapsulate(kem, key, coins).unwrap()
}

pub(crate) fn try_encapsulate(kem: &dyn Kem, key: &dyn EncapsulationKey, coins: Coins) -> Result<Encapsulated> {
    let parameters = &kem.info().parameters;
    let mut out =
        Encapsulated { ciphertext: vec![0; parameters.ciphertext], secret: vec![0; parameters.shared_secret] };
    key.encapsulate(coins, &mut out.ciphertext, &mut out.secret)?;
    Ok(out)
}

pub(crate) fn decapsulate(key: &dyn DecapsulationKey, ciphertext: &[u8]) -> Result<Vec<u8>> {
    let mut secret = vec![0; 32];
    key.decapsulate(ciphertext, &mut secret)?;
    Ok(secret)
}

pub(crate) fn sign(
    info: &SignatureInfo,
    key: &dyn SigningKey,
    context: &[u8],
    message: &[u8],
    coins: Coins,
) -> Vec<u8> {
    let mut out = vec![0; info.parameters.signature];
    let length = key.sign(context, message, coins, &mut out).unwrap();
    assert!(length == out.len() || info.parameters.variable_length && length < out.len());
    out.truncate(length);
    out
}

pub(crate) fn encoded_verifying_key(info: &SignatureInfo, key: &dyn VerifyingKey) -> Vec<u8> {
    let mut out = vec![0; info.parameters.verifying_key];
    assert_eq!(key.encode(&mut out), Ok(out.len()));
    out
}

pub(crate) fn encoded_encapsulation_key(kem: &dyn Kem, key: &dyn EncapsulationKey) -> Vec<u8> {
    let mut out = vec![0; kem.info().parameters.encapsulation_key];
    assert_eq!(key.encode(&mut out), Ok(out.len()));
    out
}

/// Makes calls that fail, and checks that they leave no messages in a C library's error queue. A later call would
/// report such messages.
pub(crate) fn check_failed_calls(provider: &Provider, queue_is_empty: fn() -> bool) {
    for scheme in provider.signatures.iter().filter(|scheme| !scheme.info().parameters.algorithm.starts_with("SLH-DSA"))
    {
        let (info, key) = (scheme.info(), scheme.generate(Coins::Internal).unwrap());
        let verifying = key.verifying_key().unwrap();
        for fill in [0, 0xff] {
            let _ = verifying.verify(b"", b"message", &vec![fill; info.parameters.signature]);
            let _ = scheme.load_verifying_key(&vec![fill; info.parameters.verifying_key]);
            for &encoding in &info.encodings {
                let length = info.signing_key(encoding).unwrap();
                if let Ok(key) = scheme.load_signing_key(encoding, &vec![fill; length]) {
                    let _ = key.encode(KeyEncoding::Seed, &mut [0; 64]);
                }
            }
            assert!(queue_is_empty(), "{}", info.parameters.algorithm);
        }
    }
    for kem in &provider.kems {
        let (info, key) = (kem.info(), kem.generate(Coins::Internal).unwrap());
        for fill in [0, 0xff] {
            let ciphertext = vec![fill; info.parameters.ciphertext];
            let _ = decapsulate(&*key, &ciphertext);
            let public = kem.load_encapsulation_key(&vec![fill; info.parameters.encapsulation_key]);
            let _ = public.and_then(|key| try_encapsulate(&**kem, &*key, Coins::Internal));
            for &encoding in &info.encodings {
                let private = vec![fill; info.decapsulation_key(encoding).unwrap()];
                if let Ok(key) = kem.load_decapsulation_key(encoding, &private) {
                    let _ = decapsulate(&*key, &ciphertext);
                    let _ = key.encode(KeyEncoding::Seed, &mut [0; 64]);
                }
            }
            assert!(queue_is_empty(), "{}", info.parameters.algorithm);
        }
    }
    for aead in &provider.aeads {
        let key = aead.load_key(&vec![1; aead.key_len()]).unwrap();
        let opened = key.open(&vec![2; aead.nonce_len()], b"", &mut [3; 10], &vec![4; aead.tag_len()]);
        assert_eq!(opened, Err(Error::VerificationFailed));
        assert!(queue_is_empty(), "{}", aead.algorithm());
    }
}
