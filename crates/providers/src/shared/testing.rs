//! Helpers and checks for the tests of several libraries. The features determine which of these functions are used.

use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Provider, Result, SignatureInfo, SigningKey,
    VerifyingKey,
};
use std::thread;

/// First test for each parameter set in NIST ACVP v1.1.0.43, ML-KEM keyGen: the algorithm, `d || z`, and the SHA3-256
/// digest of `ek || dk`.
pub(crate) const ML_KEM_KEYGEN: [(&str, &str, &str); 3] = [
    (
        "ML-KEM-512",
        "47b893474672ba92e4b12ee44fb32953af8e8503b5fb471d1614fb8a021a660a\
         1f8cb39e9e30bc458a0dc5408884b1187fb217018df760fa57317703b844a0a9",
        "87bbb2263246b58f54839db8bd73e1356db3bf9d0e639fe676747290bd76e0f6",
    ),
    (
        "ML-KEM-768",
        "e582b7d75e6c80b05ae392a1fc9f7153b12390fd99930368cc67a768baebc8a0\
         1cdacb8740c0b87c4a379575f187b367cbfa3b300bf591b109f79816e9cbe8f0",
        "ed7108e524c6ccbdb5e4b856351c64691c33c7078f1385b080b64f4507442d70",
    ),
    (
        "ML-KEM-1024",
        "f3a706faf090c03db506863ab0b20bd8a1627956318e88c67eb875e8e7266009\
         35d2bc43dd1cc879f765bf2a0c5e297889dde910e57e2bb0eae417b90ab7a275",
        "5d2887aec8ea023cec74805e20cf5dac04a9a2a610025f6b1e88642523ff9a5e",
    ),
];

/// Test cases 1, 26 and 51 of NIST ACVP ML-DSA-keyGen-FIPS204: the algorithm, the seed, and the SHA-256 digests of `pk`
/// and `sk`.
pub(crate) const ML_DSA_KEYGEN: [[&str; 4]; 3] = [
    [
        "ML-DSA-44",
        "7194b13c95231010afd2c909992bd2003ba6f437c3886bdbe3f6b867a14ba161",
        "838b88b6ac41e2c60698173e08ca173d0b0d2839205806e56a8a3d53195f3a03",
        "1c911d163cd0a5563e06f22403f7e16334fee17c2abb66f11ddf39ca6307ec58",
    ],
    [
        "ML-DSA-65",
        "a991fd42b071d49c48ae3e75c647459e0daad1e1ba356a04801912d3294bcff8",
        "b1a7d0d2f0d7a04b9d5ffccd9bd578864dab4a01cdd7f70a05cd1f4f0672e43a",
        "56c53ac82fbff7d81b7a8cfbbc73011ceccad677e16dc53f2ece66d49aa11edd",
    ],
    [
        "ML-DSA-87",
        "a16f5b0796703e2d1a0140a35cbf36efabe70e752ba59b6a9a0e9c4b05302f73",
        "33f49649f05ec2fc3b050007b18ade043bbc8d1c0ded03a269d540486daaa5f4",
        "c64e15742f27d7d8e2832f7d55a5c014f2c9536082f3a3181cfc6246908dd649",
    ],
];

/// Returns a pattern in which neighbouring bytes differ.
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

