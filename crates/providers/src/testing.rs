//! What the tests of several libraries have in common. Which of it is used depends on the features.
#![allow(dead_code, reason = "the libraries that ask depend on the features")]

use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Kem, Provider, Result, SignatureInfo, SigningKey, VerifyingKey,
};
use std::thread;

/// Bytes that differ from position to position.
pub(crate) fn bytes(length: usize, start: u8) -> Vec<u8> {
    (0..length).map(|i| start.wrapping_add((i * 7) as u8)).collect()
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

pub(crate) fn length_error<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Length { .. }))
}

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

/// One key of every algorithm, used by four threads at once; of signature schemes those that are asked for.
pub(crate) fn check_threads(provider: &Provider, asked: impl Fn(&str) -> bool) {
    for kem in &provider.kems {
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let sent = encapsulate(&**kem, &*public, Coins::Internal);
                    assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
                });
            }
        });
    }
    for scheme in provider.signatures.iter().filter(|scheme| asked(&scheme.info().parameters.algorithm)) {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        thread::scope(|scope| {
            for i in 0..4u8 {
                let (key, verifying) = (&key, &verifying);
                scope.spawn(move || {
                    let signature = sign(scheme.info(), &**key, b"", &[i], Coins::Internal);
                    assert_eq!(verifying.verify(b"", &[i], &signature), Ok(()));
                });
            }
        });
    }
}

/// What is offered of FIPS 202's functions, of the 500 bytes `0, 7, 14, ...` modulo 256, by another implementation
/// (OpenSSL through Python's `hashlib`); of the XOFs 400 bytes. Returns how many functions there were.
pub(crate) fn check_known_digests(provider: &Provider) -> usize {
    let message = bytes(500, 0);
    let mut checked = 0;
    for (algorithm, answer) in [
        ("SHA3-224", "ad4f5ea76f4de85d30429263365a52be7229df5512e09e39ce2f6a3d"),
        ("SHA3-256", "c279a0598694be2d8a97f74ed733a55aa05012d6723186b1261dba7792aa4dfd"),
        (
            "SHA3-384",
            "2190fba60af8b23a52dc599f92d896bc42ebb38e73bcdd469b568c22399c0b9615d78099a1051748c24477460ee8e9f3",
        ),
        (
            "SHA3-512",
            "9f0fec7b9bbae0c50165a66a07708c54307c780e970233581cedfc368effe38f\
             3bbbb81786c69aec428c03603fd65f5fb4d3f9375352ae08466aebd721511923",
        ),
    ] {
        if let Some(hash) = provider.hash(algorithm) {
            let mut out = vec![0; hash.info().digest];
            hash.digest(&message, &mut out).unwrap();
            assert_eq!(out, hex(answer), "{algorithm}");
            checked += 1;
        }
    }
    // The SHA3-256 of the output.
    for (algorithm, answer) in [
        ("SHAKE128", "1195c3f8e1c092a9d271840c836f3ccc0c84c619dd83b1820137f7385dcb6fbc"),
        ("SHAKE256", "0fa339730bc4b995832b4f8d2c031c08e6e6d1c9ff9790b632f0a8000370afbe"),
    ] {
        if let Some(xof) = provider.xof(algorithm) {
            let (mut out, mut digest) = (vec![0; 400], vec![0; 32]);
            xof.digest(&message, &mut out).unwrap();
            provider.hash("SHA3-256").unwrap().digest(&out, &mut digest).unwrap();
            assert_eq!(digest, hex(answer), "{algorithm}");
            checked += 1;
        }
    }
    checked
}

/// A batch ends with the digest of its last message, a XOF that is read in pieces gives what it gives at once, and wrong
/// lengths are refused.
pub(crate) fn check_batches_and_pieces(provider: &Provider) {
    let messages = vec![bytes(3, 0), bytes(64, 1), bytes(500, 2)];
    for hash in &provider.hashes {
        let length = hash.info().digest;
        let (mut single, mut batch) = (vec![0; length], vec![0; length]);
        hash.digest(&messages[1], &mut single).unwrap();
        hash.digest_batch(&messages, 5, &mut batch).unwrap();
        assert_eq!(single, batch, "{}", hash.info().algorithm);
        assert!(length_error(hash.digest(b"", &mut vec![0; length + 1])));
        assert!(length_error(hash.digest_batch(&messages, 1, &mut vec![0; length - 1])));
        assert!(length_error(hash.digest_batch(&[], 1, &mut single)));
    }
    for xof in &provider.xofs {
        let (mut single, mut batch) = (vec![0; 400], vec![0; 400]);
        xof.digest(&messages[1], &mut single).unwrap();
        xof.digest_batch(&messages, 5, &mut batch).unwrap();
        assert_eq!(single, batch);
        assert!(length_error(xof.digest_batch(&[], 1, &mut single)));
        xof.digest(&messages[1], &mut []).unwrap();
        let mut reader = xof.absorb(&messages[1]).unwrap();
        for piece in batch.chunks_mut(23) {
            reader.squeeze(piece).unwrap();
        }
        reader.squeeze(&mut []).unwrap();
        assert_eq!(single, batch, "{}", xof.info().algorithm);
    }
}
