use super::*;
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KeyEncoding};
use std::thread;

fn encapsulate(kem: &dyn Kem, key: &dyn EncapsulationKey, coins: Coins) -> (Vec<u8>, Vec<u8>) {
    let mut ciphertext = vec![0; kem.info().parameters.ciphertext];
    let mut secret = vec![0; kem.info().parameters.shared_secret];
    key.encapsulate(coins, &mut ciphertext, &mut secret).unwrap();
    (ciphertext, secret)
}

fn decapsulate(key: &dyn DecapsulationKey, ciphertext: &[u8]) -> Vec<u8> {
    let mut secret = vec![0; 32];
    key.decapsulate(ciphertext, &mut secret).unwrap();
    secret
}

fn generate_encoded(kem: &dyn Kem, coins: Coins) -> (Vec<u8>, Vec<u8>) {
    let info = kem.info();
    let mut public = vec![0; info.parameters.encapsulation_key];
    let mut private = vec![0; info.decapsulation_key(info.encodings[0]).unwrap()];
    kem.generate_encoded(coins, &mut public, &mut private).unwrap();
    (public, private)
}

#[test]
fn round_trips_in_every_encoding() {
    for kem in &provider().kems {
        let info = kem.info();
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        let mut encoded_public = vec![0; info.parameters.encapsulation_key];
        assert_eq!(public.encode(&mut encoded_public).unwrap(), encoded_public.len());
        let loaded_public = kem.load_encapsulation_key(&encoded_public).unwrap();
        for encoding in &info.encodings {
            let mut encoded = vec![0; info.decapsulation_key(*encoding).unwrap()];
            assert_eq!(key.encode(*encoding, &mut encoded).unwrap(), encoded.len());
            let loaded = kem.load_decapsulation_key(*encoding, &encoded).unwrap();
            for _ in 0..2 {
                let (ciphertext, secret) = encapsulate(&**kem, &*loaded_public, Coins::Internal);
                assert_eq!(decapsulate(&*key, &ciphertext), secret, "{}", info.parameters.algorithm);
                assert_eq!(decapsulate(&*loaded, &ciphertext), secret, "{}", info.parameters.algorithm);
            }
            let mut again = vec![0; encoded.len()];
            loaded.encode(*encoding, &mut again).unwrap();
            assert_eq!(again, encoded);
        }
        let (first, second) =
            (encapsulate(&**kem, &*public, Coins::Internal), encapsulate(&**kem, &*public, Coins::Internal));
        assert_ne!(first, second);
        assert_queue_is_empty();
    }
}

#[test]
fn encoded_pairs_belong_together() {
    for kem in &provider().kems {
        let (public, private) = generate_encoded(&**kem, Coins::Internal);
        let public = kem.load_encapsulation_key(&public).unwrap();
        let private = kem.load_decapsulation_key(kem.info().encodings[0], &private).unwrap();
        let (ciphertext, secret) = encapsulate(&**kem, &*public, Coins::Internal);
        assert_eq!(decapsulate(&*private, &ciphertext), secret);
    }
}

#[test]
fn exact_coins_repeat_results_and_are_then_forgotten() {
    for kem in &provider().kems {
        let coins = vec![0x17; kem.info().parameters.keygen_coins];
        let pair = generate_encoded(&**kem, Coins::Exact(&coins));
        assert_eq!(generate_encoded(&**kem, Coins::Exact(&coins)), pair);
        assert_ne!(generate_encoded(&**kem, Coins::Internal), pair);
        let key = kem.generate(Coins::Exact(&coins)).unwrap();
        let mut private = vec![0; pair.1.len()];
        key.encode(kem.info().encodings[0], &mut private).unwrap();
        assert_eq!(private, pair.1);

        let public = key.encapsulation_key().unwrap();
        let coins = vec![0x2B; kem.info().parameters.encapsulation_coins];
        let exact = encapsulate(&**kem, &*public, Coins::Exact(&coins));
        assert_ne!(encapsulate(&**kem, &*public, Coins::Internal), exact);
        assert_eq!(encapsulate(&**kem, &*public, Coins::Exact(&coins)), exact);
        assert_eq!(decapsulate(&*key, &exact.0), exact.1);
    }
}

#[test]
fn a_changed_ciphertext_gives_another_secret() {
    for kem in &provider().kems {
        let key = kem.generate(Coins::Internal).unwrap();
        let (mut ciphertext, secret) = encapsulate(&**kem, &*key.encapsulation_key().unwrap(), Coins::Internal);
        ciphertext[3] ^= 1;
        let rejected = decapsulate(&*key, &ciphertext);
        assert_ne!(rejected, secret);
        assert_eq!(decapsulate(&*key, &ciphertext), rejected);
    }
}