/// Checks that a KEM rejects wrong lengths and encodings that the algorithm does not define.
pub(crate) fn check_kem_refusals(kem: &dyn Kem) {
    let parameters = &kem.info().parameters;
    let key = kem.generate(Coins::Internal).unwrap();
    let public = key.encapsulation_key().unwrap();
    let length = |encoding| kem.info().decapsulation_key(encoding).unwrap();
    let given = kem.generate(Coins::Exact(&[1]));
    assert!(if kem.info().coins.keygen { length_error(given) } else { unsupported_error(given) });
    assert!(length_error(kem.load_encapsulation_key(&bytes(parameters.encapsulation_key - 1, 0))));
    assert!(length_error(public.encode(&mut vec![0; parameters.encapsulation_key - 1])));
    for &encoding in &kem.info().encodings {
        assert!(length_error(kem.load_decapsulation_key(encoding, &bytes(length(encoding) + 1, 0))));
    }
    for &encoding in kem.written() {
        assert!(length_error(key.encode(encoding, &mut vec![0; length(encoding) - 1])));
    }
    assert!(unsupported_error(kem.load_decapsulation_key(KeyEncoding::Der, &[])));
    assert!(unsupported_error(key.encode(KeyEncoding::Der, &mut [])));
    let mut ciphertext = vec![0; parameters.ciphertext];
    assert!(length_error(public.encapsulate(Coins::Internal, &mut ciphertext[1..], &mut [0; 32])));
    assert!(length_error(public.encapsulate(Coins::Internal, &mut ciphertext, &mut [0; 31])));
    let exact = public.encapsulate(Coins::Exact(&[]), &mut ciphertext, &mut [0; 32]);
    assert!(if kem.info().coins.operation { length_error(exact) } else { unsupported_error(exact) });
    public.encapsulate(Coins::Internal, &mut ciphertext, &mut [0; 32]).unwrap();
    assert!(length_error(decapsulate(&*key, &ciphertext[1..])));
    assert!(length_error(key.decapsulate(&ciphertext, &mut [0; 33])));
    assert!(length_error(kem.generate_encoded(Coins::Internal, &mut [], &mut [])));
}

/// Checks that loading a key performs the modulus check in FIPS 203, section 7.2, and the hash check in section 7.3.
pub(crate) fn check_ml_kem_keys_are_checked(kem: &dyn Kem) {
    let public = vec![0xff; kem.info().parameters.encapsulation_key];
    assert!(matches!(kem.load_encapsulation_key(&public), Err(Error::Malformed(_))));
    let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
    kem.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut private).unwrap();
    let hash = private.len() - 64;
    private[hash] ^= 1;
    let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private);
    assert!(matches!(loaded, Err(Error::Malformed(_))));
    private[hash] ^= 1;
    let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
    assert!(unsupported_error(loaded.encode(KeyEncoding::Seed, &mut [0; 64])));
}

/// Checks that a signature verifies only for the signed message, and that changed, shorter or longer signatures do not
/// verify.
pub(crate) fn check_accepts_only(key: &dyn VerifyingKey, context: &[u8], message: &[u8], mut signature: Vec<u8>) {
    let refused = Err(Error::VerificationFailed);
    assert_eq!(key.verify(context, message, &signature), Ok(()));
    assert_eq!(key.verify(context, b"massage", &signature), refused);
    for position in [0, signature.len() / 2, signature.len() - 1] {
        signature[position] ^= 1;
        assert_eq!(key.verify(context, message, &signature), refused, "byte {position}");
        signature[position] ^= 1;
    }
    assert_eq!(key.verify(context, message, &signature[1..]), refused);
    assert_eq!(key.verify(context, message, &[]), refused);
    signature.push(0);
    assert_eq!(key.verify(context, message, &signature), refused);
}

/// Uses a key from four threads concurrently, for every KEM and for every signature scheme that `is_selected` accepts.
pub(crate) fn check_threads(provider: &Provider, is_selected: impl Fn(&str) -> bool) {
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
    for scheme in provider.signatures.iter().filter(|scheme| is_selected(&scheme.info().parameters.algorithm)) {
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

/// Compares the provider's SHA-3 and SHAKE functions (FIPS 202) with values from OpenSSL, computed with Python's
/// `hashlib`. The values are digests of the 500 bytes `0, 7, 14, ...` modulo 256, and 400 bytes of output from each
/// XOF. Returns the number of checked functions.
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
    // The expected values are SHA3-256 digests of the output.
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

/// Checks that a batch returns the digest of the last message, that a XOF gives the same output in one piece and in
/// several pieces, and that wrong lengths are rejected.
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
