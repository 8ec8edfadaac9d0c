use super::kem::{CIPHERTEXT, DECAPSULATION_KEY, ENCAPSULATION_KEY};
use super::signature::SIGNATURE;
use super::symmetric::{NONCE, TAG};
use super::*;
use pqlab_primitives::KeyEncoding;

fn provider() -> Provider {
    providers().pop().unwrap()
}

#[test]
fn kem_round_trips() {
    let provider = provider();
    let kem = provider.kem(NULL).unwrap();
    let (mut public, mut private) = (vec![0; ENCAPSULATION_KEY], vec![0; DECAPSULATION_KEY]);
    kem.generate_encoded(Coins::Exact(&[7; 64]), &mut public, &mut private).unwrap();
    let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
    let mut again = vec![1; ENCAPSULATION_KEY];
    loaded.encapsulation_key().unwrap().encode(&mut again).unwrap();
    assert_eq!(again, public);

    for coins in [Coins::Internal, Coins::Exact(&[9; 32])] {
        let (mut ciphertext, mut sent, mut received) = (vec![0; CIPHERTEXT], [0; SECRET], [1; SECRET]);
        let to = kem.load_encapsulation_key(&public).unwrap();
        to.encapsulate(coins, &mut ciphertext, &mut sent).unwrap();
        loaded.decapsulate(&ciphertext, &mut received).unwrap();
        assert_eq!(sent, received);
        assert_ne!(sent, [0; SECRET]);
        ciphertext[0] ^= 1;
        loaded.decapsulate(&ciphertext, &mut received).unwrap();
        assert_ne!(sent, received);
    }
    assert!(matches!(kem.load_encapsulation_key(&[]), Err(Error::Length { .. })));
    assert!(matches!(kem.generate(Coins::Exact(&[])), Err(Error::Length { .. })));
}

#[test]
fn rejects_tampered_signatures() {
    let provider = provider();
    let scheme = provider.signature(NULL).unwrap();
    let key = scheme.generate(Coins::Internal).unwrap();
    let verifying = key.verifying_key().unwrap();
    let mut signature = vec![0; SIGNATURE];
    assert_eq!(key.sign(b"", b"message", Coins::Internal, &mut signature), Ok(SIGNATURE));
    assert_eq!(verifying.verify(b"", b"message", &signature), Ok(()));
    for message in [&b"lessage"[..], b"messag", b""] {
        assert_eq!(verifying.verify(b"", message, &signature), Err(Error::VerificationFailed));
    }
    signature[0] ^= 1;
    assert_eq!(verifying.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
    let other = scheme.generate(Coins::Exact(&[1; 32])).unwrap().verifying_key().unwrap();
    signature[0] ^= 1;
    assert_eq!(other.verify(b"", b"message", &signature), Err(Error::VerificationFailed));
}

#[test]
fn both_sides_agree() {
    let provider = provider();
    let agreement = provider.key_agreement(NULL).unwrap();
    let keys = [Coins::Internal, Coins::Exact(&[3; 32])].map(|coins| agreement.generate(coins).unwrap());
    let public = [&keys[0], &keys[1]].map(|key| {
        let mut public = [0; SECRET];
        key.public_key(&mut public).unwrap();
        public
    });
    let (mut a, mut b) = ([0; SECRET], [1; SECRET]);
    keys[0].agree(&public[1], &mut a).unwrap();
    keys[1].agree(&public[0], &mut b).unwrap();
    assert_eq!(a, b);
}

#[test]
fn batches_and_readers_agree_with_single_calls() {
    let provider = provider();
    let messages = [b"a".to_vec(), b"bc".to_vec()];
    let hash = provider.hash(NULL).unwrap();
    let (mut single, mut batch) = ([0; SECRET], [0; SECRET]);
    hash.digest(&messages[0], &mut single).unwrap();
    hash.digest_batch(&messages, 3, &mut batch).unwrap();
    assert_eq!(single, batch);
    let xof = provider.xof(NULL).unwrap();
    xof.digest(&messages[1], &mut single).unwrap();
    xof.absorb(&messages[1]).unwrap().squeeze(&mut batch).unwrap();
    assert_eq!(single, batch);
}

#[test]
fn aead_opens_what_it_sealed() {
    let provider = provider();
    let key = provider.aead(NULL).unwrap().load_key(&[1; SECRET]).unwrap();
    let (mut buffer, mut tag) = (*b"plaintext", [0; TAG]);
    key.seal(&[2; NONCE], b"header", &mut buffer, &mut tag).unwrap();
    key.open(&[2; NONCE], b"header", &mut buffer, &tag).unwrap();
    assert_eq!(key.open(&[3; NONCE], b"header", &mut buffer, &tag), Err(Error::VerificationFailed));
}