#[test]
fn wrong_lengths_are_typed_errors() {
    for kem in &provider().kems {
        let info = kem.info();
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        let (ciphertext, _) = encapsulate(&**kem, &*public, Coins::Internal);
        let (mut out, mut secret) = (vec![0; ciphertext.len()], [0; 32]);
        let short = ciphertext.len() - 1;
        assert_length(public.encapsulate(Coins::Internal, &mut out[..short], &mut secret));
        assert_length(public.encapsulate(Coins::Internal, &mut out, &mut secret[..31]));
        assert_length(public.encapsulate(Coins::Exact(&[1; 31]), &mut out, &mut secret));
        assert_length(key.decapsulate(&ciphertext[..short], &mut secret));
        assert_length(key.decapsulate(&ciphertext, &mut secret[..31]));
        assert_length(kem.generate(Coins::Exact(&[1; 31])));
        let length = info.parameters.encapsulation_key;
        assert_length(kem.load_encapsulation_key(&vec![0; length - 1]));
        assert_length(public.encode(&mut vec![0; length - 1]));
        for encoding in [KeyEncoding::Seed, KeyEncoding::Expanded, KeyEncoding::Scalar, KeyEncoding::Der] {
            match info.decapsulation_key(encoding) {
                Some(length) => {
                    assert_length(kem.load_decapsulation_key(encoding, &vec![0; length - 1]));
                    assert_length(key.encode(encoding, &mut vec![0; length - 1]));
                }
                None => {
                    assert_unsupported(kem.load_decapsulation_key(encoding, &[0; 32]));
                    assert_unsupported(key.encode(encoding, &mut [0; 32]));
                }
            }
        }
    }
}

#[test]
fn rejects_malformed_ml_kem_keys() {
    for kem in provider().kems.iter().filter(|kem| kem.info().encodings.contains(&KeyEncoding::Expanded)) {
        let key = kem.generate(Coins::Internal).unwrap();
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        key.encapsulation_key().unwrap().encode(&mut public).unwrap();
        // A coefficient of 4095 exceeds the modulus (FIPS 203, section 7.2).
        public[..2].copy_from_slice(&[0xFF, 0xFF]);
        assert_malformed(kem.load_encapsulation_key(&public));
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        // The hash of the encapsulation key precedes the last 32 bytes (FIPS 203, section 7.3).
        let hash = private.len() - 64;
        private[hash] ^= 1;
        assert_malformed(kem.load_decapsulation_key(KeyEncoding::Expanded, &private));
    }
}

#[test]
fn an_expanded_key_does_not_know_its_seed() {
    let kem = provider().kem("ML-KEM-512").unwrap();
    let mut encoded = vec![0; 1632];
    kem.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut encoded).unwrap();
    let key = kem.load_decapsulation_key(KeyEncoding::Expanded, &encoded).unwrap();
    assert_unsupported(key.encode(KeyEncoding::Seed, &mut [0; 64]));
}

#[test]
fn several_threads_share_a_key() {
    for kem in &provider().kems {
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let (ciphertext, secret) = encapsulate(&**kem, &*public, Coins::Internal);
                        assert_eq!(decapsulate(&*key, &ciphertext), secret);
                    }
                });
            }
        });
    }
}

/// Checks test cases 1, 26 and 51 of NIST ACVP ML-KEM-keyGen-FIPS203: `d || z`, and the SHA-256 digests of `ek` and
/// `dk`.
#[test]
fn ml_kem_key_generation_agrees_with_acvp() {
    let published = [
        (
            "ML-KEM-512",
            "47b893474672ba92e4b12ee44fb32953af8e8503b5fb471d1614fb8a021a660a1f8cb39e9e30bc458a0dc5408884b1187fb217018df760fa57317703b844a0a9",
            "7e4a2b716a684c1ad33c43c808782da9e1a72f14ccda82723f712d49f53a9f28",
            "c725c25ca8636d75653a07e7a9ccf0b3c2b927617e8f99f0f05ab1f9cb7e046d",
        ),
        (
            "ML-KEM-768",
            "e582b7d75e6c80b05ae392a1fc9f7153b12390fd99930368cc67a768baebc8a01cdacb8740c0b87c4a379575f187b367cbfa3b300bf591b109f79816e9cbe8f0",
            "4158f6afb5e516c99f1da07da8c651348422b17c1f4e9a08ad73fb1f91249b3e",
            "7aab35839207f72b310abe36e2daa1cc7ff6f7fa8941e439967cd47d9b437079",
        ),
        (
            "ML-KEM-1024",
            "f3a706faf090c03db506863ab0b20bd8a1627956318e88c67eb875e8e726600935d2bc43dd1cc879f765bf2a0c5e297889dde910e57e2bb0eae417b90ab7a275",
            "b78619e4fceeeb86dee3fedb945eca6da61dae312771ef8fa871951d391bd7b6",
            "925ed6f1cf0379ede29d8209432d6e08c73ed0423883febf85416343f4fa1f86",
        ),
    ];
    for (algorithm, seed, public_digest, private_digest) in published {
        let kem = provider().kem(algorithm).unwrap();
        let key = kem.load_decapsulation_key(KeyEncoding::Seed, &hex(seed)).unwrap();
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        assert_sha256(&private, private_digest);
        let (public, _) = generate_encoded(&**kem, Coins::Exact(&hex(seed)));
        assert_sha256(&public, public_digest);
    }
}

/// Checks the values in RFC 7748, section 6.1, through the key agreement and through the KEM.
#[test]
fn x25519_agrees_with_its_rfc() {
    let alice = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    let bob = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    let bob_public = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    let agreement = provider().key_agreement("X25519").unwrap();
    let mut secret = [0; 32];
    agreement.load_private_key(&alice).unwrap().agree(&bob_public, &mut secret).unwrap();
    assert_eq!(secret.to_vec(), shared);
    let kem = provider().kem("X25519").unwrap();
    let (public, private) = generate_encoded(&**kem, Coins::Exact(&bob));
    assert_eq!((public.clone(), private), (bob_public, bob.clone()));
    let public = kem.load_encapsulation_key(&public).unwrap();
    let (ciphertext, secret) = encapsulate(&**kem, &*public, Coins::Exact(&alice));
    assert_eq!(secret, shared);
    let key = kem.load_decapsulation_key(KeyEncoding::Scalar, &bob).unwrap();
    assert_eq!(decapsulate(&*key, &ciphertext), shared);
}

#[test]
fn key_agreement_round_trips_and_takes_coins() {
    let agreement = provider().key_agreement("X25519").unwrap();
    let (mut public, mut private) = ([0; 32], [0; 32]);
    agreement.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
    let (alice, bob) = (agreement.load_private_key(&private).unwrap(), agreement.generate(Coins::Internal).unwrap());
    let (mut first, mut second, mut bob_public) = ([0; 32], [0; 32], [0; 32]);
    bob.public_key(&mut bob_public).unwrap();
    for _ in 0..2 {
        alice.agree(&bob_public, &mut first).unwrap();
        bob.agree(&public, &mut second).unwrap();
        assert_eq!(first, second);
    }
    let mut again = [0; 32];
    alice.encode(&mut again).unwrap();
    assert_eq!(again, private);
    let mut exact = ([0; 32], [0; 32]);
    agreement.generate_encoded(Coins::Exact(&[9; 32]), &mut exact.0, &mut exact.1).unwrap();
    assert_eq!(exact.1, [9; 32]);
    agreement.generate(Coins::Exact(&[9; 32])).unwrap().public_key(&mut again).unwrap();
    assert_eq!(again, exact.0);
    assert_length(alice.agree(&bob_public[..31], &mut first));
    assert_length(alice.agree(&bob_public, &mut first[..31]));
    assert_length(alice.public_key(&mut first[..31]));
    assert_length(alice.encode(&mut first[..31]));
    assert_length(agreement.load_private_key(&private[..31]));
    assert_length(agreement.generate(Coins::Exact(&[9; 31])));
}

/// A peer's key of small order leads to an all-zero secret (RFC 7748, section 6.1).
#[test]
fn rejects_an_all_zero_secret() {
    let kem = provider().kem("X25519").unwrap();
    let key = kem.generate(Coins::Internal).unwrap();
    let agreement = provider().key_agreement("X25519").unwrap().generate(Coins::Internal).unwrap();
    let one = hex("0100000000000000000000000000000000000000000000000000000000000000");
    for low in [vec![0; 32], one] {
        let (mut ciphertext, mut secret) = ([0; 32], [0; 32]);
        assert_malformed(agreement.agree(&low, &mut secret));
        assert_malformed(key.decapsulate(&low, &mut secret));
        let public = kem.load_encapsulation_key(&low).unwrap();
        assert_malformed(public.encapsulate(Coins::Internal, &mut ciphertext, &mut secret));
    }
    let public = key.encapsulation_key().unwrap();
    let (ciphertext, secret) = encapsulate(&**kem, &*public, Coins::Internal);
    assert_eq!(decapsulate(&*key, &ciphertext), secret);
}
